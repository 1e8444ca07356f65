// Events → agent-state.json, with the real definition and a scripted world, without files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { StorySeed } from "../../core/input.ts";
import { cost, storyOf } from "../../core/testing/builders.suite.ts";
import { type Script, type Setup, World } from "../../core/testing/world.suite.ts";
import { loadDefinition } from "../../definition/load.ts";
import { adoptionOf, isOwnState, tasksIn } from "./adoption/adoption.ts";
import { readAgentState } from "./document.ts";
import { AgentStateView, CHECKPOINT, FILES, MILESTONES } from "./view.ts";

const loaded = await loadDefinition(fileURLToPath(new URL("../../../workflows/phased", import.meta.url)));
assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems));
const { definition } = loaded;

const seed = (id: string, group: string, more: Partial<StorySeed> = {}) =>
	storyOf(id, { title: `Task ${id}`, group, criteria: ["Tests pass `true`", "Notes are written"], expectsChange: false, ...more });
/** Labels and places differ on purpose: the first phase is called 3. */
const SEEDS = [seed("3.1", "3"), seed("3.2", "3"), seed("7.1", "7")];
const PHASES = [
	{ label: "3", name: "Foundation" },
	{ label: "7", name: "Roof" },
];
const USUAL: Script = {
	pre_task: { signal: "pass", changed: false },
	post_task: { signal: "pass", changed: false },
	checkpoint: { facts: { [CHECKPOINT]: "a".repeat(40), [FILES]: '["src/a.ts"]' } },
	scan: { signal: "clean" },
};
const world = (setup: Setup = {}) =>
	new World(definition, {
		stories: SEEDS,
		options: { yes: true, mode: "document" },
		fields: { phases: JSON.stringify(PHASES), supervisor: "true" },
		...setup,
	});
const viewOf = (w: World): AgentStateView => {
	const view = new AgentStateView();
	for (const event of w.events) view.apply(event);
	return view;
};
/** What the file says, checked against the format. */
const stateOf = (w: World) => {
	const text = viewOf(w).render();
	const read = readAgentState(text);
	assert.ok(read.ok, read.ok ? "" : read.problems.join("\n"));
	return read.state;
};

test("S-03 S-04 S-06 S-22 S-23 S-54: planning, executing, reviewing, completed; the outer loop only while it runs", () => {
	const w = world({ options: { yes: false, mode: "document" } });
	const at = () => {
		const { orchestrator: o } = stateOf(w);
		return [o.status, o.current_phase, o.total_phases, o.current_task, o.ralph_iteration, o.outer_ralph, o.end_time === null];
	};
	assert.deepEqual(at(), ["planning", 0, 2, "0/0", 0, false, true]);
	w.play(USUAL);
	assert.deepEqual([w.state.status, ...at()], ["waiting", "planning", 0, 2, "0/0", 0, false, true]);
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	assert.deepEqual(at(), ["executing", 0, 2, "1/2", 0, false, true]);
	w.until("scan", USUAL);
	assert.deepEqual(at(), ["reviewing", 1, 2, "1/1", 1, true, true]);
	w.until("improve", { ...USUAL, scan: { signal: "findings" } });
	assert.deepEqual(at().slice(5, 6), [true]);
	w.until("pull_request", USUAL);
	assert.deepEqual([at()[0], at()[5]], ["reviewing", false]);
	w.play(USUAL);
	assert.deepEqual(at(), ["completed", 1, 2, "1/1", 1, false, false]);
});

test("S-08 S-45: a run that fails, is rejected or cancelled, or reaches a bound is failed, with its end; and continues after that", () => {
	const rejected = world({ options: { yes: false, mode: "document" } }).play(USUAL);
	rejected.feed({ type: "decide", scope: null, step: null, verdict: "reject", reason: "no" });
	const cancelled = world().until("3.1 execute", USUAL);
	cancelled.feed({ type: "stop", how: "cancel" });
	cancelled.end("3.1 execute", "cancelled");
	const reviewing = world().until("scan", USUAL);
	reviewing.feed({ type: "stop", how: "cancel" });
	reviewing.end("scan", "cancelled");
	const bound = world({ options: { yes: true, mode: "document", budgets: { cost: 1 }, allowUnknownCost: true } }).play({
		...USUAL,
		execute: { usage: cost(2) },
	});
	for (const w of [rejected, cancelled, reviewing, bound]) {
		const { orchestrator: o } = stateOf(w);
		assert.deepEqual([o.status, o.end_time === null], ["failed", false], w.state.status);
	}
	assert.match(stateOf(bound).safety_bounds.warnings.join("\n"), /cost budget of \$1 is used up/);
	bound.feed({ type: "extend", budgets: { cost: 9 } });
	bound.feed({ type: "resume" });
	assert.deepEqual([stateOf(bound).orchestrator.status, stateOf(bound).orchestrator.end_time], ["executing", null]);
});

test("S-17 S-18 S-19 S-37 C-20: phases and tasks count by their place, labels are never counted with", () => {
	const w = world();
	const seen: unknown[] = [];
	for (const id of ["3.1", "3.2", "7.1"]) {
		w.until(`${id} execute`, USUAL);
		const { orchestrator: o, pending_tasks: pending } = stateOf(w);
		seen.push([o.current_phase, o.current_task, pending.map((p) => [p.phase, p.task])]);
		w.end(`${id} execute`);
	}
	assert.deepEqual(seen, [
		[
			0,
			"1/2",
			[
				[0, "3.2"],
				[1, "7.1"],
			],
		],
		[0, "2/2", [[1, "7.1"]]],
		[1, "1/1", []],
	]);
	w.play(USUAL);
	assert.deepEqual(
		stateOf(w).checkpoints.map((c) => [c.phase, c.task, c.state_snapshot]),
		[
			[0, "3.1", "checkpoint-001.json"],
			[0, "3.2", "checkpoint-002.json"],
			[1, "7.1", "checkpoint-003.json"],
		],
	);
});

test("S-20 S-21 S-32 S-39: iterations count from 1 while they run, start anew with every task, and are what the task took", () => {
	const w = world();
	const seen: unknown[] = [];
	for (let i = 0; i < 3; i++) {
		w.until("3.1 execute", USUAL);
		const { orchestrator: o, active_agents: a } = stateOf(w);
		seen.push([o.ralph_iteration, a.map((one) => [one.type, one.task, one.iteration, one.status])]);
		w.end("3.1 execute", { signal: i < 2 ? "incomplete" : "done" });
	}
	assert.deepEqual(
		seen,
		[1, 2, 3].map((n) => [n, [["task-executor", "3.1", n, "in_progress"]]]),
	);
	assert.deepEqual(
		stateOf(w).active_agents.map((a) => a.type),
		["supervisor"],
	);
	w.until("3.2 pre_task", USUAL);
	assert.equal(stateOf(w).orchestrator.ralph_iteration, 0);
	w.play(USUAL);
	assert.deepEqual(
		stateOf(w).completed_tasks.map((t) => t.iterations),
		[3, 1, 1],
	);
	assert.deepEqual(stateOf(w).active_agents, []);
});

test("S-24 S-25 S-27 S-30 T-34: every verdict of the supervisor is a check; conflicts become interventions, told with what came of them", () => {
	const conflict = (severity: string, action: string) => ({
		signal: action,
		changed: false,
		fields: { SEVERITY: severity, CONFLICT_TYPE: "pattern", RESOLUTION: `do ${action}` },
	});
	const w = world().play({
		...USUAL,
		"3.1 pre_task": ["lost", conflict("low", "auto_fix")],
		"3.1 post_task": [conflict("low", "auto_fix"), { signal: "pass", changed: false }],
		fixed: { facts: { fixed_files: "src/a.ts" } },
		"3.2 pre_task": [
			conflict("high", "re_plan"),
			{ signal: "pass", changed: false, fields: { SEVERITY: "low", CONFLICT_TYPE: "api", RESOLUTION: "fine" } },
		],
		replan: { stories: [seed("3.2", "3", { title: "Other" }), seed("7.1", "7")] },
	});
	const { supervisor: s, completed_tasks } = stateOf(w);
	const calls = w.started.filter((one) => /pre_task|post_task/.test(one)).length;
	assert.equal(s.checks_performed, calls - 1, "the call that was lost came to no verdict");
	assert.deepEqual([s.conflicts_detected, s.auto_fixes_applied, s.re_plans_triggered], [4, 2, 1]);
	assert.deepEqual(
		s.interventions.map((i) => [i.check_type, i.task, i.conflict_type, i.severity, i.action, i.resolution]),
		[
			["pre_task", "3.1", "pattern", "low", "auto_fix", "do auto_fix (done by the executor)"],
			["post_task", "3.1", "pattern", "low", "auto_fix", "do auto_fix (changed: src/a.ts)"],
			["pre_task", "3.2", "pattern", "high", "re_plan", "do re_plan (planned anew: 3.2, 7.1)"],
			["pre_task", "3.2", "api", "low", "pass", "fine"],
		],
	);
	assert.notEqual(s.last_check, null);
	assert.deepEqual(
		completed_tasks.map((t) => t.name),
		["Task 3.1", "Other", "Task 7.1"],
	);
});

test("T-34: a fix counts when it was made, and only if something was changed", () => {
	const low = { signal: "auto_fix", changed: false, fields: { SEVERITY: "low", CONFLICT_TYPE: "api", RESOLUTION: "rename it" } };
	const w = world().until("3.1 execute", { ...USUAL, pre_task: low });
	const fixes = () => stateOf(w).supervisor.auto_fixes_applied;
	assert.deepEqual([fixes(), stateOf(w).supervisor.conflicts_detected], [0, 1]);
	w.end("3.1 execute", { signal: "incomplete" });
	assert.equal(fixes(), 0, "the executor is not done");
	w.until("3.1 post_task", USUAL);
	assert.equal(fixes(), 1);
	w.end("3.1 post_task", low);
	w.until("3.1 fix", USUAL);
	assert.equal(fixes(), 1, "nobody has repaired it yet");
	w.until("3.1 post_task", { ...USUAL, fixed: { facts: { fixed_files: "" } } });
	assert.equal(fixes(), 1);
	assert.match(stateOf(w).supervisor.interventions.at(-1)?.resolution ?? "", /rename it \(nothing was changed\)/);
	w.end("3.1 post_task", low);
	w.until("3.1 post_task", { ...USUAL, fixed: { facts: { fixed_files: "a.ts" } } });
	assert.equal(fixes(), 2);
});

test("T-34: iterations of a task go on through a new plan of it", () => {
	const w = world().until("3.1 post_task", USUAL);
	w.end("3.1 post_task", { signal: "re_plan", changed: false, fields: { SEVERITY: "high", CONFLICT_TYPE: "api", RESOLUTION: "not so" } });
	w.until("3.1 execute", { ...USUAL, replan: { stories: SEEDS } });
	assert.equal(stateOf(w).orchestrator.ralph_iteration, 2);
	w.play(USUAL);
	assert.deepEqual(
		stateOf(w).completed_tasks.map((t) => t.iterations),
		[2, 1, 1],
	);
});

test("T-34: an agent that waits for a limit or a person is waiting; one whose step a person is asked about is blocked", () => {
	const agents = (w: World) => stateOf(w).active_agents.map((a) => [a.type, a.task, a.status]);
	const limited = world().until("3.1 execute", USUAL);
	limited.end("3.1 execute", { signal: "rate_limited", error: "later", retryAt: limited.at + 60_000 });
	assert.deepEqual(agents(limited), [["task-executor", "3.1", "waiting"]]);
	limited.play(USUAL);
	assert.deepEqual([limited.state.status, agents(limited)], ["completed", []]);

	const asked = world().play({
		...USUAL,
		"3.1 execute": { checks: [{ name: "tests_pass", command: "no-such", exitCode: 127, output: "", signal: "criterion_broken" }] },
	});
	assert.deepEqual(agents(asked), [["task-executor", "3.1", "blocked"]]);
	asked.feed({ type: "decide", scope: null, step: null, verdict: "retry", reason: "" });
	assert.deepEqual(agents(asked), [["task-executor", "3.1", "in_progress"]]);

	const paused = world().until("3.1 execute", USUAL);
	paused.feed({ type: "stop", how: "pause" });
	paused.end("3.1 execute", "cancelled");
	assert.deepEqual([paused.state.status, agents(paused)], ["paused", [["task-executor", "3.1", "waiting"]]]);
	const cancelled = world().until("3.1 execute", USUAL);
	cancelled.feed({ type: "stop", how: "cancel" });
	cancelled.end("3.1 execute", "cancelled");
	assert.deepEqual(agents(cancelled), []);
});

test("T-31: a criterion whose command cannot be run asks a person once, with its command; the criterion can be mended", () => {
	const broken = { name: "tests_pass", command: "no-such --all", exitCode: 127, output: "not found", signal: "criterion_broken" };
	const w = world().play({ ...USUAL, "3.1 execute": { checks: [broken] } });
	assert.equal(w.state.status, "waiting");
	assert.deepEqual(
		w.started.filter((one) => one.endsWith("execute")),
		["3.1 execute"],
	);
	const asked = w.effects.find((one) => one.effect === "notify" && one.about === "waiting");
	assert.match(asked?.effect === "notify" ? asked.text : "", /`no-such --all` exited 127 \(there is no such command\)/);
	w.feed({ type: "add_stories", stories: [], changed: [seed("3.1", "3", { criteria: ["Tests pass `true`"] })] });
	w.feed({ type: "decide", scope: null, step: null, verdict: "retry", reason: "" });
	w.play(USUAL);
	assert.deepEqual([w.state.status, Object.keys(stateOf(w).completed_tasks[0]?.success_criteria_met ?? {})], ["completed", ["tests_pass"]]);
	const failing = world().play({ ...USUAL, "3.1 execute": [{ checks: [{ ...broken, exitCode: 1, signal: undefined as never }] }, {}] });
	assert.equal(failing.state.status, "completed", "one that merely fails is the executor's");
});

test("S-26: without a supervisor none is started and nothing is counted", () => {
	const w = world({ fields: { phases: JSON.stringify(PHASES), supervisor: "false" } }).play(USUAL);
	const { supervisor: s } = stateOf(w);
	assert.deepEqual([s.enabled, s.checks_performed, s.last_check, w.started.filter((one) => one.includes("_task"))], [false, 0, null, []]);
	assert.equal(w.state.status, "completed");
});

test("S-34 S-35 S-41 S-42 S-43: completed tasks with time, cost, files and criteria; the costs add up; time stands still in a pause", () => {
	const w = world();
	for (const [id, usd] of [
		["3.1", 0.2],
		["3.2", 0.55],
	] as const) {
		w.until(`${id} execute`, USUAL);
		w.at += 923_000;
		w.end(`${id} execute`, { usage: cost(usd) });
	}
	w.until("7.1 execute", USUAL);
	w.feed({ type: "stop", how: "pause" });
	w.end("7.1 execute", "cancelled");
	w.at += 5_000_000;
	w.feed({ type: "resume" });
	const s = stateOf(w);
	assert.deepEqual(s.completed_tasks[0], {
		task: "3.1",
		name: "Task 3.1",
		completed: s.completed_tasks[0]?.completed,
		iterations: 1,
		time_elapsed: "15m 23s",
		cost: "$0.20",
		files_modified: ["src/a.ts"],
		success_criteria_met: { tests_pass: true, notes_are_written: true },
	});
	assert.deepEqual([s.safety_bounds.cost_so_far, s.safety_bounds.max_cost, s.safety_bounds.max_time], ["$0.75", "$10", "2h"]);
	assert.deepEqual([s.safety_bounds.max_iterations_per_task, s.safety_bounds.elapsed_time], [30, "0h 30m 46s"]);
});

test("S-44 S-40: warnings at 75 % and 90 %, each once; a limit that is reached is named", () => {
	const w = world({ options: { yes: true, mode: "document", budgets: { iterations: 4, cost: 10 }, allowUnknownCost: true } });
	w.play({ ...USUAL, execute: { signal: "incomplete", usage: cost(2.3) } });
	assert.equal(w.state.status, "stopped");
	assert.deepEqual([...stateOf(w).safety_bounds.warnings].sort(), [
		"Cost at 75% of limit",
		"Cost at 90% of limit",
		"Iterations at 75% of limit",
		"Iterations at 90% of limit",
		"The budget of 4 iterations is used up in 3.1",
	]);
	assert.equal(stateOf(w).orchestrator.current_task, "1/2");
});

test("S-46 S-47: learnings with their task and iteration; milestones as they were told", () => {
	const w = world().play({
		...USUAL,
		"3.1 execute": [
			{ signal: "incomplete", kept: [{ name: "learnings", text: "pattern | a | b | c" }] },
			{
				kept: [
					{ name: "learnings", text: "insight | d" },
					{ name: "learnings", text: " | " },
				],
			},
		],
		"3.2 milestone": { facts: { [MILESTONES]: JSON.stringify([{ phase: 0, name: "Foundation", url: "file:///x" }]) } },
	});
	const s = stateOf(w);
	assert.deepEqual(
		s.learnings.map((l) => [l.task, l.iteration, l.type, l.lesson, l.pattern, l.context]),
		[
			["3.1", 1, "pattern", "a", "b", "c"],
			["3.1", 2, "insight", "d", "", ""],
		],
	);
	assert.deepEqual(
		s.milestones.map((m) => [m.phase, m.name, m.issue_url]),
		[[0, "Foundation", "file:///x"]],
	);
});

const candidates = (w: World) => ({ definition, tasks: tasksIn(w.events), phases: PHASES });

test("S-48 S-49 C-02: a snapshot is a complete state of that moment, and adopting it brings the run back there", () => {
	const w = world().until("7.1 execute", USUAL);
	const [first] = viewOf(w).snapshots;
	assert.equal(first?.name, "checkpoint-001.json");
	const snapshot = first?.text ?? "";
	const read = readAgentState(snapshot);
	assert.ok(read.ok);
	assert.deepEqual(
		[read.state.completed_tasks.map((t) => t.task), read.state.active_agents, read.state.checkpoints.length],
		[["3.1"], [], 1],
	);
	const adoption = adoptionOf(snapshot, "restored", candidates(w));
	assert.ok(adoption.ok);
	w.jobs = [];
	w.feed({ type: "adopt", ...adoption.adopted });
	w.play(USUAL);
	assert.equal(w.state.status, "completed");
	const s = stateOf(w);
	assert.deepEqual(
		[s.completed_tasks.map((t) => t.task), s.checkpoints.map((c) => c.state_snapshot)],
		[
			["3.1", "3.2", "7.1"],
			["checkpoint-001.json", "checkpoint-002.json", "checkpoint-003.json"],
		],
	);
	assert.deepEqual(
		w.started.filter((one) => one.endsWith(" execute")),
		["3.1 execute", "3.2 execute", "7.1 execute", "3.2 execute", "7.1 execute"],
	);
});

test("C-02 S-40: finds the current task again, by its agent or by its number", () => {
	const w = world().until("3.2 execute", USUAL);
	const text = viewOf(w).render();
	const bare = JSON.stringify({ ...JSON.parse(text), active_agents: [] });
	for (const one of [text, bare]) {
		const adoption = adoptionOf(one, "", candidates(w));
		assert.ok(adoption.ok);
		assert.deepEqual(
			adoption.adopted.stories.map((s) => [s.id, s.passes ?? false]),
			[
				["3.1", true],
				["3.2", false],
				["7.1", false],
			],
		);
		assert.deepEqual(adoption.adopted.done, ["plan", "approve"]);
	}
	assert.ok(isOwnState(text, w.events) && isOwnState(bare, w.events), "who runs is not asked");
	assert.ok(!isOwnState(text.replace("Task 7.1", "Other"), w.events));
});

test("C-02: a state that cannot be adopted is refused with the reason", () => {
	const w = world().until("3.2 execute", USUAL);
	const state = JSON.parse(viewOf(w).render());
	const refused = (change: (s: typeof state) => void): string => {
		const copy = structuredClone(state);
		change(copy);
		const adoption = adoptionOf(JSON.stringify(copy), "", candidates(w));
		return adoption.ok ? "ok" : adoption.problems.join("\n");
	};
	assert.match(
		refused((s) => (s.pending_tasks[0].name = "Other")),
		/7\.1 is called "Other"/,
	);
	assert.match(
		refused((s) => (s.pending_tasks[0].task = "9.9")),
		/no such task/,
	);
	assert.match(
		refused((s) => (s.orchestrator.status = "completed")),
		/completed/,
	);
	assert.equal(
		refused(() => {}),
		"ok",
	);
	const planning = adoptionOf(viewOf(world({ options: { yes: false, mode: "document" } })).render(), "", candidates(w));
	assert.deepEqual(planning.ok && planning.adopted.done, [], "nothing was approved");
});

test("C-02 X-14: a task of the document that a file from elsewhere says nothing of is still to be done, in its place", () => {
	const w = world().until("3.2 execute", USUAL);
	const state = JSON.parse(viewOf(w).render());
	state.completed_tasks = [];
	const left = (more: object) => {
		const adoption = adoptionOf(JSON.stringify({ ...state, ...more }), "", { ...candidates(w), whole: true });
		return adoption.ok ? adoption.adopted.stories.map((s) => s.id) : adoption.problems;
	};
	assert.deepEqual(left({}), ["3.1", "3.2", "7.1"]);
	assert.deepEqual(left({ supervisor: { ...state.supervisor, re_plans_triggered: 1 } }), ["3.2", "7.1"], "a new plan may leave tasks out");
});

test("C-02 S-46: learnings from elsewhere become part of the run that adopts them, once in the file and in its prompts", () => {
	const w = world().until("3.2 execute", USUAL);
	const state = JSON.parse(viewOf(w).render());
	state.learnings = [
		{
			timestamp: "2026-01-15T12:15:00Z",
			task: "3.1",
			iteration: 1,
			type: "insight",
			lesson: "look first",
			pattern: "always",
			context: "here",
		},
	];
	const adoption = adoptionOf(JSON.stringify(state), "", candidates(w));
	assert.ok(adoption.ok);
	w.jobs = [];
	w.feed({ type: "adopt", ...adoption.adopted });
	assert.deepEqual(
		w.state.root.kept.map((k) => [k.name, k.text]),
		[["learnings", "insight | look first | always | here"]],
	);
	assert.equal(stateOf(w).learnings.length, 1);
});
