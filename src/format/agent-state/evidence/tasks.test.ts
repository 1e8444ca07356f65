// The evidence `tasks`: what pawl itself sees in a new list of tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentAnswer, StepContext } from "../../../format.ts";
import { tasks } from "./tasks.ts";

const look = async (lists: readonly (readonly string[])[], told = "") => {
	const failing = told === "" ? [] : [{ name: "tasks", command: "TASKS_JSON", exitCode: 1, output: told, step: "", said: true }];
	const approved = {
		id: "1.1",
		status: "in_progress",
		title: "t",
		description: "d",
		criteria: ["It looks good"],
		scope: { id: "1.1", failing },
	};
	const context = { state: { stories: [approved] }, scope: "1.1" } as unknown as StepContext;
	const stories = lists.map((criteria, i) => ({ id: `1.${i + 2}`, title: "t", description: "d", criteria, priority: 1, dependsOn: [] }));
	const answer: AgentAnswer = { result: "ok", text: "", signal: "done", fields: {}, stories, problem: null };
	const [result] = await tasks(context, answer);
	assert.ok(result);
	return result;
};

test("G-19 a new task whose criteria are all a matter of taste is said back once, by its label", async () => {
	const first = await look([["The page looks nice", "It works well."], ["Notes are written"]]);
	assert.equal(first.exitCode, 1);
	assert.match(first.output, /^1\.2 has no criterion that can be checked \(The page looks nice; It works well\.\): say what can be seen/);
	assert.equal((await look([["The page looks nice", "It works well."]], first.output)).exitCode, 0, "whoever insists has it so");
});

test("G-19 what can be looked at, run or was approved as it is passes", async () => {
	for (const criteria of [
		["It looks nice", "Tests pass `npm test`"],
		["`fold` handles lists well"],
		["The README names the flag"],
		["It looks good"],
	])
		assert.deepEqual([criteria, (await look([criteria])).output], [criteria, ""]);
});

test("G-16 a list that pawl has looked at itself is not the word of an agent", async () => {
	const passed = await look([["Notes are written"]]);
	assert.deepEqual([passed.exitCode, passed.said], [0, undefined]);
});
