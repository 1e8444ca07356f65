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

/** What a message asks of the loop that is under way. */
export interface Message {
	/** For the journal: what was asked, in words. */
	readonly text: string;
	/** true: start nothing more for now; false: go on. */
	readonly hold?: boolean;
	/** Signals of the loop: one that calls a role in queues it, any other is routed when the iteration under way has ended. */
	readonly signals?: readonly string[];
	/** End the iteration under way now. */
	readonly now?: boolean;
	/** So many places of the schedule are passed over. */
	readonly skip?: number;
	/** Added to fields that hold numbers. */
	readonly add?: Readonly<Record<string, number>>;
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
	/** What of the report is kept, by name, one entry a value. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
	/** The attempt left a change in its workspace. */
	readonly changed: boolean;
	/** rate_limited and overloaded: when to try again. */
	readonly retryAt: Time | null;
	/** What the engine saw and set right, for people to know. */
	readonly remarks?: readonly string[];
	/** What the engine itself found out: fields of the scope from now on. */
	readonly facts?: Readonly<Record<string, string>>;
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
	| {
			readonly type: "extend";
			readonly at: Time;
			readonly budgets: Readonly<Record<string, number>>;
			/** Limits that are fields of the run. */
			readonly fields?: Readonly<Record<string, string>>;
	  }
	/** Something that lay in an inbox. The same id again changes nothing. */
	| { readonly type: "message"; readonly at: Time; readonly inbox: string; readonly id: string; readonly message: Message }
	| { readonly type: "add_stories"; readonly at: Time; readonly stories: readonly StorySeed[] }
	| { readonly type: "steer"; readonly at: Time; readonly text: string }
	/** A person wants a step of this type in a story; null: in the one that is under way. */
	| { readonly type: "call"; readonly at: Time; readonly step: string; readonly scope: string | null; readonly reason: string }
	/** What a file from outside says about the run counts from now on. */
	| ({ readonly type: "adopt"; readonly at: Time } & Adopted);

/** A run as somebody else describes it: which stories there are and which of them are done, how far its own steps are, what was spent. */
export interface Adopted {
	readonly reason: string;
	/** All of them; those with `passes` are completed. */
	readonly stories: readonly StorySeed[];
	/** Types of the run's own steps that count as completed; all others are still to be done. */
	readonly done: readonly string[];
	readonly fields: Readonly<Record<string, string>>;
	readonly budgets: Readonly<Record<string, { readonly limit: number; readonly spent: number }>>;
	/** How long it has run. */
	readonly elapsedMs: number;
	/** What was kept of reports, by name, for the prompts to come. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
}
