// Reads a state file back into a run: one that another tool wrote, or a snapshot that a person restored. Pure.

import type { Definition } from "../../../core/definition.ts";
import type { Event } from "../../../core/event.ts";
import { fold } from "../../../core/fold/apply.ts";
import type { Adopted, StorySeed } from "../../../core/input.ts";
import { type AgentState, readAgentState } from "../document.ts";
import type { Group } from "../phases.ts";
import { comparable, dollarsOf, msOf } from "../values.ts";
import { ADOPTED, AgentStateView, ITERATIONS, LEARNINGS } from "../view.ts";

export interface Candidates {
	readonly definition: Definition;
	/** Every known task, in the order of the document. After a new plan there may be several with one id, the newest last. */
	readonly tasks: readonly StorySeed[];
	readonly phases: readonly Group[];
	/** The tasks come from the document; one that the file does not mention is still to be done. */
	readonly whole?: boolean;
}

export type Adoption = { readonly ok: true; readonly adopted: Adopted } | { readonly ok: false; readonly problems: readonly string[] };

export function adoptionOf(text: string, reason: string, { definition, tasks, phases, whole = false }: Candidates): Adoption {
	const read = readAgentState(text);
	if (!read.ok) return { ok: false, problems: read.problems };
	const { state } = read;
	if (state.orchestrator.status === "completed")
		return { ok: false, problems: ["it says that the run is completed: there is nothing to go on with"] };
	const problems: string[] = [];
	const done = state.completed_tasks.map((task): StorySeed => {
		const known = seedOf(tasks, task.task, task.name);
		return { ...(known ?? seed(task.task, task.name, Object.keys(task.success_criteria_met))), passes: true };
	});
	const now = currentOf(state, tasks, phases);
	const rest = state.pending_tasks.flatMap((task): StorySeed[] => {
		const known = seedOf(tasks, task.task, task.name);
		if (known) return [known];
		const other = tasks.findLast((one) => one.id === task.task);
		problems.push(
			other
				? `task ${task.task} is called ${JSON.stringify(task.name)} in it, but ${JSON.stringify(other.title)} in the document`
				: `task ${task.task} is pending, but the document has no such task`,
		);
		return [];
	});
	if (problems.length > 0) return { ok: false, problems };
	const listed = [...(now ? [now] : []), ...rest];
	// After a new plan, a missing task was dropped on purpose.
	const forgotten =
		whole && state.supervisor.re_plans_triggered === 0 ? tasks.filter((t) => ![...done, ...listed].some((one) => one.id === t.id)) : [];
	const left = forgotten.length === 0 ? listed : [...listed, ...forgotten].sort((a, b) => placeIn(tasks, a) - placeIn(tasks, b));
	const stories = [...done, ...left];
	if (stories.length === 0) return { ok: false, problems: ["it has no tasks"] };
	return {
		ok: true,
		adopted: { reason, stories, done: stepsDone(state, definition, left.length), ...spent(text, state, definition) },
	};
}

const placeIn = (tasks: readonly StorySeed[], { id }: StorySeed): number => tasks.findIndex((one) => one.id === id);

const seed = (id: string, title: string, criteria: readonly string[]): StorySeed => ({
	id,
	title,
	description: "",
	criteria,
	priority: 1,
	dependsOn: [],
	expectsChange: false,
	group: id.split(".")[0] ?? id,
});

const seedOf = (tasks: readonly StorySeed[], id: string, name: string): StorySeed | undefined =>
	tasks.findLast((one) => one.id === id && one.title.trim() === name.trim());

/** The task that is neither pending nor completed: the one that an executor works on, else the one that `current_task` counts to. */
function currentOf(state: AgentState, tasks: readonly StorySeed[], phases: readonly Group[]): StorySeed | undefined {
	const { orchestrator: o } = state;
	if (o.status === "planning") return undefined;
	const taken = new Set([...state.completed_tasks, ...state.pending_tasks].map((t) => t.task));
	const open = tasks.filter((one) => !taken.has(one.id));
	const active = state.active_agents.find((a) => open.some((one) => one.id === a.task))?.task;
	if (active !== undefined) return open.findLast((one) => one.id === active);
	const label = phases[o.current_phase]?.label;
	const position = Number(o.current_task.split("/")[0]);
	const ids = [...new Set(tasks.filter((one) => one.group === label).map((one) => one.id))];
	const counted = [
		...ids.filter((id) => state.completed_tasks.some((t) => t.task === id)),
		...ids.filter((id) => !state.completed_tasks.some((t) => t.task === id)),
	];
	return open.findLast((one) => one.id === counted[position - 1]);
}

/** Steps of the run before the tasks were done when the first task began; the tasks themselves when none is left. */
function stepsDone(state: AgentState, definition: Definition, left: number): string[] {
	const { status, current_task } = state.orchestrator;
	const begun = status === "executing" || status === "reviewing" || state.completed_tasks.length > 0 || current_task !== "0/0";
	const at = definition.steps.findIndex((s) => definition.types[s.type]?.kind === "each");
	if (!begun || at < 0) return [];
	return definition.steps.slice(0, left === 0 ? at + 1 : at).map((s) => s.type);
}

function spent(text: string, state: AgentState, definition: Definition): Pick<Adopted, "fields" | "budgets" | "elapsedMs" | "kept"> {
	const { safety_bounds: b, supervisor } = state;
	const elapsedMs = msOf(b.elapsed_time);
	const plans = definition.budgets["re_plans"];
	return {
		fields: { [ADOPTED]: text, supervisor: String(supervisor.enabled) },
		budgets: {
			cost: { limit: dollarsOf(b.max_cost), spent: dollarsOf(b.cost_so_far) },
			time: { limit: msOf(b.max_time), spent: elapsedMs },
			[ITERATIONS]: { limit: b.max_iterations_per_task, spent: 0 },
			...(plans ? { re_plans: { limit: plans.limit, spent: supervisor.re_plans_triggered } } : {}),
		},
		elapsedMs,
		kept: state.learnings.map((l) => ({ name: LEARNINGS, text: [l.type, l.lesson, l.pattern, l.context].join(" | ") })),
	};
}

/** Every task that a journal has ever known. */
export function tasksIn(events: readonly Event[]): StorySeed[] {
	return events.flatMap((event) =>
		event.event === "stories_added" || event.event === "stories_replaced" || event.event === "run_adopted" ? event.stories : [],
	);
}

/** Restoring an older snapshot does not restore its limits: a limit that the run already knew keeps its current value. */
export function withCurrentLimits(adopted: Adopted, events: readonly Event[]): Adopted {
	const state = fold(events);
	if (state === null) return adopted;
	const known = (name: string, limit: number): boolean =>
		state.definition.budgets[name]?.limit === limit ||
		state.options.budgets[name] === limit ||
		events.some(
			(e) =>
				(e.event === "budget_extended" && e.budget === name && e.limit === limit) ||
				(e.event === "run_adopted" && e.budgets[name]?.limit === limit),
		);
	const budgets = Object.entries(adopted.budgets).map(([name, { limit, spent }]) => {
		const now = state.budgets[name]?.limit ?? limit;
		return [name, { spent, limit: known(name, limit) ? now : limit }] as const;
	});
	return { ...adopted, budgets: Object.fromEntries(budgets) };
}

/** The longest delay of a write. */
const LOOK_BACK = 400;

/** Whether pawl would have written this text near the end of the journal. Running agents and durations are ignored: people may remove
 * agents that are gone. */
export function isOwnState(text: string, events: readonly Event[]): boolean {
	const read = readAgentState(text);
	if (!read.ok) return false;
	const wanted = comparable(read.state);
	const view = new AgentStateView();
	for (const [i, event] of events.entries()) {
		view.apply(event);
		if (view.run !== null && i >= events.length - LOOK_BACK && comparable(view.document()) === wanted) return true;
	}
	return false;
}
