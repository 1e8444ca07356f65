// Ends an agent that reported a usage limit and then went silent: it is sitting out a long retry-after. pawl should do that waiting,
// because it can tell a person and let other work continue.
import type { AgentRequest } from "../../agent.ts";
import type { StreamError } from "../stream/event.ts";
import type { OutputReader } from "../stream/reader.ts";

/** Long, because the agent may be past the limit and thinking: a lost answer costs more than a few minutes. */
const LONGEST_SILENCE_MS = 5 * 60_000;

export interface LimitWatch {
	readonly signal: AbortSignal;
	/** To be called when something was printed. */
	heard(): void;
	/** The limit for which the agent was ended. */
	passed(): StreamError | null;
	stop(): void;
}

export function watchLimit(request: AgentRequest, reader: OutputReader): LimitWatch {
	// In a short step this must come before the timeout.
	const silence = Math.min(LONGEST_SILENCE_MS, request.timeoutMs / 3);
	const ended = new AbortController();
	let passed: StreamError | null = null;
	let timer: NodeJS.Timeout | undefined;
	return {
		signal: ended.signal,
		heard: () => {
			clearTimeout(timer);
			const told = reader.retrying();
			// A lost connection is not a limit: a retry mostly works.
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
