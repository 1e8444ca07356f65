// A step that goes wrong: what pawl keeps, what it puts back, what it tells people and the next agents, and that nothing is lost.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { StoryRecord } from "../../src/format/workflow-state/document.ts";
import { commit, edit, exit, type FakeAgent, fakeAgent, HANG, LEAVE, say, write } from "../support/fake-agent.ts";
import { type Ended, exited, pawlExits, runDynamic, runFolder, startPawl, step, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository, quickSite } from "../support/quick-pawl.ts";
import { exists, git, list, put, read, repository, until } from "../support/scratch.ts";

describe("an agent that exits with an error", () => {
	let repo: string;
	let agent: FakeAgent;
	let ended: Ended;
	let after: StoryRecord;

	before(async () => {
		repo = repository({ "tracked.txt": "as it was\n", ".gitignore": "ignored.txt\n" });
		put(repo, { "ignored.txt": "the user's own\n" });
		agent = fakeAgent([
			{ when: { type: "coding" }, do: [write("good.txt", "good\n"), commit("an earlier step's work")] },
			{
				when: { type: "linting" },
				do: [
					write("committed.txt", "c-5512\n"),
					commit("half"),
					write("tracked.txt", "t-5513\n"),
					write("loose.txt", "l-5514\n"),
					"rm README.md",
					edit([{ operation: "skip", target_step_id: "step-009", reason: "x" }]),
					say("words before the end"),
					"echo complaint-1177 >&2",
					exit(3),
				],
			},
		]);
		ended = await runDynamic(repo, agent, [], 1);
		after = story(repo);
	});

	it("D-46 D-61 D-123 fails step and story, with the reason", () => {
		assert.equal(step(after, "linting").status, "failed");
		assert.match(step(after, "linting").error ?? "", /exit(ed)?( with)?( code)? 3|3/);
		assert.equal(after.status, "failed");
		assert.deepEqual(
			after.history.slice(-3).map((entry) => entry.action),
			["step_started", "step_failed", "story_failed"],
		);
	});
	it("D-51 D-124 calls nobody again", () => {
		assert.deepEqual(agent.types().slice(-2), ["coding", "linting"]);
	});
	it("D-120 D-121 X-15 saves commits, changes, deletions and untracked files as one diff, and says where", () => {
		const file = `${runFolder(repo)}/failures/one-shot-step-006.diff`;
		const diff = read(file);
		for (const mark of ["c-5512", "t-5513", "l-5514", "deleted file"]) assert.ok(diff.includes(mark), mark);
		assert.doesNotMatch(diff, /good\.txt/);
		assert.ok(ended.all.includes(file));
		git(repo, "apply", "--check", file);
	});
	it("D-122 puts the tree back to the step's start: earlier work stays, ignored files stay", () => {
		assert.equal(git(repo, "rev-parse", "HEAD"), agent.of("linting")[0]?.head);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.ok(exists(repo, "good.txt"));
		assert.equal(read(repo, "tracked.txt"), "as it was\n");
		assert.equal(read(repo, "ignored.txt"), "the user's own\n");
	});
	it("D-119 does not apply its edits and sets them apart", () => {
		assert.equal(step(after, "step-009").status, "pending");
		assert.deepEqual(list(runFolder(repo), "workflow_edits/failed"), ["one-shot-step-006-1.json", "one-shot-step-006-1.reason.txt"]);
		assert.ok(!exists(runFolder(repo), "workflow_edits/one-shot.json"));
	});
	it("D-117 keeps its output", () => {
		const log = read(runFolder(repo), "logs/one-shot/step-006.jsonl");
		for (const line of log.trimEnd().split("\n")) JSON.parse(line);
		assert.match(log, /words before the end/);
		assert.match(log, /complaint-1177/);
	});
	it("D-123 D-126 D-18 tells the others in the global scratch file; the story's own stays", () => {
		assert.match(read(runFolder(repo), "scratch.md"), /story one-shot failed: step-006/);
		assert.ok(!exists(runFolder(repo), "archive"));
	});
	it("D-65 goes on from the failed step when a person says retry", async () => {
		put(agent.home, { agent: read(agent.home, "agent").replace("exit 3", "exit 0") });
		await pawlExits(0, ["retry"], { cwd: repo });
		assert.equal(story(repo).status, "completed");
		assert.deepEqual(agent.types().slice(5, 8), ["linting", "linting", "initial_testing"]);
	});
});

describe("an agent that takes too long", () => {
	it("D-116 D-47 D-41 D-119 D-120 ends it and all that it started, and cancels the step with the time as its error", async () => {
		const repo = repository();
		const agent = fakeAgent([{ when: { type: "coding" }, do: [write("half.txt", "h-6001\n"), edit([]), LEAVE, `trap '' TERM`, HANG] }]);
		await runDynamic(repo, agent, ["--timeout", "coding=500ms"], 1);
		const after = story(repo);
		const late = step(after, "coding");
		assert.equal(late.status, "cancelled");
		assert.match(late.error ?? "", /time/i);
		assert.equal(after.status, "failed");
		assert.deepEqual(agent.left(), []);
		assert.match(read(runFolder(repo), "failures/one-shot-step-005.diff"), /h-6001/);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.ok(exists(runFolder(repo), "workflow_edits/failed/one-shot-step-005-1.json"));
		assert.ok(after.history.some((entry) => entry.action === "step_cancelled" && entry.step_id === "step-005"));
		for (const line of read(runFolder(repo), "logs/one-shot/step-005.jsonl").trimEnd().split("\n")) JSON.parse(line);
	});
	it("D-33 D-34 D-35 D-36 D-37 D-42 tells every step its time limit", async () => {
		const repo = quickRepository();
		const agent = quickAgent();
		const dry = await pawlExits(
			0,
			["run", "dynamic", "Add a file", "--agent-command", agent.command, "--dry-run", "--json", "--timeout", "review=90s"],
			{ cwd: repo },
		);
		const { prompts } = JSON.parse(dry.stdout) as { prompts: { type: string; prompt: string }[] };
		const limits = Object.fromEntries(prompts.map(({ type, prompt }) => [type, /time limit (\d+ \w+)/.exec(prompt)?.[1]]));
		assert.deepEqual(limits, {
			context_gathering: "15 minutes",
			planning: "10 minutes",
			architecture: "10 minutes",
			test_architecture: "10 minutes",
			coding: "30 minutes",
			linting: "5 minutes",
			initial_testing: "20 minutes",
			review: "2 minutes",
			prune_tests: "10 minutes",
			final_review: "15 minutes",
		});
		assert.match((await pawlExits(0, ["workflow", "show", "dynamic"], { cwd: repo })).stdout, /rebase_resolve:[^\n]*\n[^\n]*15m/);
	});
	it("D-116 ends what an agent left running although it ended well", async () => {
		const repo = repository();
		const agent = fakeAgent([{ when: { type: "planning" }, do: [LEAVE] }]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.left(), []);
	});
});

describe("a person who stops the run", () => {
	for (const [signal, code] of [
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const)
		it(`D-47 X-03 ${signal} cancels the running step, leaves nothing behind, exits ${code}, and the run can be resumed`, async () => {
			const repo = repository();
			const agent = fakeAgent([
				{ when: { type: "coding", nth: 1 }, do: [write("half.txt", "half-3\n"), LEAVE, ': > "$home/there"', HANG] },
			]);
			const started = startPawl(["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: repo });
			await until("the coding step", () => exists(agent.flag("there")));
			started.child.kill(signal);
			exited(await started.done, code);
			const after = story(repo);
			assert.equal(after.status, "in_progress");
			assert.equal(step(after, "step-005").status, "cancelled");
			assert.deepEqual(agent.left(), []);
			assert.equal(git(repo, "status", "--porcelain"), "");
			assert.match(read(runFolder(repo), "failures/one-shot-step-005.diff"), /half-3/);
			await pawlExits(0, ["resume"], { cwd: repo });
			assert.equal(story(repo).status, "completed");
			assert.deepEqual(agent.types().slice(4, 7), ["coding", "coding", "linting"]);
		});
});

describe("a story that changes nothing", () => {
	it("X-19 fails, and says why", async () => {
		const { root: repo, memory } = quickSite();
		const ended = await runDynamic(repo, quickAgent([{ when: { type: "coding" }, do: [":"] }]), [], 1);
		assert.match(ended.all, /nothing was changed/);
		assert.deepEqual(memory.subjects("main"), ["first"]);
	});
});
