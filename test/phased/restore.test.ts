// Continuing a run: after a kill, from a checkpoint, from a file that somebody changed or copied from elsewhere; and what pawl refuses.
import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CRASH } from "../support/fake-agent.ts";
import { eventsOf, exited, kill9 } from "../support/pawl.ts";
import { built, checked, DOC, documentOf, type PhasedSite, phased, quickPhased, waits, writeState } from "../support/phased-site.ts";
import { exists, git, list, put, read, until } from "../support/scratch.ts";

const ALL = ["1.1", "1.2", "2.1"];
const hang = (story: string) => [{ when: { type: "execute", story, nth: 1 }, do: [waits("hang")] }];

async function killedIn(s: PhasedSite): Promise<void> {
	const started = s.begin();
	await until("the task that hangs", () => exists(s.agent.flag("at-hang")));
	await kill9(started);
}
/** The same in process: the engine goes down in the middle of the session. */
const dies = (story: string) => [{ when: { type: "execute", story, nth: 1 }, do: [CRASH] }];
async function diedIn(s: PhasedSite): Promise<void> {
	assert.match(exited(await s.run(), 1).stderr, /pawl dies here/);
}
const change = (s: PhasedSite, how: (state: ReturnType<PhasedSite["state"]>) => void): void => {
	const state = s.state();
	how(state);
	writeState(s, `${JSON.stringify(state, null, 2)}\n`);
};
const adoptions = async (s: PhasedSite): Promise<number> =>
	eventsOf(await s.cmd("history", "latest", "--json")).filter((e) => e.event === "run_adopted").length;
// As few tasks as the test is about.
const ONE = documentOf(["1.1"]);
const TWO = documentOf(["1.1", "1.2"]);

describe("going on with a phased run", () => {
	it("S-33 C-01: killed in the middle, nothing that was completed is repeated and no agent that is gone stays listed", async () => {
		const s = phased(hang("1.2"));
		await killedIn(s);
		assert.deepEqual(
			s.state().active_agents.map((a) => [a.type, a.task]),
			[["task-executor", "1.2"]],
		);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.executed(), s.done(), s.state().active_agents], [["1.1", "1.2", "1.2", "2.1"], ALL, []]);
		assert.equal(s.state().completed_tasks[1]?.iterations, 1, "the engine's death was no iteration of the task's");
		assert.equal(await adoptions(s), 0, "our own file is not taken for a foreign one");
	});

	it("S-33: agents that a person took out of the file are no change that counts", async () => {
		const s = quickPhased(dies("1.2"));
		await diedIn(s);
		change(s, (state) => {
			state.active_agents = [];
		});
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.executed(), await adoptions(s)], [["1.1", "1.2", "1.2", "2.1"], 0]);
	});

	it("S-49 S-51 C-02: a snapshot copied over the state, with its commit, is where the run goes on", async () => {
		const s = phased(hang("2.1"));
		await killedIn(s);
		const [first] = s.state().checkpoints;
		git(s.repo, "reset", "-q", "--hard", first?.git_sha ?? "");
		writeState(s, read(s.repo, ".claude", first?.state_snapshot ?? ""));
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.executed(), s.done()], [["1.1", "1.2", "2.1", "1.2", "2.1"], ALL]);
		assert.equal(await adoptions(s), 1);
		assert.deepEqual(
			s.state().checkpoints.map((c) => c.state_snapshot),
			["checkpoint-001.json", "checkpoint-002.json", "checkpoint-003.json"],
		);
		assert.equal(read(s.repo, ".claude/checkpoint.json"), read(s.repo, ".claude/checkpoint-003.json"));
	});

	it("S-51 X-20: pawl checkpoint restore puts back tree and state together, also of a run that had completed", async () => {
		const s = phased();
		exited(await s.run(), 0);
		assert.match(exited(await s.cmd("checkpoint", "list"), 0).stdout, /checkpoint-002 +1\.2 +[0-9a-f]{12}/);
		put(s.repo, { "mine.txt": "x" });
		assert.match(exited(await s.cmd("checkpoint", "restore", "checkpoint-001"), 2).stderr, /not clean/);
		git(s.repo, "clean", "-qfd");
		const { git_sha = "" } = s.state().checkpoints[0] ?? {};
		exited(await s.cmd("checkpoint", "restore", "checkpoint-001"), 0);
		assert.deepEqual([git(s.repo, "rev-parse", "HEAD"), exists(s.repo, "work/1.2.txt"), s.done()], [git_sha, false, ["1.1"]]);
		assert.equal(git(s.repo, "rev-parse", "--abbrev-ref", "HEAD"), "main");
		assert.ok(
			list(s.repo, ".claude/archive").some((name) => name.endsWith(".diff")),
			"what came after is kept",
		);
		const resumed = exited(await s.cmd("resume"), 0);
		assert.match(resumed.stderr, /continuing from .*agent-state\.json, which was restored from checkpoint-001/);
		assert.deepEqual([s.executed(), s.done(), s.state().orchestrator.status], [["1.1", "1.2", "2.1", "1.2", "2.1"], ALL, "completed"]);
		const kept = exited(await s.cmd("stories", "latest", "1.1"), 0).stdout;
		assert.match(
			kept,
			/met +File exists .*\n +pawl looked: `test -f work\/1\.1\.txt` exited 0/,
			"what came before the checkpoint is still proven",
		);
	});

	it("S-51: restoring is refused while the run is under way, and for what is no checkpoint", async () => {
		const s = phased(hang("1.2"));
		const started = s.begin();
		await until("the task that hangs", () => exists(s.agent.flag("at-hang")));
		assert.match(exited(await s.cmd("checkpoint", "restore", "checkpoint-001"), 2).stderr, /is under way/);
		assert.match(exited(await s.cmd("checkpoint", "restore", "../x"), 2).stderr, /not a checkpoint/);
		assert.match(exited(await s.cmd("checkpoint", "restore", "checkpoint-009"), 2).stderr, /there is no/);
		await kill9(started);
	});

	it("S-45 C-02: bounds that were raised in the file count", async () => {
		const s = quickPhased([{ when: { type: "execute" }, do: built({ cost: 0.2 }) }]);
		exited(await s.run("--max-cost", "0.30", "--allow-unknown-cost"), 4);
		change(s, (state) => {
			state.safety_bounds.max_cost = "$4";
		});
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.state().safety_bounds.max_cost, s.done()], ["$4", ALL]);
	});

	it("S-52: a broken state is refused with the name of the newest checkpoint, and left alone; so is one that is wrong", async () => {
		const s = quickPhased(dies("2.1"));
		await diedIn(s);
		const good = read(s.file);
		for (const bad of [good.slice(0, 200), "", JSON.stringify({ ...JSON.parse(good), learnings: [{}] })]) {
			writeState(s, bad);
			for (const args of [["resume"], ["run", "phased", DOC, "--agent-command", s.agent.command]]) {
				assert.match(exited(await s.cmd(...args), 2).stderr, /checkpoint-002\.json/, args.join(" "));
				assert.equal(read(s.file), bad);
			}
		}
		cpSync(join(s.repo, ".claude/checkpoint-002.json"), s.file);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual(s.done(), ALL);
	});

	it("S-13: the old format is refused by run and resume, and left as it was", async () => {
		const s = quickPhased();
		const old = '{ "status": "executing",\n  "current_step": 5, "total_steps": 10 }\n';
		writeState(s, old);
		for (const args of [["resume"], ["run", "phased", DOC, "--yes", "--fresh", "--agent-command", s.agent.command]]) {
			assert.match(exited(await s.cmd(...args), 2).stderr, /agent-state\.json.*not migrated/);
			assert.equal(read(s.file), old);
		}
		assert.deepEqual(s.calls(), []);
	});

	it("S-14 S-15: a finished state is archived by the next run; its checkpoints go with it, the log of learnings grows on", async () => {
		const s = quickPhased([{ when: { type: "execute", story: "1.1" }, do: built({ learn: ["insight | a | b | c"] }) }], ONE);
		exited(await s.run(), 0);
		const first = read(s.file);
		const lines = read(s.repo, ".claude/learnings.jsonl");
		exited(await s.run(), 0);
		const folders = list(s.repo, ".claude/archive").filter((name) => exists(s.repo, ".claude/archive", name, "agent-state.json"));
		assert.deepEqual(
			folders.map((name) => read(s.repo, ".claude/archive", name, "agent-state.json")),
			[first],
		);
		assert.deepEqual([s.snapshots().length, s.state().checkpoints.length, s.done()], [1, 1, ["1.1"]]);
		assert.ok(read(s.repo, ".claude/learnings.jsonl").startsWith(lines) && read(s.repo, ".claude/learnings.jsonl") !== lines);
	});

	it("S-14: an unfinished run on the same document goes on; another document is refused; --fresh puts it away", async () => {
		const s = quickPhased(dies("1.2"), TWO);
		put(s.repo, { "tasks/other.md": documentOf(["1.1"]) });
		s.memory.user.commitAll("another");
		await diedIn(s);
		const before = read(s.file);
		const other = ["run", "phased", "tasks/other.md", "--yes", "--agent-command", s.agent.command];
		assert.match(exited(await s.cmd(...other), 2).stderr, /demo\.md that is not finished/);
		assert.equal(read(s.file), before);
		assert.match(exited(await s.run(), 0).stderr, /going on with run/);
		assert.deepEqual(s.executed(), ["1.1", "1.2", "1.2"]);
		const t = quickPhased(dies("1.2"), TWO);
		await diedIn(t);
		const unfinished = read(t.file);
		exited(await t.run("--fresh"), 0);
		const [kept] = list(t.repo, ".claude/archive").filter((name) => exists(t.repo, ".claude/archive", name, "agent-state.json"));
		assert.equal(read(t.repo, ".claude/archive", kept ?? "", "agent-state.json"), unfinished);
	});

	it("S-14: after a run that failed for good the next one starts anew, and the failed state is kept", async () => {
		const s = quickPhased(
			[1, 2, 3, 4].map((nth) => ({ when: { type: "plan", nth }, do: ["said=1; echo nonsense"] })),
			ONE,
		);
		exited(await s.run(), 1);
		assert.equal(s.state().orchestrator.status, "failed");
		exited(await s.run(), 0);
		assert.deepEqual(s.done(), ["1.1"]);
	});

	for (const how of ["resume", "run"])
		it(`C-02 S-14: a state from elsewhere is taken over by pawl ${how}`, async () => {
			const s = quickPhased(dies("1.2"), TWO);
			await diedIn(s);
			// As in another clone: the journal is not there.
			rmSync(join(s.repo, ".pawl"), { recursive: true });
			const started = s.state().orchestrator.start_time;
			const args =
				how === "resume" ? ["resume", "--agent-command", s.agent.command] : ["run", "phased", DOC, "--agent-command", s.agent.command];
			exited(await s.cmd(...args), 0);
			const state = s.state();
			assert.deepEqual(
				[s.executed(), s.done()],
				[
					["1.1", "1.2", "1.2"],
					["1.1", "1.2"],
				],
			);
			assert.deepEqual([state.orchestrator.start_time, state.orchestrator.status, s.agent.of("plan").length], [started, "completed", 1]);
			assert.deepEqual(state.supervisor.checks_performed, s.calls().filter((call) => /_task/.test(call)).length);
			assert.equal(await adoptions(s), 1);
		});

	it("C-02: a state that was brought from another clone finds its document in this one", async () => {
		const from = quickPhased(dies("1.2"));
		await diedIn(from);
		for (const how of ["resume", "run"]) {
			const s = quickPhased();
			// The work of 1.1 came with git.
			put(s.repo, { "work/1.1.txt": "1.1\n" });
			s.memory.user.commitAll("work");
			writeState(s, read(from.file));
			const more = ["--agent-command", s.agent.command];
			exited(await s.cmd(...(how === "resume" ? ["resume", ...more] : ["run", "phased", DOC, ...more])), 0);
			assert.deepEqual([s.executed(), s.done(), s.state().orchestrator.task_doc], [["1.2", "2.1"], ALL, join(s.repo, DOC)]);
		}
	});

	it("C-02: a state from elsewhere that does not fit its document is refused and stays", async () => {
		const s = quickPhased(dies("1.2"));
		await diedIn(s);
		rmSync(join(s.repo, ".pawl"), { recursive: true });
		change(s, (state) => {
			state.pending_tasks = [{ phase: 1, task: "2.9", name: "Unknown" }];
		});
		const before = read(s.file);
		assert.match(
			exited(await s.cmd("resume", "--agent-command", s.agent.command), 2).stderr,
			/2\.9 is pending, but the document has no such task/,
		);
		assert.deepEqual([read(s.file), exists(s.repo, ".pawl")], [before, false]);
	});

	it("S-33: resume takes no agent for a run that remembers its own", async () => {
		const s = quickPhased(dies("1.2"), TWO);
		await diedIn(s);
		assert.match(exited(await s.cmd("resume", "--agent-command", "true"), 2).stderr, /--agent-command is only for a run that is adopted/);
	});

	it("S-33 S-31: killed while planning anew, the plan is made and the tasks are those of the new plan", async () => {
		const plan = [{ task: "1.2", name: "New", description: "d", criteria: ["Notes are written"] }];
		const s = quickPhased([
			{ when: { type: "pre_task", story: "1.2", nth: 1 }, do: checked("re_plan", "high") },
			{ when: { type: "replan", nth: 1 }, do: [CRASH] },
			{ when: { type: "replan" }, do: [`said=1; cat <<'END'\nSTATUS: done\nTASKS_JSON: ${JSON.stringify(plan)}\nEND`] },
		]);
		await diedIn(s);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.state().completed_tasks.map((t) => t.name), s.state().supervisor.re_plans_triggered], [["Job 1.1", "New"], 1]);
	});
});
