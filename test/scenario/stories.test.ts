// What one-shot shares with stories side by side: scratch files, edit files and failures of several stories at once.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { WorkflowState } from "../../src/format/workflow-state/document.ts";
import { commit, echoTo, edit, exit, type FakeAgent, fakeAgent, write } from "../support/fake-agent.ts";
import { pawlExits, runFolder, STEP_TYPES, stateFile } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { exists, git, list, put, read, repository } from "../support/scratch.ts";

const prd = (...ids: readonly string[]) =>
	JSON.stringify({
		project: "p",
		branchName: "main",
		description: "d",
		userStories: ids.map((id) => ({
			id,
			title: `Story ${id}`,
			description: `Do ${id}`,
			acceptanceCriteria: [`${id} is there`],
			priority: 1,
			passes: false,
			notes: "",
		})),
	});
const own = [
	write("work.txt", ""),
	'echo "$PAWL_STORY_ID" > "work-$PAWL_STORY_ID.txt"; rm -f work.txt',
	"git add -A; git commit -q -m work",
];
const run = (repo: string, agent: FakeAgent, agents: number, code: number) =>
	pawlExits(code, ["run", "dynamic", "--prd", "prd.json", "--agents", String(agents), "--agent-command", agent.command], { cwd: repo });

describe("three stories, two of which fail at the same moment", () => {
	let repo: string;
	let agent: FakeAgent;
	let state: WorkflowState;

	before(async () => {
		repo = repository();
		put(repo, { "prd.json": prd("US-1", "US-2", "US-3") });
		const meet = ['touch "$home/at-$PAWL_STORY_ID"', 'while [ ! -e "$home/at-US-1" ] || [ ! -e "$home/at-US-2" ]; do sleep 0.01; done'];
		agent = fakeAgent([
			{ when: { type: "context_gathering" }, do: ['echo "only-$PAWL_STORY_ID" >> "$PAWL_SHARED_DIR/scratch_$PAWL_STORY_ID.md"'] },
			{ when: { type: "planning", story: "US-1" }, do: [...meet, exit(3)] },
			{ when: { type: "planning", story: "US-2" }, do: [...meet, exit(4)] },
			{
				when: { type: "coding", story: "US-3" },
				do: [
					'while ! grep -q US-2 "$PAWL_SHARED_DIR/scratch.md" || ! grep -q US-1 "$PAWL_SHARED_DIR/scratch.md"; do sleep 0.01; done',
					...own,
				],
			},
		]);
		await run(repo, agent, 3, 1);
		state = stateFile(repo);
	});

	it("D-15 D-123 has both failures in the global scratch file, each whole on a line of its own", () => {
		const lines = read(runFolder(repo), "scratch.md")
			.split("\n")
			.filter((line) => line !== "");
		assert.equal(lines.length, 2);
		for (const id of ["US-1", "US-2"])
			assert.ok(
				lines.some((line) => new RegExp(`^- \\[pawl \\S+Z\\] story ${id} failed: step-002 \\(planning\\)`).test(line)),
				lines.join("\n"),
			);
	});
	it("D-66 D-143 leaves the third story alone, which completes", () => {
		assert.deepEqual(
			Object.values(state.stories).map((s) => s.status),
			["failed", "failed", "completed"],
		);
		assert.equal(git(repo, "show", "main:work-US-3.txt"), "US-3");
	});
	it("D-17 D-123 shows a story the global scratch file and its own, and nobody else's", () => {
		const [prompt = ""] = agent
			.calls()
			.filter((call) => call.story === "US-3" && call.type === "linting")
			.map((call) => call.prompt);
		assert.match(prompt, /only-US-3/);
		assert.doesNotMatch(prompt, /only-US-[12]/);
		assert.match(prompt, /story US-1 failed/);
		assert.match(prompt, /story US-2 failed/);
	});
	it("D-16 D-18 archives the scratch file of the completed story and keeps those of the failed ones", () => {
		assert.deepEqual(list(runFolder(repo), "archive"), ["scratch_US-3.md"]);
		for (const id of ["US-1", "US-2"]) assert.match(read(runFolder(repo), `scratch_${id}.md`), new RegExp(`only-${id}`));
		assert.ok(!exists(runFolder(repo), "scratch_US-3.md"));
	});
});

describe("an agent that writes another story's edit file", () => {
	it("D-100 D-101 is not obeyed: the file is set aside before that story's step starts", async () => {
		const repo = quickRepository();
		put(repo, { "prd.json": prd("US-1", "US-2") });
		const skip = [{ operation: "skip", target_step_id: "step-009", reason: "planted" }];
		const agent = quickAgent([
			{ when: { type: "planning", story: "US-1" }, do: [edit(skip, "US-2")] },
			{ when: { type: "coding" }, do: [echoTo("work-$PAWL_STORY_ID.txt", "$PAWL_STORY_ID"), commit("work")] },
		]);
		await run(repo, agent, 1, 0);
		assert.deepEqual(agent.types(), [...STEP_TYPES, ...STEP_TYPES]);
		assert.ok(list(runFolder(repo), "workflow_edits/quarantine").some((name) => name.startsWith("US-2-step-001")));
		assert.ok(!JSON.stringify(stateFile(repo)).includes("planted"));
	});
});
