// The agent contract: one prompt to a fresh process, its output streamed to disk, exactly one outcome. An agent never throws.
import type { Failure } from "./core/definition.ts";
import type { Usage } from "./core/model.ts";
import type { Sandbox } from "./core/sandbox/sandbox.ts";

export interface AgentRequest {
	readonly prompt: string;
	readonly cwd: string;
	/** The whole environment of the process. */
	readonly env: Readonly<Record<string, string>>;
	/** Unique for this attempt. Everything that the agent starts carries it in its environment, so that pawl can find and end it. */
	readonly mark: string;
	/** What everything that the agent starts runs in; the agent adds what its own program needs. */
	readonly sandbox?: Sandbox;
	readonly timeoutMs: number;
	readonly stallMs: number | null;
	/** The output is appended to this file as JSON lines. */
	readonly logFile: string;
	/** How many bytes of the attempt are kept there; of more, the beginning and the end. */
	readonly logMax?: number;
	readonly model: string | null;
	/** How much effort the model should make, for agents that have an option for it. */
	readonly effort?: string;
	/** The role may not write. For agents that have a flag for it; the engine checks afterwards in any case. */
	readonly readOnly: boolean;
	/** What else the role may not do, for agents that have flags for it. */
	readonly denied?: readonly ("run" | "commit" | "network")[];
	/** Texts to keep out of every log. */
	readonly secrets: readonly string[];
	/** Which attempt this is, for agents that act on it. */
	readonly who: {
		readonly run: string;
		readonly story: string;
		readonly step: string;
		readonly type: string;
		readonly role: string;
		readonly attempt: number;
		readonly sharedDir: string;
	};
	/** The agent is stopped as soon as its output shows that it passed one of these limits. */
	readonly maxTurns?: number | null;
	readonly maxCostUsd?: number | null;
	/** Keeps the session, so that a later attempt can continue it. Without this the session is fresh and leaves nothing. */
	readonly session?: KeptSession;
	/** Called now and then while output arrives, with the usage so far. */
	readonly onProgress?: (progress: { readonly bytes: number; readonly usage: Usage }) => void;
}

export interface KeptSession {
	/** Where the agent keeps what it needs for that. The caller removes it. */
	readonly folder: string;
	/** The session to continue; null for a fresh one. An agent that cannot continue it starts a fresh one with the whole prompt. */
	readonly continue: string | null;
	/** Said instead of the prompt in a session that is continued and so has heard the prompt before. */
	readonly message?: string;
}

/** One tool call, as far as the agent reports it. */
export interface ToolCall {
	readonly name: string;
	/** The file, command or address that it was for, shortened. */
	readonly target: string | null;
	readonly ms: number | null;
	readonly ok: boolean | null;
}

export interface AgentDetails {
	/** Part of the input tokens. */
	readonly cachedTokens: number | null;
	/** An unknown cost is never treated as zero. */
	readonly costFrom: "reported" | "price table" | "unknown";
	/** How often the model answered. */
	readonly turns: number | null;
	readonly toolCalls: number;
	/** The most recent ones. */
	readonly tools: readonly ToolCall[];
}

export interface AgentOutcome {
	readonly result: "ok" | "cancelled" | Failure;
	/** One line for a person; null when ok. */
	readonly error: string | null;
	/** The final message; only the last part of a very long one. */
	readonly text: string;
	readonly usage: Usage;
	readonly exitCode: number | null;
	/** For rate_limited and overloaded: when to try again, if known. */
	readonly retryAt: number | null;
	readonly sessionId: string | null;
	/** The session was kept, and a later request can continue it. */
	readonly resumable?: boolean;
	readonly model: string | null;
	/** Bytes that were left out of its log. */
	readonly logCut?: number;
	/** Only from agents that report it. */
	readonly details?: AgentDetails;
}

/** What an agent that pawl did not start brought back from a step it had claimed. */
export interface BroughtLog {
	readonly attempt: number;
	readonly step: string;
	readonly role: string;
	/** The most bytes that its log may hold. */
	readonly logMax?: number;
	/** Everything that it printed, as it was given to us. */
	readonly output: string;
	readonly result: string;
	readonly error: string | null;
	readonly secrets: readonly string[];
	readonly at: number;
}

/** `cut`: how many bytes of the log were left out. */
export type KeptBrought = { readonly cut: number } | { readonly problem: string };

/** What a person is told about an agent that pawl knows by name. */
export interface AgentInfo {
	readonly name: string;
	readonly program: string;
	/** The version that the tests drive. */
	readonly tested: string;
	readonly install: string;
	readonly login: string;
	/** The sign that somebody is logged in (a variable is set, a file exists; never its content), or null. */
	loggedIn(env: Readonly<Record<string, string | undefined>>): string | null;
	/** It has no option for the effort of its model. */
	readonly effortless?: boolean;
}

export interface Agent {
	readonly name: string;
	/** Its sessions never say what they cost, and no prices are set for it. */
	readonly unpriced?: boolean;
	/** It has no option for the effort of its model: what is asked for is not used. */
	readonly effortless?: boolean;
	/** Why it cannot be used here (not installed, not executable), or null. Asked before a run starts. */
	problem(): Promise<string | null>;
	run(request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome>;
}

export const NO_USAGE: Usage = { costUsd: null, inputTokens: null, outputTokens: null };

/** Tells an agent where it works. `RALPH_SHARED_DIR` and the name of the compose project are there because scripts of users rely on them. */
export const placeEnv = (sharedDir: string, slot: number): Readonly<Record<string, string>> => ({
	PAWL_SHARED_DIR: sharedDir,
	RALPH_SHARED_DIR: sharedDir,
	COMPOSE_PROJECT_NAME: `ralph_agent_${slot}`,
});
