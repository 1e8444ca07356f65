// What the readers of the known streams have in common: looking into untrusted JSON, and what they find out.
import { NO_USAGE, type ToolCall } from "../../agent.ts";
import type { Failure } from "../../core/definition.ts";
import type { Usage } from "../../core/model.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface StreamError {
	readonly result: Failure;
	readonly message: string;
	/** When to try again, where that can be read. */
	readonly retryAt: number | null;
}

export interface AgentOutput {
	readonly text: string;
	readonly usage: Usage;
	readonly sessionId: string | null;
	readonly model: string | null;
	/** Of the input tokens, those that came from a cache. */
	readonly cachedTokens: number | null;
	readonly turns: number | null;
	readonly toolCalls: number;
	readonly tools: readonly ToolCall[];
	/** The stream itself said that it failed. */
	readonly error: StreamError | null;
	/** It tries again because of this, and has not got on since. */
	readonly retrying: StreamError | null;
	/** It went on after this error; what counts where its exit code says all the same that it failed. */
	readonly overcome: StreamError | null;
	/** A tool was refused; where the session then just stops, this is why. */
	readonly denied: string | null;
	/** The last event of a known stream was seen. Plain text has none and is always complete. */
	readonly finished: boolean;
}

/** What is known of an agent that shows nothing. */
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
	/** As far as it is known by now. */
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

export function numberOf(value: unknown): number | null {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The time that an event tells; otherwise when it came. */
export function timeOf(value: unknown, now: () => number): number {
	const told = typeof value === "string" ? Date.parse(value) : Number.NaN;
	return Number.isNaN(told) ? now() : told;
}

/** Adds what is known; unknown and unknown stay unknown. */
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
