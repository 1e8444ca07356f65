// Everything that can happen to a run. Whoever it comes from (agent, person, clock, crash), it enters here.
import type { Definition } from "./definition.ts";
import type { Finding, RunOptions, Time, Usage } from "./model.ts";

export interface StorySeed {
	readonly id: string;
	readonly title: string;
	readonly description: string;
	readonly criteria: readonly string[];
	readonly priority: number;
	readonly dependsOn: readonly string[];
	readonly expectsChange?: boolean;
	readonly group?: string;
	/** Already done before the run: completed without a step. */
	readonly passes?: boolean;
}

/** What an agent asked to change, as it was found: readable JSON, or why it was not read. */
export type EditRequest = { readonly operations: unknown } | { readonly problem: string };

export interface CheckResult {
	readonly name: string;
	readonly command: string;
	readonly exitCode: number | null;
	/** The end of what it printed. */
	readonly output: string;
}

/** How an attempt ended, with all that the engine saw of it. */
export interface Outcome {
	/** `done`, a signal of the role's grammar, a signal of the action, or a failure. */
	readonly signal: string;
	readonly error: string | null;
	readonly notes: string | null;
	readonly fields: Readonly<Record<string, string>>;
	readonly findings: readonly Finding[];
	readonly stories: readonly StorySeed[] | null;
	readonly usage: Usage;
	readonly edits: EditRequest | null;
	readonly checks: readonly CheckResult[];
	/** The attempt left a change in its workspace. */
	readonly changed: boolean;
	/** rate_limited and overloaded: when to try again. */
	readonly retryAt: Time | null;
	/** What the engine saw and set right, for people to know. */
	readonly remarks?: readonly string[];
	/** The agent's own name for its session, for steps that continue one. */
	readonly session?: string | null;
}

export type Input =
	| {
			readonly type: "create_run";
			readonly at: Time;
			readonly id: string;
			readonly title: string;
			readonly definition: Definition;
			readonly options: RunOptions;
			readonly input: Readonly<Record<string, string>>;
			readonly fields: Readonly<Record<string, string>>;
			readonly stories: readonly StorySeed[];
	  }
	/** Start what can be started: at the beginning, after a resume, when a waiting time is over. */
	| { readonly type: "advance"; readonly at: Time }
	| {
			readonly type: "attempt_prepared";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly commit: string | null;
			readonly log: string | null;
			readonly branch?: string;
	  }
	| {
			readonly type: "attempt_ended";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly outcome: Outcome;
	  }
	/** The engine that ran it is gone. */
	| {
			readonly type: "attempt_lost";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
	  }
	/** The attempt was ended from outside because the run stops. */
	| {
			readonly type: "attempt_cancelled";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly reason: string;
	  }
	| { readonly type: "stop"; readonly at: Time; readonly how: "pause" | "cancel" | "interrupt" }
	| { readonly type: "resume"; readonly at: Time }
	| {
			readonly type: "decide";
			readonly at: Time;
			readonly scope: string | null;
			readonly step: string | null;
			readonly verdict: "approve" | "reject" | "retry";
			readonly reason: string;
	  }
	| { readonly type: "retry_story"; readonly at: Time; readonly story: string | null }
	| { readonly type: "extend"; readonly at: Time; readonly budgets: Readonly<Record<string, number>> }
	| { readonly type: "add_stories"; readonly at: Time; readonly stories: readonly StorySeed[] }
	| { readonly type: "steer"; readonly at: Time; readonly text: string };
