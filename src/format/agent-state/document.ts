// `agent-state.json`, schema version 1.0: its shape, and reading one that others may have written. The JSON Schema is made from this.
import { z } from "zod";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { AGENT_TYPES, CHECK_TYPES, CONFLICT_TYPES, LEARNING_TYPES, SEVERITIES } from "./words.ts";

const time = z.iso.datetime({ offset: true, error: "an ISO 8601 time is wanted here" });
const count = z.int({ error: "a whole number is wanted here" }).min(0, "0 is the least");
const money = z.string().regex(/^\$\d+(\.\d+)?$/, "an amount such as $10 or $0.75 is wanted here");
const span = z.string().regex(/^(?=\d)(\d+h)? ?(\d+m)? ?(\d+s)?$/, "a duration such as 2h, 15m 23s or 0h 34m 8s is wanted here");
const label = z.string().min(1, "the label of a task, such as 1.2, is wanted here");

const intervention = z.object({
	timestamp: time,
	check_type: z.enum(CHECK_TYPES),
	task: z.string(),
	conflict_type: z.enum(CONFLICT_TYPES),
	severity: z.enum(SEVERITIES),
	action: z.enum(["re_plan", "auto_fix", "pass"]),
	resolution: z.string(),
});
const activeAgent = z.object({
	type: z.enum(AGENT_TYPES),
	task: z.string(),
	started: time,
	iteration: count,
	status: z.enum(["in_progress", "waiting", "blocked"]),
});
const completedTask = z.object({
	task: label,
	name: z.string(),
	completed: time,
	iterations: count,
	time_elapsed: span,
	cost: money,
	files_modified: z.array(z.string()),
	success_criteria_met: z.record(z.string(), z.boolean()),
});
const pendingTask = z.object({ phase: count, task: label, name: z.string() });
const learning = z.object({
	timestamp: time,
	task: z.string(),
	iteration: count,
	type: z.enum(LEARNING_TYPES),
	lesson: z.string(),
	pattern: z.string(),
	context: z.string(),
});
const milestone = z.object({ phase: count, name: z.string(), completed: time, issue_url: z.string().min(1) });
const checkpoint = z.object({
	timestamp: time,
	phase: count,
	task: z.string(),
	git_sha: z.string().regex(/^[0-9A-Za-z]{7,64}$/, "the name of a commit is wanted here"),
	state_snapshot: z.string().regex(/^checkpoint-\d{3,}\.json$/, "the name of a snapshot, checkpoint-NNN.json, is wanted here"),
});

export const agentStateSchema = z
	.strictObject({
		orchestrator: z.object({
			status: z.enum(["planning", "executing", "reviewing", "completed", "failed"]),
			task_doc: z.string().regex(/^\//, "an absolute path is wanted here"),
			current_phase: count,
			total_phases: count,
			current_task: z.string().regex(/^\d+\/\d+$/, "N/M is wanted here: the task and how many its phase has"),
			ralph_iteration: count,
			outer_ralph: z.boolean(),
			start_time: time,
			end_time: time.nullable(),
		}),
		supervisor: z.object({
			enabled: z.boolean(),
			checks_performed: count,
			conflicts_detected: count,
			auto_fixes_applied: count,
			re_plans_triggered: count,
			last_check: time.nullable(),
			interventions: z.array(intervention),
		}),
		active_agents: z.array(activeAgent),
		completed_tasks: z.array(completedTask),
		pending_tasks: z.array(pendingTask),
		safety_bounds: z.object({
			max_iterations_per_task: z.int().min(1),
			max_cost: money,
			max_time: span,
			cost_so_far: money,
			elapsed_time: span,
			warnings: z.array(z.string()),
		}),
		learnings: z.array(learning),
		milestones: z.array(milestone),
		checkpoints: z.array(checkpoint),
	})
	.meta({ title: "The state of a phased run, version 1.0" });

export type AgentState = z.infer<typeof agentStateSchema>;
export type Intervention = z.infer<typeof intervention>;
export type CompletedTask = z.infer<typeof completedTask>;
export type Learning = z.infer<typeof learning>;
export type Milestone = z.infer<typeof milestone>;
export type Checkpoint = z.infer<typeof checkpoint>;

export type ReadState =
	| { readonly ok: true; readonly state: AgentState }
	/** `corrupt`: not JSON. `old`: the previous format, which is not migrated. `invalid`: it breaks the schema or a rule. */
	| { readonly ok: false; readonly kind: "corrupt" | "old" | "invalid"; readonly problems: readonly string[] };

export function readAgentState(text: string): ReadState {
	const read = readForeignJson(text);
	if (!read.ok) return { ok: false, kind: "corrupt", problems: [`it is not JSON: ${read.message.slice(0, 200)}`] };
	const { value } = read;
	if (isOld(value))
		return {
			ok: false,
			kind: "old",
			problems: [
				"it has the format of the earlier automated-workflow (status, current_step, total_steps at the top), which is not migrated",
			],
		};
	const parsed = agentStateSchema.safeParse(value);
	if (!parsed.success)
		return {
			ok: false,
			kind: "invalid",
			problems: parsed.error.issues
				.slice(0, 20)
				.map((issue) => `${issue.path.join(".").slice(0, 200) || "the document"}: ${issue.message.slice(0, 300)}`),
		};
	const problems = contradictions(parsed.data);
	return problems.length > 0 ? { ok: false, kind: "invalid", problems } : { ok: true, state: parsed.data };
}

function isOld(value: unknown): boolean {
	if (typeof value !== "object" || value === null || "orchestrator" in value) return false;
	return "status" in value && ("current_step" in value || "total_steps" in value);
}

/** Rules across fields, which the schema of single fields cannot express. */
function contradictions(state: AgentState): string[] {
	const { orchestrator: o, supervisor: s } = state;
	const problems: string[] = [];
	const [n = 0, m = 0] = o.current_task.split("/").map(Number);
	if (n > m) problems.push(`orchestrator.current_task: there is no task ${n} of ${m}`);
	const phases = o.total_phases;
	if (phases > 0 && o.current_phase >= phases)
		problems.push(`orchestrator.current_phase: phases count from 0, so ${o.current_phase} of ${phases} does not exist`);
	for (const [key, list] of Object.entries({
		pending_tasks: state.pending_tasks,
		milestones: state.milestones,
		checkpoints: state.checkpoints,
	}))
		for (const [i, entry] of list.entries())
			if (phases > 0 && entry.phase >= phases)
				problems.push(`${key}.${i}.phase: phases count from 0, so ${entry.phase} of ${phases} does not exist`);
	const done = state.completed_tasks.map((t) => t.task);
	const pending = state.pending_tasks.map((t) => t.task);
	for (const [key, ids] of Object.entries({ completed_tasks: done, pending_tasks: pending })) {
		const seen = new Set<string>();
		for (const id of ids) {
			if (seen.has(id)) problems.push(`${key}: ${id} appears twice`);
			seen.add(id);
		}
	}
	const completed = new Set(done);
	for (const id of pending.filter((one) => completed.has(one))) problems.push(`pending_tasks: ${id} is completed already`);
	for (const task of state.completed_tasks)
		for (const [criterion, met] of Object.entries(task.success_criteria_met))
			if (!met) problems.push(`completed_tasks: ${task.task} is completed, but ${criterion} is false`);
	if (s.conflicts_detected < s.interventions.length) problems.push("supervisor.conflicts_detected: there are more interventions than that");
	return problems;
}
