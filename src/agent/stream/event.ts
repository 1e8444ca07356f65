// What the readers of known streams share: safe access to untrusted JSON, and the result they produce.
import { NO_USAGE, type ToolCall } from "../../agent.ts";
import type { Failure } from "../../core/definition.ts";
import type { Usage } from "../../core/model.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface StreamError {
	readonly result: Failure;
	readonly message: string;
	/** When to try again, if the agent said so. */
	readonly retryAt: number | null;
}

export interface AgentOutput {
	readonly text: string;
	readonly usage: Usage;
	readonly sessionId: string | null;
	readonly model: string | null;
	/** How many of the input tokens came from a cache. */
	readonly cachedTokens: number | null;
	readonly turns: number | null;
	readonly toolCalls: number;
	readonly tools: readonly ToolCall[];
	/** The failure that the stream reported. */
	readonly error: StreamError | null;
	/** The agent is retrying because of this error and has made no progress since. */
	readonly retrying: StreamError | null;
	/** The agent recovered from this error. It counts if the exit code reports a failure all the same. */
	readonly overcome: StreamError | null;
	/** A tool call was refused. If the session then just stops, this is the reason. */
	readonly denied: string | null;
	/** The final event of a known stream was seen. Plain text has none and is always complete. */
	readonly finished: boolean;
}

/** The result of an agent that reports nothing. */
export const NO_OUTPUT: AgentOutput = {
	text: "",
	usage: NO_USAGE,
	sessionId: null,
	model: null,
	cachedTokens: null,
	turns: null,
	toolCalls: 0,
	tools: [],
	error: null,
	retrying: null,
	overcome: null,
	denied: null,
	finished: true,
};

/** Reads the events of one known agent. */
export interface EventReader {
	event(event: JsonObject): void;
	/** The result so far. */
	output(): AgentOutput;
}

export function objectOf(value: unknown): JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}

/** Nothing that an agent reports (a cost, tokens, a time in milliseconds) is as large as this: more is nonsense, which is as good as nothing. */
const BEYOND_REASON = 1e15;

export function numberOf(value: unknown): number | null {
	return typeof value === "number" && value >= 0 && value < BEYOND_REASON ? value : null;
}

/** The event's own time, else the time at which it arrived. */
export function timeOf(value: unknown, now: () => number): number {
	const told = typeof value === "string" ? Date.parse(value) : Number.NaN;
	return Number.isNaN(told) ? now() : told;
}

/** Adds known amounts; two unknown amounts stay unknown. */
export function plus(a: number | null, b: number | null): number | null {
	return a === null ? b : b === null ? a : a + b;
}

export function minus(a: number | null, b: unknown): number | null {
	return a === null ? null : Math.max(0, a - (numberOf(b) ?? 0));
}

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		costUsd: plus(a.costUsd, b.costUsd),
		inputTokens: plus(a.inputTokens, b.inputTokens),
		outputTokens: plus(a.outputTokens, b.outputTokens),
	};
}
