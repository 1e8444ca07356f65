// Agents in process: a function for each role or step type does what an agent would do in its checkout, and says what it would say.
import type { Agent, AgentOutcome, AgentRequest, KeptSession } from "../../agent.ts";
import { NO_USAGE } from "../../agent.ts";
import type { Failure } from "../../core/definition.ts";
import type { Files } from "./files.suite.ts";
import type { Checkout } from "./memory-checkout.suite.ts";

/** One session, as the function that plays it sees it. */
export interface Turn {
	readonly run: string;
	/** Empty for a step of the run itself. */
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly role: string;
	readonly attempt: number;
	readonly prompt: string;
	/** What it is told instead of the prompt, if it continues a session. */
	readonly session?: KeptSession | undefined;
	/** The number of this session for its story, type and role, from 1, whichever process started it. */
	readonly nth: number;
	readonly files: Files;
	readonly checkout: Checkout;
	/** What a session that pawl starts gets; empty for one that pawl does not start. */
	readonly env: Readonly<Record<string, string>>;
	/** Where the run's files are, on disk. */
	readonly sharedDir: string;
	readonly signal: AbortSignal;
	now(): number;
	/** Time that has really passed, whatever the clock says. */
	ticks(): number;
	/** Takes this much time, or until it is told to end. */
	takes(ms: number): Promise<void>;
	/** Until it is told to end. */
	hangs(): Promise<void>;
	/** The process that started this session is killed now, and the session with it. */
	dies(): Promise<never>;
	/** It never comes back with an answer; only for an agent that pawl did not start. */
	leaves(): Promise<never>;
	/** Asks for changes of the steps ahead. */
	edit(operations: unknown): void;
}

/** Its final message, or its whole outcome. Without either it says "Done.". */
export type Reply = string | Partial<AgentOutcome> | undefined;
// biome-ignore lint/suspicious/noConfusingVoidType: a function that says nothing is fine
export type Part = string | ((turn: Turn) => Reply | void | Promise<Reply | void>);

/** By `STORY type`, `type role`, `type`, `role` or `*`; the first entry that exists plays. */
export type Cast = Readonly<Record<string, Part>>;

export type TurnKey = Pick<Turn, "story" | "type" | "role">;

export function partOf(cast: Cast, { story, type, role }: TurnKey): Part {
	const name = [`${story} ${type}`, `${type} ${role}`, type, role, "*"].find((key) => Object.hasOwn(cast, key));
	const part = name === undefined ? undefined : cast[name];
	if (part === undefined) throw new Error(`nobody plays ${story} ${type} ${role}`);
	return part;
}

export const fails = (result: Failure, error = `it ends in ${result}`, more: Partial<AgentOutcome> = {}): Partial<AgentOutcome> => ({
	result,
	error,
	...more,
});

/** One function per session; the last one repeats. */
export function inOrder(...parts: readonly [Part, ...Part[]]): Part {
	return (turn) => {
		const part = parts[Math.min(turn.nth, parts.length) - 1] ?? parts[0];
		return typeof part === "string" ? part : part(turn);
	};
}

export async function play(part: Part, turn: Turn): Promise<AgentOutcome> {
	const reply = (typeof part === "string" ? part : await part(turn)) ?? "Done.";
	const said = typeof reply === "string" ? { text: reply } : reply;
	if (turn.signal.aborted) return { ...NOTHING_SAID, result: "cancelled", error: "it was told to end" };
	return { ...NOTHING_SAID, ...said };
}

const NOTHING_SAID: AgentOutcome = {
	result: "ok",
	error: null,
	text: "",
	usage: NO_USAGE,
	exitCode: 0,
	retryAt: null,
	sessionId: null,
	model: null,
};

/** An agent that the engine can start. Like any agent, it has to keep its timeout itself. */
export function castAgent(name: string, turnOf: (request: AgentRequest, signal: AbortSignal) => { part: Part; turn: Turn }): Agent {
	return {
		name,
		problem: async () => null,
		run: async (request, signal) => {
			const { part, turn } = turnOf(request, signal);
			const begun = turn.ticks();
			const outcome = await play(part, turn);
			if (outcome.result !== "cancelled" && turn.ticks() - begun >= request.timeoutMs)
				return { ...outcome, result: "timeout", error: `it did not end in ${request.timeoutMs} ms` };
			return outcome;
		},
	};
}
