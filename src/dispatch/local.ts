// Lanes of one process: a list of those that wait, and workers that take them.
import type { Dispatch, Lane, Tenancy, Tenant, Worker, WorkerOptions } from "../dispatch.ts";

interface LocalWorker {
	readonly options: WorkerOptions;
	readonly tenant: Tenant;
	readonly leave: AbortController;
	readonly busy: Set<Promise<void>>;
}

const keyOf = ({ run, scope }: Lane): string => `${run}:${scope}`;

export function localDispatch(): Dispatch {
	/** In the order in which they were sent. */
	const waiting = new Map<string, Lane>();
	const working = new Set<string>();
	const workers = new Set<LocalWorker>();

	/** The first lane that this worker can take. One that somebody works on waits until that is over: what it was sent for may have come too late for them. */
	function next({ options, leave, busy }: LocalWorker): Lane | undefined {
		if (leave.signal.aborted || busy.size >= options.lanes) return undefined;
		const labels = new Set(options.labels);
		return [...waiting.values()].find((lane) => !working.has(keyOf(lane)) && (lane.requires ?? []).every((label) => labels.has(label)));
	}

	function hand(): void {
		for (const worker of workers)
			for (let lane = next(worker); lane !== undefined; lane = next(worker)) {
				waiting.delete(keyOf(lane));
				working.add(keyOf(lane));
				const stay = occupy(worker, lane).finally(() => worker.busy.delete(stay));
				worker.busy.add(stay);
			}
	}

	async function occupy(worker: LocalWorker, lane: Lane): Promise<void> {
		// Nobody takes a lane from a process that lives.
		const never = new AbortController().signal;
		const tenancy: Tenancy = { lane, lost: never, leave: worker.leave.signal, handOver: never };
		let outcome: "over" | "left" = "left";
		try {
			outcome = await worker.tenant(tenancy);
		} catch {
			// It has left.
		}
		working.delete(keyOf(lane));
		if (outcome === "left") waiting.set(keyOf(lane), lane);
		// After whoever waits for this tenant, and never in a tight loop with a tenant that fails at once.
		setImmediate(hand);
	}

	async function drain(worker: LocalWorker): Promise<void> {
		worker.leave.abort();
		while (worker.busy.size > 0) await Promise.all(worker.busy);
		workers.delete(worker);
	}

	return {
		send: async (lane) => {
			if (!waiting.has(keyOf(lane))) waiting.set(keyOf(lane), lane);
			hand();
		},
		work: async (options, tenant): Promise<Worker> => {
			const worker: LocalWorker = { options, tenant, leave: new AbortController(), busy: new Set() };
			workers.add(worker);
			hand();
			return { drain: () => drain(worker) };
		},
		close: async () => {
			await Promise.all([...workers].map(drain));
		},
	};
}
