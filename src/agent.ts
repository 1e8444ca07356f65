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
	/** What else its role may not do, for agents that have flags for it. */
	readonly denied?: readonly ("run" | "commit" | "network")[];
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
	/** Where to stop it, however it goes on: as soon as its output shows that it went further. */
	readonly maxTurns?: number | null;
	readonly maxCostUsd?: number | null;
	/** A session that is kept in the run's folder, so that a later attempt can go on with it. Without this it is fresh and leaves nothing. */
	readonly session?: { readonly continue: string | null };
	/** Called now and then while output comes, with what is known of the usage so far. */
	readonly onProgress?: (progress: { readonly bytes: number; readonly usage: Usage }) => void;
}

/** One use of a tool, as far as the agent shows it. */
export interface ToolCall {
	readonly name: string;
	/** The file, command or address it was for, cut short. */
	readonly target: string | null;
	readonly ms: number | null;
	readonly ok: boolean | null;
}

export interface AgentDetails {
	/** Part of the input tokens. */
	readonly cachedTokens: number | null;
	/** Unknown is never taken for zero. */
	readonly costFrom: "reported" | "price table" | "unknown";
	/** Answers of the model. */
	readonly turns: number | null;
	readonly toolCalls: number;
	/** The newest of them. */
	readonly tools: readonly ToolCall[];
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
	/** From agents that show it. */
	readonly details?: AgentDetails;
}

/** What an agent brought back from a step that it had come for by itself. */
export interface BroughtLog {
	readonly attempt: number;
	readonly step: string;
	readonly role: string;
	/** All that it printed, as it gave it to us. */
	readonly output: string;
	readonly result: string;
	readonly error: string | null;
	readonly secrets: readonly string[];
	readonly at: number;
}

/** What a person is told about an agent that pawl knows by name. */
export interface AgentInfo {
	readonly name: string;
	readonly program: string;
	/** The version that the tests drive. */
	readonly tested: string;
	readonly install: string;
	readonly login: string;
	/** What says that somebody is logged in (a variable that is set, a file that is there; never its content), or null. */
	loggedIn(env: Readonly<Record<string, string | undefined>>): string | null;
}

export interface Agent {
	readonly name: string;
	/** Why it cannot be used here (not installed, not executable), or null. Asked before a run starts. */
	problem(): Promise<string | null>;
	run(request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome>;
}

export const NO_USAGE: Usage = { costUsd: null, inputTokens: null, outputTokens: null };

/** What every agent finds in its environment about the place it works in. The folder has a second name, and compose projects are called
 * as they are, because scripts of users know them by it. */
export const placeEnv = (sharedDir: string, slot: number): Readonly<Record<string, string>> => ({
	PAWL_SHARED_DIR: sharedDir,
	RALPH_SHARED_DIR: sharedDir,
	COMPOSE_PROJECT_NAME: `ralph_agent_${slot}`,
});
