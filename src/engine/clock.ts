// The only place where the engine learns what time it is and asks to be called later. Tests give it a virtual one.

export interface Clock {
	/** Milliseconds since 1970, UTC. */
	now(): number;
	/** Calls back once, after so many milliseconds; returns a function that cancels the call. */
	after(ms: number, work: () => void): () => void;
}

/** Node fires a timer of 2^31 ms or more immediately, so long waits are cut into pieces. */
const LONGEST_TIMER_MS = 60 * 60_000;

export function systemClock(now: () => number = Date.now): Clock {
	return {
		now,
		after(ms, work) {
			const due = now() + ms;
			let timer: NodeJS.Timeout;
			const wait = (): void => {
				const left = Math.max(0, due - now());
				timer = setTimeout(left > LONGEST_TIMER_MS ? wait : work, Math.min(left, LONGEST_TIMER_MS));
			};
			wait();
			return () => clearTimeout(timer);
		},
	};
}
