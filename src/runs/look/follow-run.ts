// The events of a run from a position on, as they are committed, for a program that waits for them. It only reads.
import type { RunStatus } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type NumberedEvent, numbered } from "./journal.ts";
import { RunsReader } from "./reader.ts";

/** A process that dies leaves no event: how often to look whether one drives the run. */
const DRIVER_MS = 1_000;

export interface FollowFrom {
	/** Only events after this version. */
	readonly after?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

export interface Followed {
	readonly events: readonly NumberedEvent[];
	readonly status: RunStatus;
	/** false: nothing more comes by itself. The run has halted, or no process drives it. */
	readonly goesOn: boolean;
}

/** What is there already comes at once, and may be nothing; after that only what is new. `run`: its whole id. Ends when the run does not go on, or with the signal. */
export async function* followRun(c: RunsContext, run: string, { after = 0, signal }: FollowFrom = {}): AsyncGenerator<Followed, void> {
	if (!Number.isSafeInteger(after) || after < 0) throw new Refusal("invalid", `${after} is not the version of an event`);
	const reader = await RunsReader.open(c);
	const bell = new Bell(signal);
	let watch: { close(): void } | null = null;
	try {
		// Before the first look, so that nothing can happen between the two.
		watch = await reader.watch(() => bell.ring());
		for (let seen = after, first = true; signal?.aborted !== true; first = false) {
			bell.clear();
			const found = await look(c, reader, run, seen);
			seen += found.events.length;
			if (first || found.events.length > 0 || !found.goesOn) yield found;
			if (!found.goesOn) return;
			await bell.rung(DRIVER_MS);
		}
	} finally {
		watch?.close();
		await reader.close();
	}
}

async function look(c: RunsContext, reader: RunsReader, run: string, seen: number): Promise<Followed> {
	// An engine lets go of its run after its last commit: whoever asks in this order misses none.
	const held = (await reader.holder(run)) !== null;
	return reader.at(run, ({ state, events }) => {
		if (seen > events.length) throw new Refusal("invalid", `run ${run} has only ${events.length} events, not ${seen}`);
		const { status } = state;
		// Workers come and go, and so do agents that fetch their steps.
		const driven = held || c.db !== undefined || startedWith(state).pull;
		return { events: numbered(events.slice(seen), seen), status, goesOn: status === "running" && driven };
	});
}

/** Wakes who waits; also for what happened since `clear`. */
class Bell {
	private readonly signal: AbortSignal | undefined;
	private isRung = false;
	private wake: () => void = () => {};

	constructor(signal: AbortSignal | undefined) {
		this.signal = signal;
	}

	ring(): void {
		this.isRung = true;
		this.wake();
	}

	clear(): void {
		this.isRung = false;
	}

	/** Until it rings, the time is over, or the signal comes. */
	rung(ms: number): Promise<void> {
		return new Promise((resolve) => {
			const done = (): void => {
				clearTimeout(timer);
				this.signal?.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			this.wake = done;
			this.signal?.addEventListener("abort", done);
			if (this.isRung || this.signal?.aborted) done();
		});
	}
}
