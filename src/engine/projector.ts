// Keeps the projections close to the journal: written together at most every 200 ms, and immediately when somebody is about to read
// them (before the next agent starts, before pawl exits). A large file that was written a moment ago is not written for the next agent: steps of
// milliseconds would spend their time on it.
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Projection } from "../format.ts";
import type { Clock } from "./clock.ts";

const LATEST_MS = 200;
/** The pause after a write, for each megabyte: a large file costs in proportion to its size, and every commit to the journal that follows waits for it. */
const PAUSE_MS = 1000;
const MEGABYTE = 1024 * 1024;
/** Some two hundred steps. */
const SMALL = MEGABYTE / 8;

const pauseAfter = ({ bytes = 0 }: Projection): number => (bytes < SMALL ? 0 : (PAUSE_MS * bytes) / MEGABYTE);

export class Projector {
	private readonly projections: readonly Projection[];
	private readonly onError: (error: unknown) => void;
	private readonly clock: Clock;
	private cancelTimer: (() => void) | null = null;
	private writing: Promise<void> = Promise.resolve();
	private readonly writtenAt = new Map<Projection, number>();

	constructor(projections: readonly Projection[], clock: Clock, onError: (error: unknown) => void) {
		this.projections = projections;
		this.clock = clock;
		this.onError = onError;
	}

	apply(events: readonly Event[], state: RunState): void {
		for (const event of events) for (const projection of this.projections) projection.apply(event, state);
		if (this.cancelTimer === null && this.projections.some((p) => p.dirty))
			this.cancelTimer = this.clock.after(LATEST_MS + Math.max(...this.projections.map(pauseAfter)), () => {
				this.cancelTimer = null;
				this.write(() => true).catch(this.onError);
			});
	}

	/** Whether one of the projections writes this file, whoever else works in the checkout that it is in. */
	isOwn(file: string): boolean {
		return this.projections.some(({ files = [] }) => files.includes(file));
	}

	/** For somebody who is about to read them: all but large ones that were written a moment ago. */
	flush(): Promise<void> {
		const now = this.clock.now();
		// A clock that was put back makes nobody wait.
		return this.write((one) => Math.abs(now - (this.writtenAt.get(one) ?? Number.NEGATIVE_INFINITY)) >= pauseAfter(one));
	}

	private write(which: (projection: Projection) => boolean): Promise<void> {
		const next = this.writing.then(async () => {
			for (const projection of this.projections) {
				if (!projection.dirty || !which(projection)) continue;
				await projection.write();
				this.writtenAt.set(projection, this.clock.now());
			}
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
