// The supervisor: when it looks, what its verdicts lead to, and that re-planning ends.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exited } from "../support/pawl.ts";
import { built, checked, documentOf, type PhasedSite, phased, quickPhased, waits } from "../support/phased-site.ts";
import { exists, put, until } from "../support/scratch.ts";

const task = (id: string, name: string) => ({
	task: id,
	name,
	description: `Do new-${id}.`,
	criteria: [`File exists \`test -f work/${id}.txt\``, "Notes are written"],
});
const plans = (...tasks: readonly unknown[]) => [`said=1; cat <<'END'\nSTATUS: done\nTASKS_JSON: ${JSON.stringify(tasks)}\nEND`];
const interventions = (s: PhasedSite) =>
	s.state().supervisor.interventions.map((i) => `${i.check_type} ${i.task} ${i.severity} ${i.action}`);

describe("the supervisor", () => {
	it("S-25: looks before and after each task", async () => {
		const s = quickPhased([], documentOf(["1.1", "1.2"]));
		exited(await s.run(), 0);
		assert.deepEqual(
			s.calls().slice(1, -1),
			["1.1", "1.2"].flatMap((id) => [`pre_task ${id}`, `execute ${id}`, `post_task ${id}`]),
		);
		assert.deepEqual([s.state().supervisor.checks_performed, s.during("execute")[0]?.supervisor.checks_performed], [4, 1]);
		assert.notEqual(s.state().supervisor.last_check, null);
	});

	it("S-28: a low conflict before a task is told to its executor; one after it is repaired and looked at again, three times; then a person decides", async () => {
		const s = quickPhased(
			[
				{ when: { type: "pre_task" }, do: checked("auto_fix", "low", "use-the-helper") },
				{ when: { type: "post_task" }, do: checked("auto_fix", "low", "name-it-so") },
				{ when: { type: "fix", nth: 1 }, do: built({ file: "work/renamed.txt" }) },
			],
			documentOf(["1.1"]),
		);
		const asked = exited(await s.run(), 3);
		assert.match(asked.stdout, /name-it-so/);
		assert.deepEqual(s.done(), [], "what nobody has passed is not completed");
		exited(await s.cmd("approve", "latest", "--resume"), 0);
		assert.match(s.agent.of("execute")[0]?.prompt ?? "", /use-the-helper/);
		assert.match(s.agent.of("fix")[0]?.prompt ?? "", /name-it-so/);
		assert.deepEqual([s.agent.of("fix").length, s.agent.of("post_task").length], [3, 4]);
		const { supervisor } = s.state();
		assert.deepEqual([supervisor.auto_fixes_applied, supervisor.conflicts_detected, supervisor.re_plans_triggered], [4, 5, 0]);
		assert.deepEqual(interventions(s), ["pre_task 1.1 low auto_fix", ...Array(4).fill("post_task 1.1 low auto_fix")]);
		assert.match(supervisor.interventions[1]?.resolution ?? "", /name-it-so \(changed: work\/renamed\.txt\)/);
		assert.match(supervisor.interventions[4]?.resolution ?? "", /name-it-so \(not settled: .*a person is asked\)/);
		assert.equal(s.state().completed_tasks[0]?.iterations, 4, "repairs are iterations");
	});

	it("S-28 S-48: a high conflict replaces all that is not completed, after a checkpoint; completed tasks stay", async () => {
		const s = quickPhased([
			{ when: { type: "pre_task", story: "1.2", nth: 1 }, do: checked("re_plan", "high", "walls-in-the-way", "architecture") },
			{ when: { type: "replan" }, do: plans(task("1.2", "Other walls"), task("2.1", "Job 2.1"), task("2.2", "Paint it")) },
		]);
		exited(await s.run(), 0);
		assert.deepEqual(s.executed(), ["1.1", "1.2", "2.1", "2.2"]);
		assert.deepEqual(
			s.state().completed_tasks.map((t) => t.name),
			["Job 1.1", "Other walls", "Job 2.1", "Paint it"],
		);
		const [replan] = s.agent.of("replan");
		assert.match(replan?.prompt ?? "", /walls-in-the-way/);
		assert.match(replan?.prompt ?? "", /1\.1: Job 1\.1 \(completed, commits [0-9a-f]{12}\.\.[0-9a-f]{12}\)/);
		assert.match(s.agent.of("execute")[1]?.prompt ?? "", /new-1\.2/);
		assert.deepEqual(
			s.state().checkpoints.map((c) => c.task),
			["1.1", "1.2", "1.2", "2.1", "2.2"],
			"the second is that before the new plan",
		);
		assert.deepEqual(
			s.state().milestones.map((m) => m.phase),
			[0, 1],
		);
		assert.match(s.state().supervisor.interventions[0]?.resolution ?? "", /planned anew: 1\.2, 2\.1, 2\.2/);
		assert.equal(s.state().supervisor.re_plans_triggered, 1);
	});

	it("S-28: a plan that cannot be is asked for again, with the reason", async () => {
		const s = quickPhased([
			{ when: { type: "pre_task", story: "1.2", nth: 1 }, do: checked("re_plan", "high") },
			{ when: { type: "replan", nth: 1 }, do: ["said=1; echo 'STATUS: done'"] },
			{ when: { type: "replan", nth: 2 }, do: plans(task("1.1", "Done already")) },
			{ when: { type: "replan", nth: 3 }, do: plans(task("1.2", "Good")) },
		]);
		exited(await s.run(), 0);
		assert.match(s.agent.of("replan")[1]?.prompt ?? "", /missing: TASKS_JSON/);
		assert.match(s.agent.of("replan")[2]?.prompt ?? "", /<earlier_report>[\s\S]*Done already/);
		assert.match(s.agent.of("replan")[2]?.prompt ?? "", /all of these tasks are completed/);
		assert.deepEqual(s.done(), ["1.1", "1.2"]);
	});

	it("S-31: a supervisor that always wants a new plan comes to an end: exit 1, failed, three re-plans", async () => {
		const s = quickPhased([
			{ when: { type: "pre_task" }, do: checked("re_plan", "critical") },
			{ when: { type: "replan" }, do: plans(task("1.1", "Again")) },
		]);
		exited(await s.run(), 1);
		const { supervisor, orchestrator } = s.state();
		assert.deepEqual([orchestrator.status, supervisor.re_plans_triggered, s.agent.of("replan").length, s.executed()], ["failed", 3, 3, []]);
		assert.match(supervisor.interventions.at(-1)?.resolution ?? "", /not done/);
		assert.match(s.state().safety_bounds.warnings.join("\n"), /the budget of 3 re plans is used up/);
	});

	it("S-25 S-29: a check on demand runs before the task goes on; a critical conflict stops the task first", async () => {
		const s = phased(
			[
				{ when: { type: "execute", story: "1.1", nth: 1 }, do: [waits("demand"), ...built({ status: "incomplete" })] },
				{ when: { type: "on_demand" }, do: checked("re_plan", "critical", "stop-here", "security") },
				{ when: { type: "replan" }, do: plans(task("1.1", "Safer")) },
			],
			documentOf(["1.1"]),
		);
		const started = s.begin();
		await until("the task", () => exists(s.agent.flag("at-demand")));
		assert.match(exited(await s.cmd("check", "latest"), 0).stdout, /on_demand of 1\.1 is next/);
		put(s.agent.home, { "go-demand": "" });
		exited(await started.done, 0);
		assert.deepEqual(s.calls().slice(1, 7), ["pre_task 1.1", "execute 1.1", "on_demand 1.1", "replan 1.1", "pre_task 1.1", "execute 1.1"]);
		assert.deepEqual(interventions(s), ["on_demand 1.1 critical re_plan"]);
		assert.equal(s.state().supervisor.checks_performed, 4);
		assert.deepEqual(
			s.state().completed_tasks.map((t) => t.name),
			["Safer"],
		);
	});

	it("S-25: a check on demand is refused where there is nothing to look at", async () => {
		const s = quickPhased([], documentOf(["1.1"]));
		exited(await s.cmd("run", "phased", "tasks/demo.md", "--agent-command", s.agent.command), 3);
		assert.match(exited(await s.cmd("check"), 2).stderr, /no story of run .* is under way/);
		assert.match(exited(await s.cmd("check", "latest", "plan"), 2).stderr, /not a check on demand; the workflow offers on_demand/);
	});
});
