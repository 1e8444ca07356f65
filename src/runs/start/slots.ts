// Slots are numbered across the whole repository: two unfinished runs never share one. A run in the user's tree has a number as
// well, because compose projects are named by it.
import type { Store } from "../../store.ts";

export async function freeSlots(store: Store, wanted: number): Promise<number[]> {
	const taken = new Set<number>();
	for (const run of await store.runs({ open: true })) {
		const [first] = await store.events(run.id, 0, 1);
		if (first?.event === "run_created") for (const slot of first.options.slots) taken.add(slot);
	}
	const slots: number[] = [];
	for (let slot = 1; slots.length < wanted; slot++) if (!taken.has(slot)) slots.push(slot);
	return slots;
}
