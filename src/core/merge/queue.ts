// The merges of a run that are under way, in the order of their turns, and what each of them is put on top of meanwhile. A view of the
// journal: a merge leaves the queue when its attempt ends, whatever ended it. Nothing here decides what gets onto base: the merge itself does,
// on its turn (ADR 23).
import type { Effect } from "../effect.ts";
import type { RunState, Stack } from "../model.ts";
import { runningAttempts, typeOf } from "../query.ts";

export interface QueuedMerge {
	/** The story. */
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	/** null: it is not put together yet. */
	readonly stack: Stack | null;
}

export function mergeQueue(state: RunState): QueuedMerge[] {
	return runningAttempts(state)
		.filter(({ step }) => typeOf(state, step)?.action === "merge")
		.toSorted((a, b) => (a.attempt.place ?? 0) - (b.attempt.place ?? 0))
		.map(({ scope, step, attempt }) => ({ scope, step: step.id, attempt: attempt.number, stack: attempt.stack ?? null }));
}

export type Turn =
	/** Nobody is in front of it. */
	| { readonly turn: "now" }
	/** The story in front of it that stands, and its commit. */
	| { readonly turn: "behind"; readonly story: string; readonly commit: string }
	/** None of those in front of it stands: on top of base as it is. */
	| { readonly turn: "base" }
	/** The one in front of it is not put together yet. */
	| { readonly turn: "wait" };

/** Where the merge of a story is; `now` if it is not in the queue. */
export function turnOf(state: RunState, scope: string): Turn {
	const queue = mergeQueue(state);
	const front = queue.slice(
		0,
		Math.max(
			0,
			queue.findIndex((one) => one.scope === scope),
		),
	);
	if (front.length === 0) return { turn: "now" };
	const last = front.findLast(({ stack }) => stack === null || stack.commit !== null);
	if (last === undefined) return { turn: "base" };
	return last.stack?.commit == null ? { turn: "wait" } : { turn: "behind", story: last.scope, commit: last.stack.commit };
}

/** Whether work on top of this commit, of that story or of base, is where it has to be. Base itself is git's to compare. */
export const isOn = (turn: Turn, behind: string | null, onto: string): boolean =>
	turn.turn === "behind" ? turn.story === behind && turn.commit === onto : turn.turn !== "wait" && behind === null;

/** Whether an effect can be carried out now, in a run that machines share: a merge whose turn has not come would only keep a worker from what is in front of it. */
export const isDue = (state: RunState, effect: Effect): boolean =>
	effect.effect !== "start_attempt" || turnOf(state, effect.scope).turn === "now";
