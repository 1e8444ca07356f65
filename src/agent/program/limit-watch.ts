// Ends an agent that told of a usage limit and then went silent: it obeys a long retry-after, and the wait belongs to pawl,
// which can tell a person of it and let other work go on.
import type { AgentRequest } from "../../agent.ts";
import type { StreamError } from "../stream/event.ts";
import type { OutputReader } from "../stream/reader.ts";

/** Long, because it may have got through already and think: an answer that is lost costs more than a few minutes. */
const LONGEST_SILENCE_MS = 5 * 60_000;

export interface LimitWatch {
	readonly signal: AbortSignal;
	/** Something was printed. */
	heard(): void;
	/** The limit that it was ended for. */
	passed(): StreamError | null;
	stop(): void;
}

export function watchLimit(request: AgentRequest, reader: OutputReader): LimitWatch {
	// A short step must not be over before.
	const silence = Math.min(LONGEST_SILENCE_MS, request.timeoutMs / 3);
	const ended = new AbortController();
	let passed: StreamError | null = null;
	let timer: NodeJS.Timeout | undefined;
	return {
		signal: ended.signal,
		heard: () => {
			clearTimeout(timer);
			const told = reader.retrying();
			// A connection that was lost is no limit: after that it works, mostly.
			if (told?.result !== "rate_limited") return;
			timer = setTimeout(() => {
				passed = told;
				ended.abort();
			}, silence);
		},
		passed: () => passed,
		stop: () => clearTimeout(timer),
	};
}
