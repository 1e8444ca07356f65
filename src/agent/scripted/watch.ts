// What ends a call from outside: the caller, the clock, or silence. The same three that end a process of the agent `command`.
import { setTimeout as sleep } from "node:timers/promises";

export type Ending = "cancelled" | "timeout" | "stalled";

export interface Watch {
	/** Aborted when the call is over, for whatever reason. */
	readonly signal: AbortSignal;
	/** What ended it; null while it goes on, and when it ended by itself. */
	ending(): Ending | null;
	/** Something was put out: the silence starts anew. */
	active(): void;
	/** The call ended by itself. */
	close(): void;
}

// A longer timer fires at once.
const LONGEST = 2 ** 31 - 1;

/** Waits, however long; ends early, without a word, when the signal comes. */
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
