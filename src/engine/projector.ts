// Keeps the projections close to the journal: written together at most every 200 ms, and immediately when somebody is about to read
// them (before the next agent starts, before pawl exits). A file that has become large is not written for every agent: a run of thousands of steps would
// spend its time on it.
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Projection } from "../format.ts";
import type { Clock } from "./clock.ts";

const LATEST_MS = 200;
/** So much later for each megabyte: a large file costs in proportion to its size, and every commit to the journal that follows waits for it. */
const LATER_MS = 1000;
const MEGABYTE = 1024 * 1024;

export class Projector {
	private readonly projections: readonly Projection[];
	private readonly onError: (error: unknown) => void;
	private readonly clock: Clock;
	private cancelTimer: (() => void) | null = null;
	private writing: Promise<void> = Promise.resolve();

	constructor(projections: readonly Projection[], clock: Clock, onError: (error: unknown) => void) {
		this.projections = projections;
		this.clock = clock;
		this.onError = onError;
	}

	apply(events: readonly Event[], state: RunState): void {
		for (const event of events) for (const projection of this.projections) projection.apply(event, state);
		if (this.cancelTimer === null && this.projections.some((p) => p.dirty))
			this.cancelTimer = this.clock.after(LATEST_MS + LATER_MS * Math.floor(this.bytes / MEGABYTE), () => {
				this.cancelTimer = null;
				this.write(() => true).catch(this.onError);
			});
	}

	/** Whether one of the projections writes this file, whoever else works in the checkout that it is in. */
	isOwn(file: string): boolean {
		return this.projections.some(({ files = [] }) => files.includes(file));
	}

	/** For somebody who is about to read them: all but the large ones. */
	flush(): Promise<void> {
		return this.write(({ bytes = 0 }) => bytes < MEGABYTE);
	}

	private get bytes(): number {
		return this.projections.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
	}

	private write(which: (projection: Projection) => boolean): Promise<void> {
		const next = this.writing.then(async () => {
			for (const projection of this.projections) if (projection.dirty && which(projection)) await projection.write();
		});
		this.writing = next.catch(() => {});
		return next;
	}

	async close(): Promise<void> {
		this.cancelTimer?.();
		this.cancelTimer = null;
		await this.write(() => true);
	}
}
