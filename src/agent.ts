// The agent contract: one prompt in a fresh process, a stream of output to disk, exactly one outcome. It never throws.
import type { Failure } from "./core/definition.ts";
import type { Usage } from "./core/model.ts";

export interface AgentRequest {
	readonly prompt: string;
	readonly cwd: string;
	/** The whole environment of the process. */
	readonly env: Readonly<Record<string, string>>;
	/** Unique for this attempt; it stands in the environment of everything that the agent starts, so that it can be found. */
	readonly mark: string;
	readonly timeoutMs: number;
	readonly stallMs: number | null;
	/** Where the output goes, as JSON lines; appended to. */
	readonly logFile: string;
	readonly model: string | null;
	/** What the role may do, for agents that have flags for it; the engine checks afterwards anyway. */
	readonly readOnly: boolean;
	/** Texts that never reach a log. */
	readonly secrets: readonly string[];
	/** Who is asking, for agents that act by it. */
	readonly who: {
		readonly run: string;
		readonly story: string;
		readonly step: string;
		readonly type: string;
		readonly role: string;
		readonly attempt: number;
		readonly sharedDir: string;
	};
	/** Called now and then while output comes, with what is known of the usage so far. */
	readonly onProgress?: (progress: { readonly bytes: number; readonly usage: Usage }) => void;
}

export interface AgentOutcome {
	readonly result: "ok" | "cancelled" | Failure;
	/** One line for a person; null when ok. */
	readonly error: string | null;
	/** The final message; of a very long one, the last part. */
	readonly text: string;
	readonly usage: Usage;
	readonly exitCode: number | null;
	/** rate_limited, overloaded: when to try again, where that is known. */
	readonly retryAt: number | null;
	readonly sessionId: string | null;
	readonly model: string | null;
}

export interface Agent {
	readonly name: string;
	/** Why it cannot be used here (not installed, not executable), or null. Asked before a run starts. */
	problem(): Promise<string | null>;
	run(request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome>;
}

export const NO_USAGE: Usage = { costUsd: null, inputTokens: null, outputTokens: null };
