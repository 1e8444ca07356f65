// Looking at a run without changing anything: its events and the state that they fold into.
import { fold } from "../core/apply.ts";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { findRun, openRuns } from "./place.ts";

export interface Look {
	readonly root: string;
	readonly repository: Repository;
	readonly store: Store;
	readonly events: readonly Event[];
	readonly state: RunState;
}

export async function lookAt(c: Context, name: string | undefined, look: (l: Look) => void | Promise<void>): Promise<void> {
	const { root, store, repository } = await openRuns(c);
	try {
		const { id } = findRun(root, store, name);
		const events = store.events(id);
		await look({ root, repository, store, events, state: stateOf(id, events) });
	} finally {
		store.close();
	}
}

export function stateOf(run: string, events: readonly Event[]): RunState {
	const state = fold(events);
	if (state === null) throw new CliError(`the journal of run ${run} cannot be read: it does not begin with run_created`, EXIT.failed);
	return state;
}

/** Is somebody at it? A run that agents come to by themselves needs nobody. */
export function isDriven(store: Store, run: string, status: string): boolean {
	if (status !== "running") return false;
	if (store.isLocked(run)) return true;
	const [first] = store.events(run);
	return first?.event === "run_created" && startedWith(first).pull;
}

/** One JSON document, for scripts. */
export const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
