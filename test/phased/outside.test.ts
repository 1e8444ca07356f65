// What an outsider does with a phased run: states from elsewhere, states restored by hand, agents that break down.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CRASH } from "../support/fake-agent.ts";
import { exited } from "../support/pawl.ts";
import { built, DOC, documentOf, phased, quickPhased, waits, writeState } from "../support/phased-site.ts";
import { uncommitted } from "../support/quick-pawl.ts";
import { exists, git, put, read, until } from "../support/scratch.ts";

const ALL = ["1.1", "1.2", "2.1"];

/** A state as another orchestrator would write it: 1.1 is done, 1.2 is under way and, as in document 001's example, pending too. */
const foreign = (repo: string) => ({
	orchestrator: {
		status: "executing",
		task_doc: join(repo, DOC),
		current_phase: 0,
		total_phases: 2,
		current_task: "2/2",
		ralph_iteration: 2,
		outer_ralph: false,
		start_time: "2026-01-15T12:00:00Z",
		end_time: null,
	},
	supervisor: {
		enabled: true,
		checks_performed: 3,
		conflicts_detected: 1,
		auto_fixes_applied: 2,
		re_plans_triggered: 0,
		last_check: "2026-01-15T12:30:00Z",
		interventions: [],
	},
	active_agents: [{ type: "task-executor", task: "1.2", started: "2026-01-15T12:30:00Z", iteration: 2, status: "in_progress" }],
	completed_tasks: [
		{
			task: "1.1",
			name: "Job 1.1",
			completed: "2026-01-15T12:10:00Z",
			iterations: 1,
			time_elapsed: "15m 23s",
			cost: "$0.20",
			files_modified: ["a.ts"],
			success_criteria_met: { file_exists: true, notes_are_written: true },
		},
	],
	pending_tasks: [{ phase: 0, task: "1.2", name: "Job 1.2" }],
	safety_bounds: {
		max_iterations_per_task: 12,
		max_cost: "$7.50",
		max_time: "1h 30m",
		cost_so_far: "$0.20",
		elapsed_time: "0h 34m 8s",
		warnings: [],
	},
	learnings: [
		{
			timestamp: "2026-01-15T12:15:00Z",
			task: "1.1",
			iteration: 1,
			type: "pattern",
			lesson: "lesson-from-elsewhere",
			pattern: "p",
			context: "c",
		},
	],
	milestones: [],
	checkpoints: [],
});

describe("a phased run from outside", () => {
	const real = () => {
		const s = phased();
		return { s, left: () => git(s.repo, "status", "--porcelain") };
	};
	const quick = () => {
		const s = quickPhased();
		return { s, left: () => uncommitted(s.memory).join(" ") };
	};
	for (const [how, site] of [
		["resume", real],
		["run", quick],
	] as const)
		it(`C-02 X-14 S-37 S-46: a state from elsewhere is taken over by ${how}: its learnings are told, no task of the document is forgotten`, async () => {
			const { s, left } = site();
			writeState(s, JSON.stringify(foreign(s.repo), null, 2));
			exited(how === "run" ? await s.run() : await s.cmd("resume", "--agent-command", s.agent.command), 0);
			assert.deepEqual([s.executed(), s.done()], [["1.2", "2.1"], ALL]);
			const state = s.state();
			assert.deepEqual(
				[state.learnings.length, state.supervisor.checks_performed, state.safety_bounds.max_cost, state.safety_bounds.cost_so_far],
				[1, 7, "$7.50", "$0.20"],
			);
			assert.match(s.agent.calls().find((call) => call.type === "execute")?.prompt ?? "", /lesson-from-elsewhere/);
			assert.equal(left(), "");
		});

	it("C-02 S-49 S-14: a checkpoint put back by hand after the end goes on when its document is run", async () => {
		const s = phased();
		exited(await s.run(), 0);
		const second = s.state().checkpoints[1];
		git(s.repo, "reset", "-q", "--hard", second?.git_sha ?? "");
		writeState(s, read(s.repo, ".claude", second?.state_snapshot ?? ""));
		exited(await s.run(), 0);
		assert.deepEqual([s.executed(), s.done()], [[...ALL, "2.1"], ALL]);
		exited(await s.run(), 0);
		assert.deepEqual(s.executed().slice(4), ALL, "what is completed is not gone on with: it starts anew");
	});

	it("S-39 S-40: an agent that breaks down uses up no iteration", async () => {
		const s = quickPhased([{ when: { type: "execute", story: "1.1", nth: 1 }, do: ["exit 3"] }], documentOf(["1.1"]));
		exited(await s.run("--max-iterations", "1"), 0);
		assert.deepEqual([s.executed(), s.state().completed_tasks[0]?.iterations], [["1.1", "1.1"], 1]);
	});

	it("S-14: what --fresh took the place of is not gone on with later", async () => {
		const s = quickPhased([{ when: { type: "execute", story: "1.2", nth: 1 }, do: [CRASH] }]);
		assert.match(exited(await s.run(), 1).stderr, /pawl dies here/);
		exited(await s.run("--fresh"), 0);
		const before = s.executed().length;
		assert.doesNotMatch(exited(await s.run(), 0).stderr, /going on with/);
		assert.deepEqual(s.executed().slice(before), ALL);
	});

	it("X-22 S-41: status tells of the iterations of the task under way", async () => {
		const s = phased([
			{ when: { type: "execute", story: "1.1", nth: 2 }, do: [waits("second"), ...built()] },
			{ when: { type: "execute", story: "1.1", nth: 1 }, do: built({ status: "incomplete" }) },
		]);
		const started = s.begin("--max-iterations", "9");
		await until("the second iteration", () => exists(s.agent.flag("at-second")));
		assert.match(exited(await s.cmd("status"), 0).stdout, /iterations of 1\.1: 1 of 9, re plans 0 of 3/);
		put(s.agent.home, { "go-second": "" });
		exited(await started.done, 0);
		assert.match(exited(await s.cmd("status"), 0).stdout, /iterations: at most 9 a story/);
	});
});
