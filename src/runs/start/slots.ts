// Slots are numbered across the whole repository: two unfinished runs never share one. A run in the user's tree has a number as
// well, because compose projects are named by it.
import { isOver } from "../../core/query.ts";
import type { RunSummary, Store } from "../../store.ts";

/** Those that may still do something in the worktrees of their slots: also runs that are over, but were killed before they had put back or removed what is there. */
export async function slotOwners(store: Store): Promise<RunSummary[]> {
	const owners: RunSummary[] = [];
	for (const run of await store.runs({ open: true, unsettled: true })) {
		// An attempt of a run that is over begins no more: only an agent that fetches its steps could have begun it.
		const isOwner = !isOver(run.status) || (await store.pending(run.id)).some(({ effect }) => effect.effect !== "start_attempt");
		if (isOwner) owners.push(run);
	}
	return owners;
}

export async function freeSlots(store: Store, wanted: number): Promise<number[]> {
	const taken = new Set<number>();
	for (const run of await slotOwners(store)) {
		const [first] = await store.events(run.id, 0, 1);
		if (first?.event === "run_created") for (const slot of first.options.slots) taken.add(slot);
	}
	const slots: number[] = [];
	for (let slot = 1; slots.length < wanted; slot++) if (!taken.has(slot)) slots.push(slot);
	return slots;
}
