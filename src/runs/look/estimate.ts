// What a run is likely to take before it starts: its sessions from its plan, and its cost from earlier runs of the workflow in this repository.
import type { RunState, Scope } from "../../core/model.ts";
import { isOver, typeOf } from "../../core/query.ts";
import { transition } from "../../core/transition.ts";
import type { RunSummary } from "../../store.ts";
import { usd } from "./json-values.ts";

export interface Estimate {
	/** If nothing has to be done again; null: a loop ends when its work is done. */
	readonly sessions: number | null;
	/** null: no earlier run says what it cost. */
	readonly cost_usd: number | null;
	/** How many runs that comes from. */
	readonly from_runs: number;
	/** Sessions of these runs did not report their cost: it will be more than that. */
	readonly at_least?: true;
}

/** Older ones say little about today's models and code. */
const MOST_RUNS = 10;
/** Among them may be runs of other workflows. */
export const RUNS_TO_LEARN_FROM = 100;

/** The run with its first steps planned. */
export const begun = (state: RunState, at: number): RunState => transition(state, { type: "advance", at }).state ?? state;

/** `state`: of a run that has just begun. `earlier`: newest first. */
export function estimateOf(state: RunState, earlier: readonly RunSummary[]): Estimate {
	const stories = state.stories.filter(({ status }) => status !== "completed");
	const planned = stories.find(({ scope }) => scope.steps.length > 0);
	const own = sessionsIn(state, state.root);
	const each = planned === undefined ? 0 : sessionsIn(state, planned.scope);
	const costs = costsOf(state, earlier, stories.length > 0);
	const mean = costs.length === 0 ? null : costs.reduce((sum, { cost }) => sum + cost, 0) / costs.length;
	return {
		sessions: own === null || each === null ? null : own + each * stories.length,
		cost_usd: mean === null ? null : usd(mean * Math.max(1, stories.length)),
		from_runs: costs.length,
		...(costs.some(({ more }) => more) ? { at_least: true as const } : {}),
	};
}

/** Of a story, where a run has some; else of the whole run. */
function costsOf({ definition }: RunState, earlier: readonly RunSummary[], byStory: boolean): { cost: number; more: boolean }[] {
	return earlier
		.flatMap(({ workflow, status, overview }) => {
			if (workflow !== definition.name || !isOver(status) || !overview || overview.costUsd === null) return [];
			const done = overview.progress?.storiesCompleted ?? 0;
			const more = overview.costMore === true;
			return byStory ? (done === 0 ? [] : [{ cost: overview.costUsd / done, more }]) : [{ cost: overview.costUsd, more }];
		})
		.slice(0, MOST_RUNS);
}

function sessionsIn(state: RunState, { steps }: Scope): number | null {
	let sessions = 0;
	for (const step of steps) {
		const type = typeOf(state, step);
		if (type?.kind === "loop") return null;
		if (type?.kind === "gate") sessions += type.members?.length ?? 0;
		if (type?.kind === "agent") sessions++;
	}
	return sessions;
}

/** "about 20 sessions, $6.20 (from 3 earlier runs here)"; null: nothing is known. */
export function estimateText({ sessions, cost_usd: cost, from_runs: runs, at_least: atLeast }: Estimate): string | null {
	if (sessions === null && cost === null) return null;
	const count = sessions === null ? [] : [`about ${sessions} ${sessions === 1 ? "session" : "sessions"}`];
	const from = `from ${runs} earlier ${runs === 1 ? "run" : "runs"} here`;
	const price =
		cost === null ? ["no earlier run here says what they cost"] : [`${atLeast ? "at least" : "about"} $${cost.toFixed(2)} (${from})`];
	return [...count, ...price].join(", ");
}
