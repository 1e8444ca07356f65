// A run that stops by itself while sessions are under way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const definition = stories({ work: { on: { enough: { action: "stop" } } } });

test("G-16 Ctrl-C ends the running sessions in a run that a route has stopped", () => {
	const w = new World(definition, { stories: ["A", "B"], options: { agents: 2 } });
	w.end("A work", { signal: "enough" });
	assert.deepEqual([w.state.status, w.jobs.map((job) => job.scope)], ["stopped", ["B"]]);
	w.feed({ type: "stop", how: "interrupt" });
	assert.deepEqual(
		w.asked("cancel_attempt").map((c) => c.scope),
		["B"],
	);
	w.end("B work", "cancelled");
	assert.equal(w.state.status, "stopped");
	w.feed({ type: "resume" });
	assert.deepEqual([w.state.status, w.jobs.length], ["running", 2]);
});

test("G-13 the cost of a cancelled session is recorded where it is known", () => {
	const w = new World({ ...definition, budgets: { cost: { unit: "cost", limit: 10, scope: "run", warnAt: [] } } }, { stories: ["A"] });
	const { scope, step, attempt } = w.job("A work");
	const usage = { costUsd: 0.5, inputTokens: 10, outputTokens: 1 };
	w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "interrupted", usage });
	assert.deepEqual([w.state.totals.costUsd, w.state.budgets["cost"]?.spent], [0.5, 0.5]);
});
