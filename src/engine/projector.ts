// Keeps the projections near the journal: written together at most every 200 ms, and at once where somebody must see
// them (before the next agent starts, before pawl exits).
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Projection } from "../format.ts";

const LATEST_MS = 200;

export class Projector {
	private readonly projections: readonly Projection[];
	private readonly onError: (error: unknown) => void;
	private timer: NodeJS.Timeout | null = null;
	private writing: Promise<void> = Promise.resolve();

	constructor(projections: readonly Projection[], onError: (error: unknown) => void) {
		this.projections = projections;
		this.onError = onError;
	}

	apply(events: readonly Event[], state: RunState): void {
		for (const event of events) for (const projection of this.projections) projection.apply(event, state);
		if (this.timer === null && this.projections.some((p) => p.dirty))
			this.timer = setTimeout(() => {
				this.timer = null;
				this.flush().catch(this.onError);
			}, LATEST_MS);
	}

	flush(): Promise<void> {
		const next = this.writing.then(async () => {
			for (const projection of this.projections) if (projection.dirty) await projection.write();
		});
		this.writing = next.catch(() => {});
		return next;
	}

	async close(): Promise<void> {
		if (this.timer !== null) clearTimeout(this.timer);
		this.timer = null;
		await this.flush();
	}
}
