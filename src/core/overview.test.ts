// How far a run has come.
import assert from "node:assert/strict";
import { test } from "node:test";
import { progressOf } from "./overview.ts";
import { dynamic } from "./testing/builders.suite.ts";
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
