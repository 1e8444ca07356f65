import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, storyOf } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { RunsContext } from "../context.ts";
import { changesInList, inputsFor, storyChanges } from "./story-changes.ts";

test("T-10: takes up new stories and changes of unfinished ones; names changes of finished and removed ones", () => {
	const world = new World(dynamic(), { stories: ["DONE", "OPEN", "GONE"], options: { base: "main" } });
	world.until("OPEN context_gathering", { merge: { signal: "merged" } });
	const now = [storyOf("DONE", { criteria: ["another"] }), storyOf("OPEN", { criteria: ["it holds", "criterion-new"] }), storyOf("NEW")];
	const changes = storyChanges(world.state, now, "prd.json");
	assert.deepEqual([changes.added.map((s) => s.id), changes.changed.map((s) => s.id)], [["NEW"], ["OPEN"]]);
	assert.deepEqual(changes.notes, [
		"new in prd.json: NEW",
		"changed in prd.json; pawl takes the change up: OPEN",
		"changed in prd.json, but already done; pawl ignores the change: DONE",
		"no longer in prd.json, but still part of the run: GONE",
	]);
	for (const { at: _, ...input } of inputsFor(changes, world.at)) world.feed(input);
	assert.deepEqual(world.story("OPEN").criteria, ["it holds", "criterion-new"]);
	assert.deepEqual(storyChanges(world.state, now, "prd.json").changed, []);
	// The core itself changes nothing that is done.
	world.feed({ type: "add_stories", stories: [], changed: [storyOf("DONE", { title: "other" })] });
	assert.notEqual(world.story("DONE").title, "other");
});

test("G-20: reports a list that can no longer be read", async () => {
	const services = { storiesNow: async () => ({ file: "prd.json", problem: "there is no such file" }) };
	const { notes } = await changesInList({ services } as unknown as RunsContext, new World(dynamic(), { stories: ["A"] }).state);
	assert.deepEqual(notes, ["pawl ignores the changes in prd.json: there is no such file"]);
});
