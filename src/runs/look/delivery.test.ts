import assert from "node:assert/strict";
import { test } from "node:test";
import { linear } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { History } from "../../workspace.ts";
import { deliveryOf } from "./delivery.ts";

test("in the user's tree a run made what is on the branch since its start, but for what others made, and what came after its end", async () => {
	const { state, events } = new World(linear({ work: {} }));
	const history = {
		commits: async () => [
			{ sha: "a", subject: "its own", at: 1000 },
			{ sha: "b", subject: "a person's", at: 2000 },
			{ sha: "c", subject: "its own, too", at: 3000 },
			{ sha: "d", subject: "of a later run", at: 4000 },
		],
		commitsOfOthers: async () => ["b"],
	} as unknown as History;
	const inputs = { [state.options.mode]: { workspace: "tree" } } as unknown as typeof state.definition.inputs;
	const definition = { ...state.definition, inputs };
	const made = async (endedAt: number | null) => (await deliveryOf(history, events, { ...state, definition, endedAt })).commits;
	assert.deepEqual(await made(3999), [
		{ sha: "a", subject: "its own" },
		{ sha: "c", subject: "its own, too" },
	]);
	assert.equal((await made(null)).length, 3, "it goes on");
	const undone = [{ scope: "@run", commit: "a", by: "c" }];
	const after = await deliveryOf(history, events, { ...state, definition, endedAt: null, undone });
	assert.deepEqual(
		after.commits.map(({ sha }) => sha),
		["a", "d"],
		"what takes work back is nobody's work",
	);
});
