import assert from "node:assert/strict";
import { test } from "node:test";
import type { PromptContext } from "../../format.ts";
import { promptAdditions } from "./memory.ts";

const of = (slots: readonly number[], promptText: string) =>
	({
		state: {
			definition: { name: "mini", roles: {}, foreign: { pipeline: { steps: [] } } },
			options: { slots },
			input: {},
			stories: [],
			root: { fields: {} },
		},
		scope: "@run",
		role: "planner",
		writes: false,
		repository: { root: "/nowhere" },
		promptText,
	}) as unknown as PromptContext;

const asked = async (slots: readonly number[], text: string) =>
	((await promptAdditions(of(slots, text)))?.surroundings ?? []).join("\n").includes("depends_on");

test("T-18 with several agents the planner is asked what each story needs, where its input does not", async () => {
	assert.equal(await asked([1, 2], "Answer with STORIES_JSON"), true);
	assert.equal(await asked([1], "Answer with STORIES_JSON"), false);
	assert.equal(await asked([1, 2], 'STORIES_JSON: [{"depends_on": []}]'), false);
	assert.equal(await asked([1, 2], "Implement it"), false);
});
