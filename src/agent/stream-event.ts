// What the readers of the known streams have in common: looking into untrusted JSON, and what they find out.
import type { Failure } from "../core/definition.ts";
import type { Usage } from "../core/model.ts";

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
	/** The stream itself said that it failed. */
	readonly error: StreamError | null;
	/** The last event of a known stream was seen. Plain text has none and is always complete. */
	readonly finished: boolean;
}

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

/** Adds what is known; unknown and unknown stay unknown. */
export function plus(a: number | null, b: number | null): number | null {
	return a === null ? b : b === null ? a : a + b;
}

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		costUsd: plus(a.costUsd, b.costUsd),
		inputTokens: plus(a.inputTokens, b.inputTokens),
		outputTokens: plus(a.outputTokens, b.outputTokens),
	};
}
