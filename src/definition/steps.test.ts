// Step types that say more about their routes: how often anything may lead to them, caps that signals share, reports of their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDefinition } from "./parse.ts";

const ROLES = `
  dev: {can: [run]}
  judge: {report: {findings: FINDINGS, signals: {good: {VERDICT: good}, small: {VERDICT: bad, only: small}, bad: {VERDICT: bad, finding: "*"}}}}`;

function load(types: string, more = "steps: [a, b]") {
	const text = `name: x\ntitle: X\ninputs: {request: {reader: request, workspace: tree}}\nroles:${ROLES}\ntypes:\n${types}\non:\n  done: next\n  unreadable: fail run\n  "*": fail run\n${more}\n`;
	return parseDefinition(text, { file: "workflow.yml", readPrompt: () => ({ text: "Do it." }) });
}
const problems = (loaded: ReturnType<typeof load>): string => (loaded.ok ? "" : loaded.problems.map((p) => p.message).join("\n"));
const B = "  a: {role: dev}\n  fix: {detour: true, role: dev, on: {done: goto back}}\n";

test("O-64 visits cap all routes to a step, with an action instead", () => {
	const loaded = load(
		`${B.replace("{detour: true,", "{detour: true, visits: 2/entry, exhausted: {fail: run},")}  b: {role: judge, on: {good: next, small|bad: goto fix}}`,
	);
	assert.equal(problems(loaded), "");
	assert.deepEqual(loaded.ok && loaded.definition.types["fix"]?.visits, {
		max: 2,
		per: "entry",
		exhausted: { action: "fail", target: "run" },
	});
	assert.match(problems(load(`${B}  b: {role: judge, on: {good: next, small|bad: goto fix}}`)), /nothing ends this way back/);
	assert.match(
		problems(
			load(`${B.replace("{detour: true,", "{detour: true, visits: 2/entry,")}  b: {role: judge, on: {good: next, small|bad: goto fix}}`),
		),
		/`exhausted` is missing/,
	);
	assert.match(
		problems(
			load(
				`${B.replace("{detour: true,", "{detour: true, visits: 2/story, exhausted: fail run,")}  b: {role: judge, on: {good: next, small|bad: goto fix}}`,
			),
		),
		/per entry or per run/,
	);
	assert.match(
		problems(
			load(
				`${B.replace("{detour: true,", "{detour: true, visits: 2/entry, exhausted: goto nowhere,")}  b: {role: judge, on: {good: next, small|bad: goto fix}}`,
			),
		),
		/no step type `nowhere`/,
	);
});

test("O-37 a cap with a name is shared by the signals that have it", () => {
	const loaded = load(
		`${B}  b: {role: judge, on: {good: next, small: {goto: fix, count: rounds, max: 2/entry, exhausted: next}, bad: {goto: fix, count: rounds, max: 2/entry, exhausted: next}}}`,
	);
	assert.equal(problems(loaded), "");
	assert.equal(loaded.ok && loaded.definition.types["b"]?.routes["bad"]?.count, "rounds");
	assert.match(
		problems(load(`${B}  b: {role: judge, on: {good: next, small|bad: {next: true, count: rounds}}}`)),
		/`count` is the name of a cap/,
	);
});

test("signals of a step need a route in the step or by name: the workflow's * is only for failures", () => {
	assert.match(
		problems(load(`${B}  b: {role: judge, on: {good: next, small: next}}`)),
		/`b` can end in `bad`.*the workflow's `\*` covers failures only/,
	);
	assert.match(problems(load("  a: {role: dev}\n  b: {action: tidy, signals: [tidied, odd], on: {tidied: next}}")), /`b` can end in `odd`/);
	assert.equal(problems(load(`  a: {role: dev}\n  b: {role: judge, on: {good: next, "*": fail run}}`)), "");
});

test("a gate and an agent can read reports in their own way; what a keeper may say is declared", () => {
	const loaded = load(
		`  a: {role: dev, report: {signals: {ready: {STATUS: ready}}}, keeper: artifacts, with: {writes: "yes"}, signals: [not_written], on: {ready: next, not_written: fail run}}\n  b: {gate: {members: {judge: blocking}}, report: {signals: {fine: {WORD: fine}, poor: {WORD: poor}}}, on: {fine: next, poor: fail run}}`,
	);
	assert.equal(problems(loaded), "");
	assert.deepEqual(loaded.ok && loaded.definition.types["b"]?.verdicts, ["fine", "poor"]);
	assert.match(
		problems(load(`  a: {role: dev, keeper: artifacts, signals: [not_written]}\n  b: {role: dev}`)),
		/`a` can end in `not_written`/,
	);
});

test("`can` that is given bounds a role; a rule says what may be written; recovery is kept", () => {
	const loaded = load(
		"  a: {role: dev, writes: {rule: task-files}}\n  b: {role: judge, on: {good: next, small|bad: fail run}}",
		"steps: [a, b]\nrecovery: Throw {{worktree}} away",
	);
	assert.equal(problems(loaded), "");
	if (!loaded.ok) return;
	const { roles, types, recovery } = loaded.definition;
	assert.deepEqual([roles["dev"]?.bounded, roles["judge"]?.bounded], [true, undefined]);
	assert.deepEqual([types["a"]?.writes, recovery], [{ rule: "task-files" }, "Throw {{worktree}} away"]);
});
