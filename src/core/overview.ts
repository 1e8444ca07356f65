// How far a run has come, in a few numbers: written beside the journal with every commit, so that a list of runs needs no replay.
import type { RunState, Step, Story, Time } from "./model.ts";
import { elapsed, isOver, typeOf, waitingSteps } from "./query.ts";

export interface Progress {
	readonly percent: number;
	readonly storiesCompleted: number;
	readonly storiesTotal: number;
	/** null: its stories are not in phases. */
	readonly phases: { readonly completed: number; readonly total: number } | null;
	/** How long the rest takes at this pace; null if that cannot be said. */
	readonly etaMs: number | null;
}

export interface Overview {
	/** The number of events in the journal. */
	readonly version: number;
	/** null: unknown. */
	readonly costUsd: number | null;
	/** Some sessions did not report their cost, so the run cost more than that. */
	readonly costMore?: true;
	/** null: it has no limit. */
	readonly maxCostUsd: number | null;
	/** How many steps wait for a person. */
	readonly waiting: number;
	/** null: it has no stories. */
	readonly progress: Progress | null;
	/** Absent: none was opened, or an earlier version wrote this. */
	readonly pullRequest?: string;
}

export const overviewOf = (state: RunState, at: Time): Overview => ({
	version: state.version,
	costUsd: state.totals.costUsd,
	...(state.totals.unknownCost > 0 && state.totals.costUsd !== null ? { costMore: true as const } : {}),
	maxCostUsd: state.budgets["cost"]?.limit ?? null,
	waiting: waitingSteps(state).length,
	progress: progressOf(state, at),
	...(state.pullRequest === undefined ? {} : { pullRequest: state.pullRequest.url }),
});

export function progressOf(state: RunState, at: Time): Progress | null {
	const { stories } = state;
	if (stories.length === 0) return null;
	const done = stories.filter((s) => s.status === "completed");
	const groups = [...new Set(stories.flatMap((s) => (s.group === null ? [] : [s.group])))];
	const unfinished = new Set(stories.flatMap((s) => (s.group !== null && s.status !== "completed" ? [s.group] : [])));
	// Stories that were done before the run say nothing about its pace.
	const own = done.filter((s) => s.claimedAt !== null).length;
	const left = stories.length - done.length;
	const over = state.status === "completed" || state.status === "failed" || state.status === "cancelled";
	return {
		percent: percentOf(state),
		storiesCompleted: done.length,
		storiesTotal: stories.length,
		phases: groups.length > 1 ? { completed: groups.length - unfinished.size, total: groups.length } : null,
		etaMs: left === 0 || own === 0 || over ? null : Math.round((elapsed(state, at) / own) * left),
	};
}

/** 100 only if nothing is left: the last steps of a story may all be done before its work has reached base, and steps of the run may come
 * after the stories. */
function percentOf(state: RunState): number {
	const { stories, root, status } = state;
	const percent = Math.floor((100 * stories.reduce((sum, story) => sum + shareDone(story), 0)) / stories.length);
	const isLeft = (step: Step): boolean => OPEN.has(step.status) && typeOf(state, step)?.kind !== "each" && !typeOf(state, step)?.internal;
	const done = stories.every((story) => story.status === "completed") && (isOver(status) || !root.steps.some(isLeft));
	return done ? percent : Math.min(percent, 99);
}

const OPEN: ReadonlySet<string> = new Set(["pending", "in_progress", "waiting"]);

/** Of a running story, by its steps. A failed or blocked one delivers nothing, however many of its steps are done. */
function shareDone({ status, scope: { steps } }: Story): number {
	if (status === "completed") return 1;
	if (status === "failed" || status === "blocked") return 0;
	const done = steps.filter((step) => step.status === "completed" || step.status === "skipped").length;
	return steps.length === 0 ? 0 : done / steps.length;
}
