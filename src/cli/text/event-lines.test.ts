// The lines of `pawl run` and `pawl watch` in a pipe, made from journals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "../../core/fold/apply.ts";
import type { RunState } from "../../core/model.ts";
import { triesOf } from "../../core/query.ts";
import { dynamic, failedCheck, linear, stories, storyOf } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { LineTeller, noteOf } from "./event-lines.ts";
import { paint } from "./text.ts";

function linesOf(world: World, columns: number | null = null): string[] {
	const teller = new LineTeller();
	let state: RunState | null = null;
	return world.events.flatMap((event) => {
		state = fold([event], state);
		assert.ok(state);
		return teller.linesFor(event, state, { color: paint(false), columns }).map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ""));
	});
}

const GATE = {
	kind: "gate" as const,
	members: [
		{ role: "check", blocking: true },
		{ role: "simplify", blocking: false },
	],
	verdicts: ["acceptable", "needs_work"],
	on: { acceptable: { action: "next" as const }, needs_work: { action: "goto" as const, target: "make" } },
};

test("G-16: the members of a gate start together, by their names; a second round is the second attempt of each", () => {
	const world = new World(linear({ make: {}, review: GATE }));
	const round = (signal: string) => {
		world.end("make");
		for (const job of [...world.jobs]) world.prepare(job);
		world.end("review check", { signal, error: signal === "needs_work" ? "the label is missing" : null });
		world.end("review simplify", { signal: "acceptable" });
	};
	round("needs_work");
	round("acceptable");
	const review = linesOf(world).filter((line) => line.includes("review"));
	const begins = review.filter((line) => /starts|attempt/.test(line)).map((line) => line.replace(/^\S+ +review +/, "").replace(/: .*/, ""));
	// Each is prepared once more by `end`, which changes nothing here.
	assert.deepEqual([...new Set(begins)], ["check starts", "simplify starts", "check, attempt 2", "simplify, attempt 2"]);
	assert.ok(
		review.some((line) => line.includes("check says needs work")),
		review.join("\n"),
	);
	assert.ok(review.some((line) => line.includes("simplify says acceptable (advice)")));
	assert.deepEqual([world.find("@run", "review").attempt, triesOf(world.find("@run", "review"))], [4, 2]);
});

test("G-16: what a check printed stands below it line by line, and a reason is said once", () => {
	const world = new World(dynamic(), { stories: ["US-001"] });
	const broken = { ...failedCheck(), output: "running 2 tests\nnot ok 1 adds\n  expected: 1\n  actual: 2\nok 2 divides\n" };
	world.play({ "US-001 initial_testing": { checks: [broken] } });
	const lines = linesOf(world);
	const at = lines.findIndex((line) => line.startsWith("check test: failed, exit 1"));
	assert.deepEqual(
		lines.slice(at + 1, at + 6).map((line) => line.trim()),
		["running 2 tests", "not ok 1 adds", "expected: 1", "actual: 2", "ok 2 divides"],
	);
	const adds = lines.find((line) => line.startsWith("adds "));
	assert.match(adds ?? "", /^adds step-\d+ coding, step-\d+ linting, step-\d+ initial_testing$/, "the line above has the reason");
	const failed = lines.find((line) => line.startsWith("story failed"));
	assert.match(failed ?? "", /^story failed: step-\d+ \(initial_testing\)$/, "the line above has the reason");
});

test("G-16: a long output of a command is cut down to the lines that say what is wrong; words of an agent are complete", () => {
	const output = `the tests do not pass: exit 1\n${Array.from({ length: 300 }, (_, i) => (i === 150 ? "not ok 150 adds" : `ok ${i}`)).join("\n")}`;
	const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
	const back = { action: "goto" as const, target: "make" };
	const world = new World(linear({ make: {}, green: { kind: "action", on: { red: back } }, verify: { on: { retry: back } } }));
	world.end("make");
	world.end("green", { signal: "red", error: output });
	const lines = linesOf(world);
	assert.ok(lines.length < 140, String(lines.length));
	assert.ok(lines.some((line) => /sends back to make: the tests do not pass: exit 1$/.test(line)));
	assert.ok(lines.some((line) => line.trim() === "not ok 150 adds"));
	assert.ok(lines.some((line) => /lines left out/.test(line)));
	world.end("make");
	world.end("green");
	world.end("verify", { signal: "retry", error: words });
	const folded = linesOf(world, 80);
	assert.ok(folded.every((line) => line.length <= 80));
	assert.ok(folded.join(" ").includes("word299"), "G-16: folded, never cut");
});

test("G-16: a run that gives up says why once, and not for each step that it does not come to", () => {
	const types = Object.fromEntries(
		["make", ..."abcdef"].map((name) => [name, name === "make" ? { on: { hopeless: { action: "abort" as const } } } : {}]),
	);
	const world = new World(linear(types));
	world.end("make", { signal: "hopeless", error: "there is nothing to do" });
	const lines = linesOf(world);
	assert.equal(lines.filter((line) => line.includes("skipped")).length, 0, lines.join("\n"));
	assert.equal(lines.filter((line) => line.includes("there is nothing to do")).length, 1, lines.join("\n"));
});

test("G-16 T-18: what a person says while a loop runs, and why an iteration failed, are told; sentences of a note need no semicolon", () => {
	const goOn = { action: "retry" as const };
	const loop = { schedule: "W", roles: { W: { role: "worker" } }, max: "3", inject: {} };
	const world = new World(
		linear({ work: { kind: "loop", loop, on: { done: goOn, agent_error: goOn, max_iterations: { action: "next" } } } }),
	);
	world.feed({ type: "steer", text: "use tabs" });
	world.end("work", { signal: "agent_error", error: "exit 3" });
	world.end("work");
	world.end("work", { notes: "It is done.\nAll of it" });
	const lines = linesOf(world);
	assert.ok(lines.includes("a person says: use tabs"), lines.join("\n"));
	assert.deepEqual(
		lines.filter((line) => line.startsWith("why: ")),
		["why: exit 3"],
	);
	const made = { ...world.find("@run", "work"), error: null, notes: "It is done.\nAll of it\n- and more" };
	assert.equal(noteOf(made), "It is done. All of it; and more");
});

test("G-16: a note begins with what was done, not with the status that the line has already; a step whose id is its type is named once", () => {
	const world = new World({
		...linear({ make: {}, verify: { on: { retry: { action: "insert", steps: [{ type: "mend" }] } } }, mend: { detour: true } }),
		ids: "named",
	});
	world.end("make", { notes: "STATUS: done\nCHANGES: added it\n- and more" });
	const made = world.state.root.steps.find(({ type }) => type === "make");
	assert.equal(made === undefined ? "" : noteOf(made), "CHANGES: added it; and more");
	const noted = (notes: string) => (made === undefined ? "" : noteOf({ ...made, notes }));
	assert.equal(
		noted('I looked around.\n\nSTATUS: done\nPRD_JSON: {\n  "name": "A } b",\n  "list": [1]\n}\nNEXT: read it'),
		"I looked around. NEXT: read it",
	);
	assert.equal(noted('STORIES_JSON:\n[{"id": 1}]'), "");
	assert.equal(noted('I looked.\nPRD_JSON: {"cut": "of'), "I looked.");
	assert.equal(noted("CHANGES: [x] one is done"), "CHANGES: [x] one is done");
	world.end("verify", { signal: "retry", error: "no" });
	assert.ok(
		linesOf(world).some((line) => /^adds mend\b(?! mend)/.test(line)),
		linesOf(world).join("\n"),
	);
});

test("G-16: steps of pawl's own are not spoken of, and a step whose plan replaced its own story is named", () => {
	const on = { re_plan: { action: "goto" as const, target: "save" } };
	const types = {
		check: { on },
		save: { detour: true, internal: true, kind: "action" as const, on: { done: { action: "goto" as const, target: "plan" } } },
		plan: { detour: true, replaces: true },
	};
	const world = new World(stories(types, { concurrency: 1, order: "list", onFailure: "fail_run" }), { stories: ["A", "B"] });
	world.end("A check", { signal: "re_plan", error: "the plan is wrong" });
	world.end("A save");
	const checks = [{ name: "tasks", command: "TASKS_JSON", exitCode: 0, output: "" }];
	world.end("A plan", { stories: [storyOf("A", { title: "New" }), storyOf("B")], checks });
	const lines = linesOf(world).join("\n");
	assert.match(lines, /check +sends back to plan: the plan is wrong/);
	assert.match(lines, /^A +adds step-\d+ plan$/m);
	assert.match(lines, /^A +step-\d+ +plan +done/m);
	assert.doesNotMatch(lines, /save|TASKS_JSON/);
});
