// A phased run from outside: the file at every moment, the files around it, what is in git and what is not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { say } from "../support/fake-agent.ts";
import { exited } from "../support/pawl.ts";
import { built, checked, DOC, documentOf, phased, quickPhased, waits } from "../support/phased-site.ts";
import { exists, git, list, put, read, scratchFolder, until } from "../support/scratch.ts";

const ALL = ["1.1", "1.2", "2.1"];
const LOOK_MS = 3;

describe("a phased run", () => {
	it("S-01 S-05 S-16 S-54: plans, waits for approval without an executor, goes on when it is approved", async () => {
		const s = quickPhased();
		assert.equal(exists(s.file), false);
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		const { orchestrator: o, pending_tasks } = s.state();
		assert.deepEqual(
			[o.status, o.current_task, o.task_doc, o.end_time, pending_tasks.length],
			["planning", "0/0", join(s.repo, DOC), null, 3],
		);
		assert.deepEqual(s.calls(), ["plan"]);
		exited(await s.cmd("approve"), 0);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.executed(), s.state().orchestrator.status], [ALL, "completed"]);
	});

	it("G-20 T-33: a document that changes while its approval is awaited is planned and shown again", async () => {
		const s = quickPhased();
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		put(s.repo, { [DOC]: read(s.repo, DOC).replace("Job 2.1", "Job 2.1 first") });
		s.memory.user.commitAll("other words");
		assert.match(exited(await s.cmd("approve"), 2).stderr, /has changed since it was planned .*pawl resume/);
		exited(await s.cmd("resume"), 3);
		assert.deepEqual(s.calls(), ["plan", "plan"]);
		assert.match(JSON.stringify(s.state().pending_tasks), /Job 2\.1 first/);
		exited(await s.cmd("approve"), 0);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual(s.executed(), ALL);
	});

	it("T-30 T-33: text around the tasks that changes while the approval is awaited is planned and shown again", async () => {
		const s = quickPhased([], documentOf(["1.1"]));
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		put(s.repo, { [DOC]: `${read(s.repo, DOC)}\n## Constraints\n\nNo network, late-marker.\n\n- [ ] a box of nobody\n` });
		s.memory.user.commitAll("constraints");
		assert.match(exited(await s.cmd("resume"), 3).stderr, /has changed since it was planned \(the text around its tasks\)/);
		assert.match(s.agent.of("plan")[1]?.prompt ?? "", /late-marker/);
		exited(await s.cmd("approve"), 0);
		exited(await s.cmd("resume"), 0);
		assert.match(s.agent.of("execute")[0]?.prompt ?? "", /late-marker/);
	});

	it("T-30: what could not be placed is said when the run starts", async () => {
		const s = quickPhased([], `${documentOf(["1.1"])}\n## Wishes\n\n- [ ] It is fast\n`);
		assert.match(exited(await s.run(), 0).stderr, /demo\.md:\d+: this box belongs to no task.*It is fast/);
		assert.ok(s.agent.calls().every(({ prompt }) => prompt.includes("It is fast")));
	});

	it("T-31: a command that is not there asks a person, who mends the document and lets it be tried again", async () => {
		const s = quickPhased([], documentOf(["1.1"]).replace("test -f work/1.1.txt", "no-such-program --all"));
		const asked = exited(await s.run(), 3);
		assert.match(asked.stdout + asked.stderr, /`no-such-program --all` exited 127 \(there is no such command\)/);
		assert.deepEqual([s.executed(), s.state().orchestrator.status], [["1.1"], "executing"]);
		put(s.repo, { [DOC]: documentOf(["1.1"]) });
		s.memory.user.commitAll("mended");
		assert.match(exited(await s.cmd("retry"), 0).stderr, /changed in .*demo\.md; pawl takes the change up: 1\.1/);
		assert.deepEqual([s.executed(), s.done(), s.state().orchestrator.status], [["1.1", "1.1"], ["1.1"], "completed"]);
	});

	it("S-05: a rejected plan fails the run, and no executor was called", async () => {
		const s = quickPhased();
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		exited(await s.cmd("reject", "latest", "--reason", "not like this"), 0);
		exited(await s.cmd("resume"), 1);
		assert.deepEqual([s.state().orchestrator.status, s.executed()], ["failed", []]);
		assert.notEqual(s.state().orchestrator.end_time, null);
	});

	it("S-02 S-04 S-06 S-09 S-10 S-22 S-32: whoever looks sees a whole file that tells the stages in order and who is at work", async () => {
		// A session of each stage waits until the file was looked at.
		const s = phased([
			{ when: { type: "plan" }, do: [waits("planning"), say("STATUS: done")] },
			{ when: { type: "execute", story: "1.1" }, do: [waits("executing"), ...built({ learn: ["insight | looked | always | here"] })] },
			{ when: { type: "scan" }, do: [waits("reviewing"), say("FINDINGS: none")] },
		]);
		const started = s.begin();
		const stages: string[] = [];
		let over = false;
		void started.done.then(() => {
			over = true;
		});
		while (!over) {
			if (exists(s.file)) {
				const text = read(s.file);
				assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
				const { status } = s.state().orchestrator;
				if (stages.at(-1) !== status) put(s.agent.home, { [`go-${status}`]: "" });
				if (stages.at(-1) !== status) stages.push(status);
			}
			// Often enough to meet a half-written file, and seldom enough to leave the processor to the run.
			await new Promise((next) => setTimeout(next, LOOK_MS));
		}
		exited(await started.done, 0);
		assert.deepEqual(
			stages.filter((one) => one !== "completed"),
			["planning", "executing", "reviewing"],
		);
		// Written anew before every session: each of them is another iteration, check or stage.
		const calls = list(s.agent.home, "calls").slice(0, s.calls().length);
		const seen = calls.map((name) => read(s.agent.home, "calls", name, "agent-state"));
		assert.equal(new Set(seen).size, s.calls().length);
		assert.deepEqual(s.during("plan")[0]?.active_agents, []);
		for (const one of s.during("execute")) assert.deepEqual([one.orchestrator.outer_ralph, one.active_agents.length], [false, 1]);
		const [scan] = s.during("scan");
		assert.deepEqual([scan?.orchestrator.outer_ralph, scan?.active_agents.map((a) => a.type)], [true, ["code-improvement-scanner"]]);
		assert.deepEqual(s.state().active_agents, []);
		assert.deepEqual(
			list(s.repo, ".claude").filter((name) => name.includes(".tmp")),
			[],
		);
	});

	it("S-12: the six queries of jq answer during the run and after it", { skip: !hasJq() }, async () => {
		const s = phased([
			{ when: { type: "pre_task", story: "1.1" }, do: checked("auto_fix", "low") },
			{ when: { type: "execute", story: "1.1" }, do: built({ learn: ["insight | looked | always | here"] }) },
			{ when: { type: "execute", story: "1.2" }, do: [waits("jq"), ...built()] },
		]);
		const started = s.begin();
		await until("the second task", () => exists(s.agent.flag("at-jq")));
		const ask = () => {
			for (const query of QUERIES) {
				const answer = execFileSync("jq", ["-c", query, s.file], { encoding: "utf8" }).trim();
				assert.ok(answer !== "" && !/null|""/.test(answer), `${query}: ${answer}`);
			}
		};
		ask();
		put(s.agent.home, { "go-jq": "" });
		exited(await started.done, 0);
		ask();
	});

	it("S-11 S-36 X-08: no prompt asks to edit the state, no file of ours is in a commit, and the files of a task are those that it changed", async () => {
		const s = phased([{ when: { type: "execute", story: "1.1", nth: 1 }, do: built({ file: "work/first try.txt" }) }]);
		exited(await s.run(), 0);
		const [first] = s.state().completed_tasks;
		assert.deepEqual([first?.iterations, first?.files_modified], [2, ["work/1.1.txt", "work/first try.txt"]]);
		assert.deepEqual(
			git(s.repo, "log", "--format=", "--name-only")
				.split("\n")
				.filter((name) => /^\.claude|^\.pawl/.test(name)),
			[],
		);
		assert.equal(git(s.repo, "status", "--porcelain", "--untracked-files=all"), "");
		for (const call of s.agent.calls()) assert.match(call.prompt, /are kept by pawl\. Read them if you like; never change them/);
	});

	it("S-15 S-46 S-47 S-48 S-49: checkpoints, learnings, milestones and the archive of a completed run", async () => {
		const s = quickPhased([
			{
				when: { type: "execute", story: "1.1" },
				do: built({ learn: ["pattern | lesson-one | rule | place", "antipattern | lesson-two | never | here"] }),
			},
		]);
		exited(await s.run(), 0);
		const state = s.state();
		assert.deepEqual(
			state.checkpoints.map((c) => [c.task, c.phase, c.state_snapshot]),
			[
				["1.1", 0, "checkpoint-001.json"],
				["1.2", 0, "checkpoint-002.json"],
				["2.1", 1, "checkpoint-003.json"],
			],
		);
		for (const { git_sha, task } of state.checkpoints)
			assert.ok(Object.hasOwn(s.memory.show(git_sha), `work/${task}.txt`), `${task} is in its checkpoint`);
		assert.equal(read(s.repo, ".claude/checkpoint.json"), read(s.repo, ".claude/checkpoint-003.json"));
		const lines = read(s.repo, ".claude/learnings.jsonl")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		assert.deepEqual(lines, state.learnings);
		assert.match(s.agent.of("execute").at(-1)?.prompt ?? "", /lesson-one/);
		assert.deepEqual(
			state.milestones.map((m) => [m.phase, m.name]),
			[
				[0, "Part 1"],
				[1, "Part 2"],
			],
		);
		for (const { issue_url } of state.milestones) assert.match(read(fileURLToPath(issue_url)), /Job \d\.1/);
		const [archived] = list(s.repo, ".claude/archive");
		assert.equal(read(s.repo, ".claude/archive", archived ?? ""), read(s.file));
	});

	it("S-39 S-35: an executor is asked again until commands and answers hold, told what did not, and a `false` counts against a command", async () => {
		const s = quickPhased(
			[
				{ when: { type: "execute", nth: 1 }, do: built({ file: "work/other.txt" }) },
				{ when: { type: "execute", nth: 2 }, do: built({ met: { file_exists: false } }) },
				{ when: { type: "execute", nth: 3 }, do: built({ met: { notes_are_written: false } }) },
				{ when: { type: "execute", nth: 4 }, do: built({ status: "incomplete" }) },
			],
			documentOf(["1.1"]),
		);
		exited(await s.run(), 0);
		assert.deepEqual(
			s.state().completed_tasks.map((t) => t.iterations),
			[5],
		);
		const prompts = s.agent.of("execute").map((call) => call.prompt);
		assert.match(prompts[1] ?? "", /the check `file_exists` \(`test -f work\/1\.1\.txt`\): it exited 1 and printed nothing\./);
		assert.match(prompts[2] ?? "", /by its own report it does not hold yet/);
		assert.match(prompts[3] ?? "", /notes_are_written/);
		assert.match(
			prompts[0] ?? "",
			/marker-1\.1[\s\S]*- file_exists: .*pawl runs `test -f work\/1\.1\.txt` after you end.*\n- notes_are_written: .*your word counts/,
		);
	});

	it("S-40: a report that cannot be read uses one iteration", async () => {
		const s = quickPhased([{ when: { type: "execute", story: "1.1", nth: 1 }, do: ['said=1; echo "I did something"'] }]);
		exited(await s.run(), 0);
		assert.deepEqual(
			s.state().completed_tasks.map((t) => t.iterations),
			[2, 1, 1],
		);
	});

	it("S-53: the scanner finds something twice, so there are two rounds; both agents are seen at work", async () => {
		const findings = (text: string) => [`said=1; printf 'FINDINGS:\\n- [${text}] improve-${text}\\n'`];
		const s = quickPhased([
			{ when: { type: "scan", nth: 1 }, do: findings("one") },
			{ when: { type: "scan", nth: 2 }, do: findings("two") },
		]);
		exited(await s.run(), 0);
		assert.deepEqual(s.calls().slice(-5), ["scan", "improve", "scan", "improve", "scan"]);
		assert.deepEqual(
			s.during("improve").map((one) => [one.active_agents[0]?.type, one.orchestrator.outer_ralph]),
			[
				["outer-ralph", true],
				["outer-ralph", true],
			],
		);
		assert.match(s.agent.of("improve")[0]?.prompt ?? "", /improve-one/);
	});

	it("S-53: rounds have a bound", async () => {
		const s = quickPhased([{ when: { type: "scan" }, do: ["said=1; printf 'FINDINGS:\\n- [x] again\\n'"] }], documentOf(["1.1"]));
		exited(await s.run(), 0);
		assert.equal(s.agent.of("improve").length, 5);
	});

	it("S-07 S-47: with --push an issue a phase and the pull request are there before the state says completed", async () => {
		const s = phased();
		const folder = scratchFolder("gh");
		const bare = scratchFolder("bare");
		git(bare, "init", "-q", "--bare", "-b", "main");
		git(s.repo, "remote", "add", "origin", bare);
		git(s.repo, "push", "-q", "origin", "main");
		s.program(
			"gh",
			`#!/bin/sh
echo "$1 $2 $(sed -n 's/.*"status": "\\([a-z]*\\)".*/\\1/p' ${s.file} | head -1)" >> ${folder}/calls
case "$1 $2" in
"issue create") echo https://forge.invalid/issues/$(grep -c 'issue create' ${folder}/calls) ;;
"pr create") echo https://forge.invalid/pr/1 ;;
esac
`,
		);
		const ended = exited(await s.run("--push"), 0);
		assert.deepEqual(
			s.state().milestones.map((m) => m.issue_url),
			["https://forge.invalid/issues/1", "https://forge.invalid/issues/2"],
		);
		const calls = read(folder, "calls").trim().split("\n");
		assert.deepEqual(
			calls.filter((line) => line.startsWith("pr create")),
			["pr create reviewing"],
		);
		assert.match(ended.stdout, /pull request: https:\/\/forge\.invalid\/pr\/1/);
		assert.match(git(bare, "for-each-ref", "--format=%(refname)"), /refs\/heads\/pawl\/\d{8}-/);
		assert.equal(
			git(bare, "rev-parse", "main"),
			git(s.repo, "rev-list", "--max-parents=0", "HEAD"),
			"the branch that it is merged into is as it was",
		);
	});

	it("S-08: cancelled in the middle, the state says failed", async () => {
		const s = phased([{ when: { type: "execute", story: "1.2" }, do: [waits("cancel")] }]);
		const started = s.begin();
		await until("the second task", () => exists(s.agent.flag("at-cancel")));
		exited(await s.cmd("cancel", "latest"), 0);
		exited(await started.done, 1);
		const { orchestrator: o, active_agents, completed_tasks } = s.state();
		assert.deepEqual([o.status, o.end_time === null, active_agents, completed_tasks.length], ["failed", false, [], 1]);
	});

	it("S-26: --no-supervisor and supervisor: false leave the checks out", async () => {
		for (const how of ["flag", "file"]) {
			const s = quickPhased([], documentOf(["1.1"]));
			if (how === "file") {
				put(s.repo, { "pawl.yml": "supervisor: false\n" });
				s.memory.user.commitAll("configuration");
			}
			exited(await s.run(...(how === "flag" ? ["--no-supervisor"] : [])), 0);
			const { supervisor } = s.state();
			assert.deepEqual([supervisor.enabled, supervisor.checks_performed, s.calls()], [false, 0, ["plan", "execute 1.1", "scan"]]);
		}
	});

	it("refuses a dirty tree and a document that is not there, and writes nothing", async () => {
		const s = phased();
		put(s.repo, { "mine.txt": "x" });
		assert.match(exited(await s.run(), 2).stderr, /mine\.txt/);
		git(s.repo, "clean", "-qfd");
		assert.match(exited(await s.cmd("run", "phased", "tasks/none.md", "--agent-command", "true"), 2).stderr, /tasks\/none\.md/);
		assert.deepEqual([exists(s.repo, ".pawl"), exists(s.repo, ".claude")], [false, false]);
	});
});

const QUERIES = [
	".orchestrator.status",
	"{phase: .orchestrator.current_phase, task: .orchestrator.current_task, status: .orchestrator.status}",
	".safety_bounds | {cost: .cost_so_far, time: .elapsed_time, max_cost, max_time}",
	".completed_tasks[] | {task, name, iterations, time: .time_elapsed}",
	".supervisor.interventions[]",
	".learnings[] | {task, type, lesson}",
];

function hasJq(): boolean {
	try {
		execFileSync("jq", ["--version"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
