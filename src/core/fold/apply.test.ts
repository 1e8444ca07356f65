import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../event.ts";
import { cost, dynamic, linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { addUsage, apply, fold, stepId, stepNumber } from "./apply.ts";

test("the journal of a whole run folds to its state, in one go or piece by piece", () => {
	const w = new World(dynamic(), { stories: ["A", "B"], options: { agents: 2 } });
	w.play({ merge: { signal: "merged" } });
	assert.deepEqual(fold(w.events), w.state);
	const half = fold(w.events.slice(0, 40));
	assert.deepEqual(fold(w.events.slice(40), half), w.state);
	assert.equal(w.state.version, w.events.length);
});

test("the fold does not change its arguments", () => {
	const w = new World(dynamic(), { stories: ["A"] });
	const before = structuredClone(w.state);
	const held = w.state;
	w.play({ merge: { signal: "merged" } });
	assert.deepEqual(held, before);
});

test("an event that does not fit changes only the version of the state: every journal can be read", () => {
	const w = new World(linear({ a: {} }));
	const strange: Event[] = [
		{ event: "step_completed", at: 1, scope: "@run", step: "step-099", attempt: 1, signal: "done", notes: null },
		{ event: "step_started", at: 1, scope: "nobody", step: "step-001", attempt: 1, role: "x" },
		{ event: "story_completed", at: 1, scope: "nobody" },
		{ event: "fields_set", at: 1, scope: "nobody", fields: { a: "b" } },
		{ event: "budget_spent", at: 1, budget: "nothing", amount: 1 },
		{ event: "attempt_ignored", at: 1, scope: "x", step: "y", attempt: 1, reason: "z" },
	];
	for (const event of strange) assert.deepEqual(apply(w.state, event), { ...w.state, version: w.state.version + 1 }, event.event);
	assert.equal(apply(null, strange[0]!), null);
	assert.equal(apply(w.state, w.events[0]!), w.state, "a run is created once");
});

test("D-75 ids have at least three digits; a text that is not a step id has no number", () => {
	assert.deepEqual([stepId(1), stepId(11), stepId(1234)], ["step-001", "step-011", "step-1234"]);
	assert.deepEqual([stepNumber("step-011"), stepNumber("step-1234"), stepNumber("merge-1"), stepNumber("")], [11, 1234, 0, 0]);
	assert.deepEqual([stepNumber("a-step-1"), stepNumber("step-1a")], [0, 0]);
});

test("usage that is not known is not zero", () => {
	assert.deepEqual(addUsage(cost(null), cost(null)).costUsd, null);
	assert.deepEqual([addUsage(cost(null), cost(2)).costUsd, addUsage(cost(1), cost(2)).costUsd], [2, 3]);
});

test("D-72 an error is on failed and cancelled steps only, a skip reason on skipped ones only", () => {
	const w = new World(
		linear({
			a: { on: { agent_error: { action: "retry", max: 1 } } },
			b: { when: [{ field: "x", op: "set" }] },
			c: { on: { retry: { action: "goto", target: "a", set: { x: "1" }, max: 1 } } },
		}),
	);
	w.play({ a: [{ signal: "agent_error", error: "exit 1" }, {}], c: [{ signal: "retry" }, {}] });
	assert.deepEqual(
		w.scope().steps.map((s) => [s.status, s.error, s.skipReason]),
		[
			["completed", null, null],
			["completed", null, null],
			["completed", null, null],
		],
	);
});
