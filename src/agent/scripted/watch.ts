// Ends a call from outside: the caller cancels it, its time is up, or it is silent for too long. The same as for the agent `command`.
import { setTimeout as sleep } from "node:timers/promises";

export type Ending = "cancelled" | "timeout" | "stalled";

export interface Watch {
	/** Aborts when the call is over, for whatever reason. */
	readonly signal: AbortSignal;
	/** What ended the call; null while it runs and when it ended by itself. */
	ending(): Ending | null;
	/** Call it on output: it restarts the silence timer. */
	active(): void;
	/** To be called when the call ended by itself. */
	close(): void;
}

// setTimeout fires a longer timer at once.
const LONGEST = 2 ** 31 - 1;

/** Waits for any length of time; returns early when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
	const until = performance.now() + ms;
	for (let left = ms; left > 0 && !signal.aborted; left = until - performance.now())
		await sleep(Math.min(left, LONGEST), undefined, { signal }).catch(() => undefined);
}

export function watchCall(limits: { readonly timeoutMs: number; readonly stallMs: number | null }, cancel: AbortSignal): Watch {
	const over = new AbortController();
	let ending: Ending | null = null;
	let lastActive = performance.now();
	const end = (why: Ending): void => {
		if (over.signal.aborted) return;
		ending = why;
		over.abort();
	};
	const onCancel = (): void => end("cancelled");
	const watchSilence = async (stallMs: number): Promise<void> => {
		for (let left = stallMs; left > 0 && !over.signal.aborted; left = lastActive + stallMs - performance.now())
			await pause(left, over.signal);
		end("stalled");
	};

	cancel.addEventListener("abort", onCancel);
	if (cancel.aborted) onCancel();
	void pause(limits.timeoutMs, over.signal).then(() => end("timeout"));
	if (limits.stallMs !== null) void watchSilence(limits.stallMs);
	return {
		signal: over.signal,
		ending: () => ending,
		active() {
			lastActive = performance.now();
		},
		close() {
			cancel.removeEventListener("abort", onCancel);
			over.abort();
		},
	};
}
