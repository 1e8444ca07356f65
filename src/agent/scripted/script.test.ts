import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type Call, choose, fill, fillAll, loadScript, type Script } from "./script.ts";

const CALL: Call = { run: "r1", story: "US-001", step: "step-005", type: "coding", role: "agent", attempt: 1, nth: 1 };

function load(text: string): Script {
	const loaded = loadScript(text, "s.yml");
	assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems, null, 1));
	return loaded.script;
}
function problems(text: string): string[] {
	const loaded = loadScript(text, "s.yml");
	assert.equal(loaded.ok, false);
	return loaded.ok ? [] : loaded.problems.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
}
/** The text that the chosen rule says. */
const says = (script: Script, call: Partial<Call>): unknown => choose(script, { ...CALL, ...call }).actions[0]?.value;

describe("choosing a rule", () => {
	const script = load(`
steps:
  - {on: {type: coding, step: step-005, attempt: 2}, do: [say: again]}
  - {on: {type: [linting, review], story: [US-001, US-002]}, do: [say: listed]}
  - {on: {role: checker}, do: [say: role]}
  - {on: {type: coding, nth: [2, 3]}, do: [say: later]}
  - {on: {type: coding}, do: [say: first]}
default: {do: [say: other]}
`);
	it("takes the first rule all of whose conditions hold", () => {
		assert.equal(says(script, { attempt: 2, nth: 2 }), "again");
		assert.equal(says(script, { attempt: 1, nth: 2 }), "later");
		assert.equal(says(script, { step: "step-011", attempt: 2 }), "first");
		assert.equal(says(script, { role: "checker" }), "role");
	});
	it("takes any of a list", () => {
		assert.equal(says(script, { type: "linting" }), "listed");
		assert.equal(says(script, { type: "review", story: "US-002" }), "listed");
		assert.equal(says(script, { type: "review", story: "US-003" }), "other");
		assert.equal(says(script, { nth: 3 }), "later");
	});
	it("falls back to default, and without one to the built-in", () => {
		assert.equal(choose(script, { ...CALL, type: "planning" }).rule, "default");
		assert.deepEqual(choose(load(""), CALL), { rule: "built-in", actions: [] });
	});
	it("a rule without conditions fits every call", () => {
		assert.equal(says(load("steps: [{do: [say: any]}]"), { type: "x", role: "y" }), "any");
	});
});

describe("reading a script", () => {
	it("reads every action into its kind and value", () => {
		const script = load(`
default:
  do:
    - write: {path: a, content: b}
    - append: {path: a, content: b}
    - remove: {path: a}
    - shared: {path: a, content: b}
    - append_shared: {path: a, content: b}
    - commit: message
    - edit: [{operation: skip, target_step_id: step-009, reason: few}]
    - run: [sh, -c, "true"]
    - wait: 1m30s
    - wait_for: {shared: flag}
    - say: hello
    - usage: {input_tokens: 1200, cost_usd: 0.02}
    - fail: {as: rate_limited, retry_after: 30s}
`);
		const actions = choose(script, CALL).actions;
		assert.deepEqual(
			actions.map(({ kind }) => kind),
			["write", "append", "remove", "shared", "append_shared", "commit", "edit", "run", "wait", "wait_for", "say", "usage", "fail"],
		);
		assert.equal(actions[8]?.value, 90_000);
		assert.deepEqual(actions[11]?.value, { costUsd: 0.02, inputTokens: 1200, outputTokens: null });
		assert.deepEqual(actions[12]?.value, { as: "rate_limited", retry_after: 30_000 });
	});
	it("names all mistakes at once, each with its line and column, in the order of the file", () => {
		assert.deepEqual(
			problems(`stepz: []
steps:
  - on: {typ: coding, attempt: 0}
    do:
      - wrte: {path: a, content: b}
      - write: {path: a}
      - wait: 2 parsecs
      - fail: {exit: 1, as: lost}
      - {say: a, commit: b}
      - say: 7
      - hang: false
`),
			[
				's.yml:1:1 unknown key "stepz"; did you mean "steps"?',
				's.yml:3:10 unknown key "typ"; did you mean "type"?',
				"s.yml:3:32 steps[0].on.attempt must be at least 1",
				's.yml:5:9 unknown key "wrte"; did you mean "write"?',
				"s.yml:6:16 steps[0].do[1].write.content is missing",
				's.yml:7:15 steps[0].do[2].wait: "2 parsecs" is not a duration; write it as 500ms, 2s or 5m',
				"s.yml:8:29 steps[0].do[3].fail.as must be one of agent_error, timeout, stalled, rate_limited, overloaded, auth, out_of_credit, permission, context_too_long",
				"s.yml:9:9 steps[0].do[4]: one action a list item; these are 2: commit, say",
				"s.yml:10:14 steps[0].do[5].say must be a text (put it in quotes)",
				"s.yml:11:15 steps[0].do[6].hang must be true",
			],
		);
	});
	it("tells numbers from texts in conditions", () => {
		assert.deepEqual(problems('steps: [{on: {story: 7, nth: "2", attempt: []}, do: [{}]}]'), [
			"s.yml:1:22 steps[0].on.story must be a text or a list of texts (put numbers in quotes)",
			"s.yml:1:30 steps[0].on.nth must be a whole number from 1, or a list of them",
			"s.yml:1:44 steps[0].on.attempt: an empty list fits no call",
			"s.yml:1:54 steps[0].do[0]: an empty action",
		]);
	});
	it("lists the known keys if none is close", () => {
		assert.deepEqual(problems("default: {do: [], retries: 3}"), ['s.yml:1:19 unknown key "retries"; known here: do']);
	});
	it("finds what can never be reached, and keys that do not go together", () => {
		assert.deepEqual(problems("default: {do: [hang: true, say: x]}"), ["s.yml:1:28 default.do[1]: never reached: `hang` ends the call"]);
		assert.match(problems("default: {do: [fail: {exit: 2, retry_after: 1s}]}")[0] ?? "", /retry_after goes with/);
		assert.match(problems("default: {do: [fail: {exit: 2, as: auth}]}")[0] ?? "", /exit code goes with/);
		assert.match(problems("default: {do: [wait_for: {}]}")[0] ?? "", /one of `file`/);
	});
	it("refuses broken YAML, doubled keys, alias bombs, other shapes and giants", () => {
		assert.match(problems("steps: [")[0] ?? "", /^s\.yml:1:\d+ /);
		assert.equal(problems("default: {do: [write: {path: a/{story}, content: x}, say: y]}").length, 1);
		assert.match(problems("default: {do: []}\ndefault: {do: []}\n")[0] ?? "", /^s\.yml:2:1 .*twice/);
		assert.match(problems("- a\n- b\n")[0] ?? "", /^s\.yml:1:1 the script must be a map of keys/);
		const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
		for (const [before, name] of ["ab", "bc", "cd"]) bomb.push(`${name}: &${name} [${`*${before}, `.repeat(10)}]`);
		assert.match(problems(bomb.join("\n"))[0] ?? "", /alias/i);
		assert.match(problems(`# ${"x".repeat(1024 * 1024)}`)[0] ?? "", /128 KiB/);
	});
});

describe("placeholders", () => {
	it("stand for the call; other braces, dollar signs and escaped ones stay", () => {
		assert.equal(fill("{story}/{step}/{type}/{role}/{attempt}/{nth}/{run}", CALL), "US-001/step-005/coding/agent/1/1/r1");
		assert.equal(fill("\\{story} ${1:-x} {} {other} {{", CALL), "{story} ${1:-x} {} {other} {{");
		assert.equal(fill("{story}", { ...CALL, story: "$&{step}" }), "$&{step}");
	});
	it("are filled in every text of an edit, not in keys", () => {
		assert.deepEqual(fillAll([{ "{step}": ["{step}", 1, null, { a: "{story}" }] }], CALL), [
			{ "{step}": ["step-005", 1, null, { a: "US-001" }] },
		]);
	});
});

describe("scripts that are shipped", () => {
	const root = new URL("../../../", import.meta.url);
	it("every script in the guide loads", () => {
		const guide = readFileSync(new URL("docs/scripted-agent.md", root), "utf8");
		const blocks = [...guide.matchAll(/^```yaml\n(.*?)^```/gms)].map((match) => match[1] ?? "");
		assert.ok(blocks.length >= 3);
		for (const block of blocks.filter((text) => /^(steps|default):/m.test(text))) load(block);
	});
	it("the demo of dynamic loads", () => {
		load(readFileSync(new URL("workflows/dynamic/demo.yml", root), "utf8"));
	});
});
