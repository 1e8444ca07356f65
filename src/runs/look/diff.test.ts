// What a run without stories changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear, stories } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { DiffOf } from "../../workspace.ts";
import type { OpenRun } from "../open.ts";
import { diffIn } from "./diff.ts";

const opened = (world: World, asked: DiffOf[]): OpenRun =>
	({
		state: { ...world.state, branch: "fix/it" },
		events: world.events,
		repository: {
			diff: async (of: DiffOf) => {
				asked.push(of);
				return "a patch";
			},
			commits: async () => [{ sha: "1".repeat(40), subject: "one" }],
		},
	}) as unknown as OpenRun;

test("X-02: without stories the diff is what the run changed on its branch; with stories, `run` says so", async () => {
	const asked: DiffOf[] = [];
	const { story, patch, commits } = await diffIn(opened(new World(linear({ fix: {} })), asked), undefined);
	assert.deepEqual([story, patch, commits.length], ["run", "a patch", 1]);
	const two = new World(stories({ fix: {} }), { stories: ["A", "B"] });
	await assert.rejects(diffIn(opened(two, asked), undefined), /which story\? there are A, B/);
	assert.equal((await diffIn(opened(two, asked), "run")).story, "run");
	assert.deepEqual(
		asked.map((of) => ("to" in of ? of.to : "")),
		["fix/it", "fix/it"],
	);
});
