// Taking over what a file says about a run, before its engine starts: what the journal still had under way is ended and what it still
// wanted done is dropped, as both belong to a course of things that somebody has put an end to.
import type { Adopted } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { runningAttempts } from "../core/query.ts";
import { transition } from "../core/transition.ts";
import { sweep } from "../process.ts";
import type { Rows, Store } from "../store.ts";
import { markOf } from "./mark.ts";

export interface AdoptRequest {
	readonly store: Store;
	readonly state: RunState;
	readonly at: number;
	readonly rows: (before: RunState, after: RunState) => Rows | null;
}

/** Only with the run's lock. The state after it; null where another process was faster. */
export async function adopt({ store, state, at, rows }: AdoptRequest, adopted: Adopted): Promise<RunState | null> {
	await Promise.all(
		runningAttempts(state).map((r) => sweep(markOf(state.id, { scope: r.scope, step: r.step.id, attempt: r.attempt.number }))),
	);
	const next = transition(state, { type: "adopt", at, ...adopted });
	if (next.state === null) return null;
	const changed = rows(state, next.state);
	const result = store.commit({
		run: state.id,
		expectedVersion: state.version,
		events: next.events,
		effects: next.effects,
		done: store.pending(state.id).map((effect) => effect.seq),
		taken: [],
		summary: {
			id: state.id,
			workflow: state.definition.name,
			title: state.title,
			status: next.state.status,
			createdAt: state.createdAt,
			updatedAt: at,
		},
		...(changed === null ? {} : { rows: changed }),
	});
	return result.ok ? next.state : null;
}
