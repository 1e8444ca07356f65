// workflow_state.json as a file: who writes it and how, its lock, and what a crash between two writes leaves.
import assert from "node:assert/strict";
import { readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseWorkflowState } from "../../src/format/workflow-state/document.ts";
import { StateFile } from "../../src/format/workflow-state/state-file.ts";
import { lockFile } from "../../src/store/sqlite-file.ts";
import { edit, fakeAgent, write } from "../support/fake-agent.ts";
import { exited, kill9, pawl, pawlExits, runFolder, STEP_TYPES, startPawl, stateFile, step, story, storyOf } from "../support/pawl.ts";
import { exists, git, list, put, read, repository, scratchFolder, until } from "../support/scratch.ts";

const dynamic = (agent: { readonly command: string }) => ["run", "dynamic", "Add a file", "--agent-command", agent.command];
const LOOK_MS = 3;
/** Until the test says so. */
const WAIT = 'while [ ! -e "$home/go" ]; do sleep 0.02; done';
const add = (target: string) => [
	{ operation: "add_after", target_step_id: target, reason: "more", new_steps: [{ type: "prune_tests", description: "again" }] },
];

describe("writing the state file", () => {
	it("D-107 D-110 is whole whenever anybody looks, through a run with many edits", async () => {
		const repo = repository();
		const agent = fakeAgent([
			{ when: { type: "planning" }, do: [edit(add("step-009"))] },
			{ when: { type: "review" }, do: [edit(add("step-009"))] },
		]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("the state file", () => exists(repo, ".pawl/latest/workflow_state.json"));
		let [looks, over] = [0, false];
		void started.done.then(() => {
			over = true;
		});
		const seen = new Set<string>();
		while (!over) {
			const text = read(repo, ".pawl/latest/workflow_state.json");
			assert.equal(parseWorkflowState(text).ok, true, text.slice(0, 200));
			seen.add(text);
			looks++;
			// Often enough to meet a half-written file, and seldom enough to leave the processor to the run.
			await new Promise((next) => setTimeout(next, LOOK_MS));
		}
		exited(await started.done, 0);
		assert.ok(looks > 10 && seen.size > 5, `${looks} looks, ${seen.size} versions`);
	});
	it("D-107 is replaced by a rename, with nothing left beside it", async () => {
		const repo = repository();
		const agent = fakeAgent([
			{
				when: { type: "context_gathering" },
				do: ['touch "$home/first"', 'while [ ! -e "$home/watching" ]; do sleep 0.02; done'],
			},
		]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("the first step", () => exists(agent.flag("first")));
		const kinds: string[] = [];
		const watcher = watch(runFolder(repo), (kind, name) => void (name === "workflow_state.json" && kinds.push(kind)));
		put(agent.home, { watching: "" });
		exited(await started.done, 0);
		watcher.close();
		assert.ok(kinds.length > 0 && kinds.every((kind) => kind === "rename"), kinds.join(" "));
		assert.deepEqual(
			readdirSync(runFolder(repo)).filter((name) => name.includes(".tmp")),
			[],
		);
	});
	it("D-108 waits while another process has the lock, and goes on when it is free", async () => {
		const repo = repository();
		const agent = fakeAgent([{ when: { type: "planning" }, do: ['touch "$home/there"', WAIT] }]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("planning", () => exists(agent.flag("there")));
		const lock = await until("the lock", () => lockFile(join(runFolder(repo), "workflow_state.json.lock")));
		const before = read(runFolder(repo), "workflow_state.json");
		put(agent.home, { go: "" });
		await until("the end of planning", () => started.said().includes("step-003"));
		assert.equal(read(runFolder(repo), "workflow_state.json"), before);
		assert.equal(agent.of("architecture").length, 0, "no agent starts before the file says so");
		lock.close();
		exited(await started.done, 0);
		assert.equal(story(repo).status, "completed");
	});
	it("D-108 gives up after a while with an error that names the lock", async () => {
		const folder = scratchFolder("lock");
		const lock = lockFile(join(folder, "workflow_state.json.lock"));
		const file = new StateFile({
			sharedDir: folder,
			prdFile: null,
			createdAt: 0,
			lock: (path) => {
				const held = lockFile(path);
				return held === null ? null : { release: () => held.close() };
			},
			lockMs: 100,
		});
		await assert.rejects(file.write(), /lock .*workflow_state\.json\.lock for more than 0\.1 s/);
		lock?.close();
		await file.write();
		assert.equal(parseWorkflowState(read(folder, "workflow_state.json")).ok, true);
	});
	it("D-108 D-109 uses a lock file of its own, which is free again when its owner is killed", async () => {
		const repo = repository();
		const agent = fakeAgent([{ when: { type: "planning", nth: 1 }, do: ['touch "$home/there"', "sleep 100"] }]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("planning", () => exists(agent.flag("there")));
		assert.ok(exists(runFolder(repo), "workflow_state.json.lock"));
		await kill9(started);
		await pawlExits(0, ["resume"], { cwd: repo });
		assert.equal(story(repo).status, "completed");
	});
});

describe("D-111 D-114 D-115 a crash around the end of a step with edits", () => {
	// Each place in process: src/engine/crash.test.ts.
	for (const at of ["after attempt_ended#2"])
		it(`${at}: after resume the edit has been applied once`, async () => {
			const repo = repository();
			const agent = fakeAgent([{ when: { type: "planning" }, do: [edit(add("step-009"))] }]);
			const crashed = await pawl(dynamic(agent), { cwd: repo, env: { PAWL_CRASH_AT: at } });
			assert.equal(crashed.signal, "SIGKILL");
			await pawlExits(0, ["resume"], { cwd: repo });
			const done = story(repo);
			assert.equal(done.status, "completed");
			assert.equal(done.steps.filter((s) => s.description === "again").length, 1);
			assert.ok(!exists(runFolder(repo), "workflow_edits/one-shot.json"));
			const completed = done.steps.filter((s) => s.status === "completed").map((s) => s.type);
			for (const type of STEP_TYPES) assert.ok(completed.includes(type), `${type} was done`);
		});
	it("D-149 D-150 D-151 D-152 a crash in the middle of a step: a failed record, its diff, a copy that runs next", async () => {
		const repo = repository();
		const agent = fakeAgent([
			{
				when: { type: "linting", nth: 1 },
				do: [write("half.txt", "half-88\n"), "git add -A; git commit -q -m half", 'touch "$home/there"', "sleep 100"],
			},
		]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("linting", () => exists(agent.flag("there")));
		await kill9(started);
		assert.equal(step(story(repo), "linting").status, "in_progress");
		await pawlExits(0, ["resume"], { cwd: repo });
		const done = story(repo);
		assert.deepEqual(
			done.steps.slice(5, 7).map((s) => [s.id, s.type, s.status]),
			[
				["step-006", "linting", "failed"],
				["step-011", "linting", "completed"],
			],
		);
		assert.equal(step(done, "step-006").error, "orchestrator restart — agent not found");
		assert.match(read(runFolder(repo), "failures/one-shot-step-006.diff"), /half-88/);
		assert.ok(!exists(repo, "half.txt"));
		assert.equal(done.status, "completed");
	});
});

describe("several pawls at once", () => {
	it("X-11 many can look while one runs, and see a state that is whole", async () => {
		const repo = repository();
		const agent = fakeAgent([
			{
				when: { type: "planning" },
				do: ['touch "$home/there"', WAIT],
			},
		]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("planning", () => exists(agent.flag("there")));
		const looks = await Promise.all(
			["status", "status", "history", "runs", "stories", "cost"].map((command) => pawl([command, "--json"], { cwd: repo })),
		);
		for (const look of looks) for (const line of exited(look, 0).stdout.trim().split("\n").slice(0, 1)) assert.ok(line.length > 0);
		const status = JSON.parse(looks[0]?.stdout ?? "") as { status?: string };
		assert.equal(status.status, "running");
		put(agent.home, { go: "" });
		exited(await started.done, 0);
		assert.equal(storyOf(stateFile(repo)).status, "completed");
	});
	it("X-11 a second run in the same tree is refused while the first one works, whichever form it has, and harms nothing", async () => {
		const repo = repository();
		const agent = fakeAgent([{ when: { type: "coding" }, do: [write("mine.txt", "x\n"), 'touch "$home/there"', WAIT] }]);
		const started = startPawl(dynamic(agent), { cwd: repo });
		await until("coding", () => exists(agent.flag("there")));
		const second = fakeAgent();
		assert.match((await pawlExits(2, dynamic(second), { cwd: repo })).stderr, /another run|not clean/);
		assert.match((await pawlExits(2, ["Add a file", "--agent-command", second.command], { cwd: repo })).stderr, /another run|not clean/);
		assert.match((await pawlExits(2, ["resume"], { cwd: repo })).stderr, /already|another/);
		assert.deepEqual(second.calls(), []);
		put(agent.home, { go: "" });
		exited(await started.done, 0);
		assert.equal(read(repo, "mine.txt"), "x\n");
	});
	it("two clones, and a linked worktree of one, each run on their own", async () => {
		const repo = repository();
		const other = join(scratchFolder("linked"), "tree");
		git(repo, "worktree", "add", "-q", "-b", "side", other);
		// From the same base, two agents that write the same within one second make one and the same commit, and nobody could tell whose it is.
		git(other, "commit", "-q", "--allow-empty", "-m", "Begin side");
		const [one, two] = [fakeAgent(), fakeAgent()];
		const [a, b] = await Promise.all([pawl(dynamic(one), { cwd: repo }), pawl(dynamic(two), { cwd: other })]);
		exited(a, 0);
		exited(b, 0);
		assert.deepEqual([one.types(), two.types()], [STEP_TYPES, STEP_TYPES]);
		assert.ok(exists(repo, "work/step-005.txt") && exists(other, "work/step-005.txt"));
		assert.equal(git(other, "status", "--porcelain"), "");
		assert.deepEqual(list(join(repo, ".pawl", "runs")).length, 2);
	});
});
