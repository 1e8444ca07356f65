// A step that asks to run again from its start: what pawl keeps of the first try, how often it may restart, and what happens the fourth time.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { MemorySite } from "../../src/engine/testing/memory-site.suite.ts";
import type { StoryRecord } from "../../src/format/workflow-state/document.ts";
import { commit, edit, exit, type FakeAgent, fakeAgent, say, usage, write } from "../support/fake-agent.ts";
import { type Ended, runDynamic, runFolder, step, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository, quickSite } from "../support/quick-pawl.ts";
import { exists, git, list, read, repository } from "../support/scratch.ts";

const restart = (nth: number) => ({
	operation: "restart",
	target_step_id: "$PAWL_STEP_ID",
	reason: `went wrong ${nth}`,
	new_description: `try ${nth + 1} is better`,
});
const wrongTry = (nth: number) => ({
	when: { type: "coding", nth },
	do: [
		usage({ input_tokens: 10, output_tokens: 1, cost_usd: 0.5 }),
		write(`wrong-${nth}.txt`, `committed ${nth}\n`),
		commit("the wrong way"),
		write(`loose-${nth}.txt`, `untracked ${nth}\n`),
		edit([restart(nth)]),
		say(`output of try ${nth}`),
	],
});

describe("three restarts and a good end", () => {
	let repo: string;
	let agent: FakeAgent;
	let after: StoryRecord;

	before(async () => {
		repo = repository();
		agent = fakeAgent([wrongTry(1), wrongTry(2), wrongTry(3)]);
		await runDynamic(repo, agent);
		after = story(repo);
	});

	it("D-48 D-54 runs the same step again with the new description, three times", () => {
		const calls = agent.of("coding");
		assert.deepEqual(
			calls.map((call) => call.step),
			Array(4).fill("step-005"),
		);
		assert.match(calls[1]?.prompt ?? "", /try 2 is better/);
		assert.match(calls[3]?.prompt ?? "", /try 4 is better/);
		const { status, restart_count, description } = step(after, "coding");
		assert.deepEqual([status, restart_count, description], ["completed", 3, "try 4 is better"]);
	});
	it("D-125 D-122 begins each time at the commit that the step began at, with nothing of the try before", () => {
		assert.equal(new Set(agent.of("coding").map((call) => call.head)).size, 1);
		assert.deepEqual(git(repo, "ls-files").split("\n"), ["README.md", "work/step-005.txt"]);
		assert.ok(!exists(repo, "loose-1.txt"));
		assert.equal(git(repo, "log", "--format=%s").split("\n").length, 2);
	});
	it("D-125 keeps the diff of every try, commits and untracked files alike", () => {
		assert.deepEqual(
			list(runFolder(repo), "restarts"),
			[1, 2, 3].map((n) => `one-shot-step-005-${n}.diff`),
		);
		for (const n of [1, 2, 3]) {
			const diff = read(runFolder(repo), `restarts/one-shot-step-005-${n}.diff`);
			assert.match(diff, new RegExp(`committed ${n}`));
			assert.match(diff, new RegExp(`untracked ${n}`));
		}
	});
	it("D-56 D-79 records reason, old and new description", () => {
		const entries = after.history.filter((entry) => entry.details["operation"] === "restart");
		assert.deepEqual(
			entries.map(({ action, details }) => [action, details["reason"], details["old_description"], details["new_description"]]),
			[
				["workflow_edit", "went wrong 1", "Implement the changes", "try 2 is better"],
				["workflow_edit", "went wrong 2", "try 2 is better", "try 3 is better"],
				["workflow_edit", "went wrong 3", "try 3 is better", "try 4 is better"],
			],
		);
	});
	it("D-118 keeps the output of every try", () => {
		const log = read(runFolder(repo), "logs/one-shot/step-005.jsonl");
		for (const n of [1, 2, 3]) assert.ok(log.includes(`output of try ${n}`));
		const attempts = log.split("\n").filter((line) => line !== "" && (JSON.parse(line) as { type?: string }).type === "attempt");
		assert.equal(attempts.length, 4);
	});
	it("D-73 adds up what the tries cost", () => {
		assert.equal(step(after, "coding").cost_usd, 1.5);
	});
	it("D-126 keeps state, scratch and logs out of reach of the reset", () => {
		assert.equal(after.status, "completed");
		assert.ok(exists(runFolder(repo), "logs/one-shot/step-001.jsonl"));
	});
});

describe("a fourth restart", () => {
	let repo: string;
	let memory: MemorySite;
	let agent: FakeAgent;
	let ended: Ended;

	before(async () => {
		({ root: repo, memory } = quickSite());
		agent = quickAgent([wrongTry(1), wrongTry(2), wrongTry(3), wrongTry(4)]);
		ended = await runDynamic(repo, agent, [], 1);
	});

	it("D-55 fails the step with the limit as its error, and with it the story", () => {
		assert.equal(agent.of("coding").length, 4);
		const after = story(repo);
		assert.equal(after.status, "failed");
		const failed = step(after, "coding");
		assert.deepEqual([failed.status, failed.restart_count], ["failed", 3]);
		assert.match(failed.error ?? "", /restart limit/);
		assert.match(ended.all, /restart limit/);
	});
	it("D-55 D-120 D-122 sets its file aside, saves its diff and puts the tree back", () => {
		assert.match(read(runFolder(repo), "workflow_edits/rejected/one-shot-step-005-4.reason.txt"), /restart limit/);
		assert.match(read(runFolder(repo), "failures/one-shot-step-005.diff"), /committed 4/);
		assert.deepEqual(memory.user.look(), memory.user.committed());
		assert.deepEqual(memory.subjects("main"), ["first"]);
	});
	it("D-51 D-124 starts nothing more", () => {
		assert.equal(agent.types().at(-1), "coding");
		assert.ok(
			story(repo)
				.steps.slice(5)
				.every((s) => s.status === "pending"),
		);
	});
});

describe("restarts together with something else", () => {
	it("D-104 takes the other operations of the file first, then restarts", async () => {
		const repo = quickRepository();
		const add = {
			operation: "add_after",
			target_step_id: "step-005",
			reason: "more",
			new_steps: [{ type: "linting", description: "lint twice" }],
		};
		const agent = quickAgent([{ when: { type: "planning", nth: 1 }, do: [edit([restart(1), add])] }]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types().slice(0, 7), [
			"context_gathering",
			"planning",
			"planning",
			"architecture",
			"test_architecture",
			"coding",
			"linting",
		]);
		assert.equal(agent.calls()[6]?.step, "step-011");
		assert.equal(step(story(repo), "planning").restart_count, 1);
	});
	it("D-53 D-119 forgets the restart of a try that failed", async () => {
		const repo = quickRepository();
		const agent = quickAgent([{ when: { type: "coding" }, do: [edit([restart(1)]), exit(3)] }]);
		await runDynamic(repo, agent, [], 1);
		assert.equal(agent.of("coding").length, 1);
		assert.ok(exists(runFolder(repo), "workflow_edits/failed/one-shot-step-005-1.json"));
	});
});
