// The commands around a phased run: task documents, checkpoints, locks, progress.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exited, pawl } from "../support/pawl.ts";
import { built, DOC, documentOf, phased, quickPhased, waits } from "../support/phased-site.ts";
import { quickRepository, quickSite } from "../support/quick-pawl.ts";
import { exists, put, read, until } from "../support/scratch.ts";

describe("pawl phased", () => {
	it("S-38: init writes a document that check finds fine and run takes; it overwrites nothing", async () => {
		const { root: repo, memory } = quickSite();
		exited(await pawl(["phased", "init", "docs/plan.md"], { cwd: repo }), 0);
		assert.match(exited(await pawl(["phased", "check", "docs/plan.md"], { cwd: repo }), 0).stdout, /2 phases, 3 tasks/);
		assert.match(exited(await pawl(["phased", "init", "docs/plan.md"], { cwd: repo }), 2).stderr, /left as it is/);
		memory.user.commitAll("plan");
		const dry = exited(await pawl(["run", "phased", "docs/plan.md", "--dry-run", "--agent-command", "no-such-77"], { cwd: repo }), 0);
		assert.match(dry.stdout, /Look the plan over before anything is done/);
		assert.match(dry.stderr, /a run would be refused: .*no-such-77/);
	});

	it("T-30 T-31: check lists the commands that pawl will run, what is taken on trust, and what belongs to no task", async () => {
		const text = documentOf(["1.1"])
			.replace("Notes are written", "`parseTags` is exported\n- [ ] The page is called `READ-ME-77`")
			.replace("## Phase 1", "## Wishes\n\n- [ ] It is fast\n\n## Phase 1");
		const repo = quickRepository({ "t.md": text });
		const { stdout } = exited(await pawl(["phased", "check", "t.md"], { cwd: repo }), 0);
		assert.match(stdout, /pawl runs these commands[^\n]*\n +1\.1 +test -f work\/1\.1\.txt/);
		assert.match(stdout, /no program here[^\n]*\n +1\.1 +READ-ME-77\n\n/);
		assert.match(stdout, /executor's word[^\n]*\n +1\.1 +`parseTags` is exported/);
		const dry = exited(await pawl(["run", "phased", "t.md", "--dry-run", "--agent-command", "true"], { cwd: repo }), 0);
		assert.match(dry.stderr, /t\.md: `READ-ME-77` ends a criterion of task 1\.1, so pawl runs it, but there is no such program/);
		assert.match(stdout, /not run[^\n]*\n +1\.1 +parseTags/);
		assert.match(stdout, /t\.md:7 +this box belongs to no task[^\n]*It is fast/);
		assert.match(stdout, /all agents get them:\n +Wishes/);
		const { proofs } = JSON.parse(exited(await pawl(["phased", "check", "t.md", "--json"], { cwd: repo }), 0).stdout);
		assert.deepEqual(
			proofs.map((one: { commands: string[] }) => one.commands),
			[["test -f work/1.1.txt"], [], ["READ-ME-77"]],
		);
	});

	it("S-38: check tells every problem with its line", async () => {
		const repo = quickRepository({
			"t.md": documentOf(["1.1"], ["2.1"]).replace("## Phase 2: Part 2", "## Phase 2:").replace("### Task 1.1: Job 1.1", "### Task one"),
		});
		const { stderr } = exited(await pawl(["phased", "check", "t.md"], { cwd: repo }), 2);
		assert.match(stderr, /t\.md:7: a task is/);
		assert.match(stderr, /t\.md:14: phase 2 has no name/);
	});
});

describe("pawl checkpoint", () => {
	it("X-21: validate says what is wrong with a state, or that it is fine", async () => {
		const s = quickPhased([], documentOf(["1.1"]));
		exited(await s.run(), 0);
		assert.match(exited(await s.cmd("checkpoint", "validate", ".claude/agent-state.json"), 0).stdout, /is fine: 1 completed/);
		assert.match(exited(await s.cmd("checkpoint", "validate", ".claude/checkpoint-001.json"), 0).stdout, /is fine/);
		put(s.repo, { "bad.json": read(s.file).replace('"completed",', '"paused",') });
		assert.match(exited(await s.cmd("checkpoint", "validate", "bad.json"), 2).stderr, /orchestrator\.status/);
		assert.match(exited(await s.cmd("checkpoint", "validate", "bad.json", "--json"), 2).stdout, /"ok": false/);
	});

	it("S-48: list knows a checkpoint whose file or commit is gone", async () => {
		const s = quickPhased();
		exited(await s.run(), 0);
		rmSync(join(s.repo, ".claude/checkpoint-002.json"));
		const listed = JSON.parse(exited(await s.cmd("checkpoint", "list", "--json"), 0).stdout);
		assert.deepEqual(
			listed.map((one: { usable: boolean; commit_exists: boolean }) => [one.usable, one.commit_exists]),
			[
				[true, true],
				[false, true],
				[true, true],
			],
		);
		assert.match(exited(await s.cmd("checkpoint", "restore", "checkpoint-002"), 2).stderr, /there is no/);
	});
});

describe("pawl status", () => {
	it("X-22: progress in per cent, phases, and how long the rest may take", async () => {
		const s = phased([{ when: { type: "execute", story: "2.1" }, do: [waits("status"), ...built()] }]);
		const started = s.begin();
		await until("the last task", () => exists(s.agent.flag("at-status")));
		const { progress } = JSON.parse(exited(await s.cmd("status", "--json"), 0).stdout);
		assert.deepEqual([progress.stories_completed, progress.stories_total, progress.phases_completed, progress.phases_total], [2, 3, 1, 2]);
		assert.ok(progress.percent >= 66 && progress.percent < 100, "steps of the task under way count");
		assert.ok(progress.eta_ms > 0);
		assert.match(exited(await s.cmd("status"), 0).stdout, /\d\d %, 1 of 2 phases, about .* left/);
		put(s.agent.home, { "go-status": "" });
		exited(await started.done, 0);
		assert.deepEqual(JSON.parse(exited(await s.cmd("status", "--json"), 0).stdout).progress.percent, 100);
	});
});

describe("pawl lock", () => {
	it("S-50: two agents never hold one path together; who is gone holds nothing", async () => {
		const s = phased([{ when: { type: "execute", story: "1.1" }, do: [waits("lock"), ...built()] }]);
		const started = s.begin();
		await until("the task", () => exists(s.agent.flag("at-lock")));
		assert.deepEqual(JSON.parse(read(s.repo, ".claude/locks.json")), []);
		const call = s.agent.of("execute")[0];
		const who = Object.fromEntries(Object.entries(call?.env ?? {}).filter(([name]) => name.startsWith("PAWL_")));
		const as = (env: Readonly<Record<string, string>>, ...args: string[]) =>
			pawl(["lock", ...args], { cwd: s.repo, env: { ...s.env, ...env } });
		const all = await Promise.all([
			as(who, "take", "src/a.ts"),
			as({}, "take", "src/a.ts"),
			as({}, "take", "src/a.ts"),
			as({}, "take", "src/b.ts"),
		]);
		assert.equal(all[3]?.code, 0);
		const holders = JSON.parse(read(s.repo, ".claude/locks.json")).filter((one: { path: string }) => one.path === "src/a.ts");
		assert.equal(holders.length, 1);
		if (holders[0].agent === "person") exited(await as({}, "release", "src/a.ts"), 0);
		exited(await as(who, "take", "src/a.ts"), 0);
		const refused = exited(await as({}, "take", "src/a.ts"), 1);
		assert.match(refused.stderr, /locked by task-executor .* \(task 1\.1\)/);
		assert.match(exited(await as({}, "take", "../outside"), 2).stderr, /not a file of the tree/);
		put(s.agent.home, { "go-lock": "" });
		exited(await started.done, 0);
		// The attempt has ended: its lock is nobody's.
		assert.deepEqual(
			JSON.parse(read(s.repo, ".claude/locks.json")).map((one: { agent: string }) => one.agent),
			["person"],
			"the file does not wait until somebody looks",
		);
		exited(await as({}, "take", "src/a.ts"), 0);
		exited(await as({}, "release"), 0);
		assert.match(exited(await as({}, "list"), 0).stdout, /no locks/);
	});
});

describe("what goes on by itself", () => {
	it("S-14 C-02: resume of a completed state from elsewhere starts nothing", async () => {
		const s = quickPhased([], documentOf(["1.1"]));
		exited(await s.run(), 0);
		rmSync(join(s.repo, ".pawl"), { recursive: true });
		const before = read(s.file);
		assert.match(exited(await s.cmd("resume", "--agent-command", s.agent.command), 2).stderr, /completed: there is nothing to go on with/);
		assert.equal(read(s.file), before);
	});

	it("S-16: the document may lie anywhere and be given by any path", async () => {
		const s = phased([], documentOf(["1.1"]));
		exited(
			await pawl(["run", "phased", "../tasks/demo.md", "--yes", "--agent-command", s.agent.command], {
				cwd: join(s.repo, "tasks"),
				env: s.env,
			}),
			0,
		);
		assert.equal(s.state().orchestrator.task_doc, join(s.repo, DOC));
	});
});
