// Asks again when something changed, but never twice at once and not more often than the answer is worth: a big answer waits longer. What
// failed for the moment is asked again by itself: no further change may come. An answer that arrives after the end is dropped: whoever asks in
// its place may have a newer one.
import { isPassing } from "./api-error.ts";

const SHORTEST_MS = 120;
/** The part of the time that may go into asking. */
const SHARE = 4;
const AGAIN_MS = 2_000;

export class Throttle<T> {
	private readonly get: () => Promise<T>;
	private readonly take: (answer: T) => void;
	private readonly fail: (error: unknown) => void;
	private busy = false;
	private wanted = false;
	private ended = false;
	private timer: ReturnType<typeof setTimeout> | undefined;
	/** Not before this moment. */
	private next = 0;

	constructor(get: () => Promise<T>, take: (answer: T) => void, fail: (error: unknown) => void) {
		this.get = get;
		this.take = take;
		this.fail = fail;
	}

	ask(): void {
		this.wanted = true;
		if (this.busy || this.timer !== undefined || this.ended) return;
		this.timer = setTimeout(() => this.go(), Math.max(0, this.next - performance.now()));
	}

	end(): void {
		this.ended = true;
		clearTimeout(this.timer);
	}

	private go(): void {
		this.timer = undefined;
		this.wanted = false;
		this.busy = true;
		const from = performance.now();
		let wait = SHORTEST_MS;
		this.get()
			.then((answer) => {
				if (!this.ended) this.take(answer);
			})
			.catch((error: unknown) => {
				if (this.ended) return;
				this.fail(error);
				if (!isPassing(error)) return;
				this.wanted = true;
				wait = AGAIN_MS;
			})
			.finally(() => {
				const took = performance.now() - from;
				this.busy = false;
				this.next = performance.now() + Math.max(wait, took * SHARE);
				if (this.wanted) this.ask();
			});
	}
}
