// How far a run has come.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overviewOf, progressOf } from "./overview.ts";
import { dynamic, linear, stories, storyOf } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

test("a failed story counts for nothing, and only a run whose stories are all completed is at 100 %", () => {
	const world = new World(dynamic(), { stories: ["A", "B"] });
	world.play({ "A merge": { signal: "merged" }, "B merge": { signal: "empty", error: "nothing was changed" } });
	assert.deepEqual(world.stories(), { A: "completed", B: "failed" });
	const progress = progressOf(world.state, world.at);
	assert.deepEqual([progress?.percent, progress?.storiesCompleted, progress?.storiesTotal], [50, 1, 2]);

	const merging = new World(dynamic(), { stories: ["A"] }).until("merge");
	assert.ok((progressOf(merging.state, merging.at)?.percent ?? 0) < 100);
	merging.play({ merge: { signal: "merged" } });
	assert.equal(progressOf(merging.state, merging.at)?.percent, 100);
});

test("how far a run is: by the steps of running stories, in phases, and when it may be done at this pace", () => {
	const definition = stories({ one: {}, two: {} }, {}, { steps: ["stories", "after"], types: { after: { scope: "run" } } });
	const w = new World(definition, {
		stories: [
			storyOf("A", { group: "1" }),
			storyOf("B", { group: "2" }),
			storyOf("C", { group: "2" }),
			storyOf("P", { group: "1", passes: true }),
		],
		options: { budgets: { cost: 5 }, allowUnknownCost: true },
	});
	const of = () => overviewOf(w.state, w.at);
	assert.deepEqual(of().progress, { percent: 25, storiesCompleted: 1, storiesTotal: 4, phases: { completed: 0, total: 2 }, etaMs: null });
	assert.deepEqual([of().costUsd, of().maxCostUsd, of().waiting, of().version], [null, 5, 0, w.state.version]);
	w.at += 1000;
	w.end("A one", { usage: { costUsd: 1, inputTokens: null, outputTokens: null } });
	assert.equal(of().progress?.percent, 37, "a half of the second story");
	w.end("A two", { usage: { costUsd: 1, inputTokens: null, outputTokens: null } });
	assert.deepEqual(of().progress, { percent: 50, storiesCompleted: 2, storiesTotal: 4, phases: { completed: 1, total: 2 }, etaMs: 2000 });
	assert.equal(of().costUsd, 2);
	w.play({ after: null });
	assert.deepEqual(
		[of().progress?.percent, of().progress?.storiesCompleted, of().progress?.etaMs],
		[99, 4, null],
		"what comes after the stories is left",
	);
	w.play();
	assert.deepEqual([w.state.status, of().progress?.percent], ["completed", 100]);
});

test("a run without stories has no progress, one without groups no phases; a run that is over says no time", () => {
	assert.equal(progressOf(new World(linear({ work: {} })).state, 0), null);
	const w = new World(stories({ one: { on: { bad: { action: "fail", target: "story" } } } }), { stories: ["A", "B", "C"] });
	w.end("A one");
	w.at += 10;
	assert.equal(progressOf(w.state, w.at)?.phases, null);
	assert.equal(progressOf(w.state, w.at)?.etaMs, 20);
	w.end("B one", { signal: "bad" });
	w.end("C one", { signal: "bad" });
	assert.deepEqual([w.state.status, progressOf(w.state, w.at)?.etaMs, progressOf(w.state, w.at)?.percent], ["failed", null, 33]);
	const waits = new World(linear({ ask: { kind: "approval", on: { approved: { action: "next" } } } }));
	assert.equal(overviewOf(waits.state, 0).waiting, 1);
	assert.equal(overviewOf(waits.state, 0).maxCostUsd, null);
});
