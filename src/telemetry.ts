// The contracts of telemetry: who follows the journals of runs that this process opens, and who sends what follows from them.
import type { Event } from "./core/event.ts";
import type { RunState } from "./core/model.ts";

/** What a context has: from the outside nothing of it is ever waited for but its end. */
export interface Telemetry {
	/** Every event that is committed or read here, in order, with the state after it. `own`: this process committed it. Never throws. */
	readonly witness: (events: readonly Event[], state: RunState, own: boolean) => void;
	/** Sends what is left, and gives up after a while. Never throws. */
	close(): Promise<void>;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanEvent {
	readonly name: string;
	readonly at: number;
	readonly attributes: Attributes;
}

/** A part of a run that is over. */
export interface Span {
	/** 32 and 16 hexadecimal digits. */
	readonly trace: string;
	readonly id: string;
	/** null: the whole run. */
	readonly parent: string | null;
	readonly name: string;
	readonly startedAt: number;
	readonly endedAt: number;
	readonly attributes: Attributes;
	readonly events: readonly SpanEvent[];
	/** Why it failed; null: it did not. */
	readonly error: string | null;
}

export type Metric =
	| "gen_ai.client.token.usage"
	| "gen_ai.invoke_agent.duration"
	| "gen_ai.invoke_workflow.duration"
	| "pawl.sessions"
	| "pawl.cost"
	| "pawl.retries"
	| "pawl.merges"
	| "pawl.checks"
	| "pawl.person.wait.duration";

export interface Sender {
	span(span: Span): void;
	measure(metric: Metric, value: number, attributes: Attributes): void;
	close(): Promise<void>;
}
