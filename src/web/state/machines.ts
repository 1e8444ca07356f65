// The machines that share the runs, if any do. Nothing tells of a worker that comes or goes, so they are asked for again.
import { signal } from "@preact/signals";
import { get } from "../api/request.ts";
import type { MachinesView } from "../api/types.ts";

/** null: the runs are those of one machine, or it is not known yet. */
export const machines = signal<MachinesView | null>(null);

/** What cannot be had for the moment stays as it was. */
export async function askForMachines(): Promise<void> {
	try {
		machines.value = await get<MachinesView | null>("machines");
	} catch {
		// The next time.
	}
}
