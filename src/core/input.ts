// Everything that can happen to a run, no matter who causes it: an agent, a person, the clock, a crash.
import type { Definition } from "./definition.ts";
import type { Earlier, Finding, LostMerge, RunOptions, Time, UndoneCommit, Usage } from "./model.ts";
import type { IssueComment, OpenedRequest } from "./remote/delivered.ts";

export interface StorySeed {
	readonly id: string;
	readonly title: string;
	readonly description: string;
	readonly criteria: readonly string[];
	readonly priority: number;
	readonly dependsOn: readonly string[];
	/** The list says of it that it needs no other story; without this, nothing was said. */
	readonly independent?: true;
	readonly expectsChange?: boolean;
	readonly group?: string;
	/** The number of the forge's issue that it comes from. */
	readonly issue?: number;
	/** Already done before the run: completed without any step. */
	readonly passes?: boolean;
}

/** The edits an agent asked for: parsed JSON, or why it could not be read. */
export type EditRequest = { readonly operations: unknown } | { readonly problem: string };

export interface CheckResult {
	readonly name: string;
	readonly command: string;
	readonly exitCode: number | null;
	/** The end of what it printed. */
	readonly output: string;
	/** The tree of all files that it ran on. */
	readonly tree?: string;
	/** It had passed on this tree before and was not run again. */
	readonly reused?: true;
	/** What its failure means, if that is not the agent's to mend: the signal of the step, where the step has a route for it. */
	readonly signal?: string;
	/** Nothing was run: it judges what the report itself says, and its output says what is wrong with that. */
	readonly said?: true;
	/** The report does not say it at all. */
	readonly unsaid?: true;
}

/** What a message asks of the running loop. */
export interface Message {
	/** For the journal: what was asked, in words, and what could not be understood. */
	readonly text: string;
	/** Why, for whatever it brings about, if the text says more than that. */
	readonly reason?: string;
	/** true: start nothing more for now; false: continue. */
	readonly hold?: boolean;
	/** Signals of the loop: a signal that calls a role in queues that role; any other is routed when the current iteration has ended. */
	readonly signals?: readonly string[];
	/** End the current iteration now. */
	readonly now?: boolean;
	/** How many positions of the schedule to skip. */
	readonly skip?: number;
	/** Added to fields that hold numbers. While an agent works, which may have left the message, it only asks to raise a limit that a person set. */
	readonly add?: Readonly<Record<string, number>>;
}

/** How an attempt ended, and everything the engine observed. */
export interface Outcome {
	/** `done`, a signal of the role's grammar, a signal of the action, or a failure. */
	readonly signal: string;
	readonly error: string | null;
	readonly notes: string | null;
	readonly fields: Readonly<Record<string, string>>;
	readonly findings: readonly Finding[];
	/** What a reviewer says about the findings of earlier rounds. */
	readonly earlier?: readonly Earlier[];
	readonly stories: readonly StorySeed[] | null;
	readonly usage: Usage;
	readonly edits: EditRequest | null;
	readonly checks: readonly CheckResult[];
	/** Values of the report that are kept, by name, one entry each. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
	/** The attempt left a change in its workspace. */
	readonly changed: boolean;
	/** The work of its scope differs in nothing from where it began. Only looked at for a step that has to change something. */
	readonly empty?: true;
	/** The attempt changed nothing, but the work of its story differs from where it began: an earlier attempt, whose report did not count, did it. */
	readonly changedBefore?: true;
	/** rate_limited and overloaded: when to try again. */
	readonly retryAt: Time | null;
	/** What the engine noticed and corrected, for people to know. */
	readonly remarks?: readonly string[];
	/** What the engine itself found out; these become fields of the scope. */
	readonly facts?: Readonly<Record<string, string>>;
	/** The model that did it, as the agent named it. */
	readonly model?: string;
	/** A hash of what the agent was told. */
	readonly prompt?: string;
	/** The agent's id of its session, for steps that continue one. */
	readonly session?: string | null;
	/** Keys that the report should have and does not. */
	readonly lacks?: readonly string[];
	/** The agent that can continue this session, and so can be asked in it for a report that is unreadable or lacks something. */
	readonly resumable?: { readonly agent: string; readonly session: string };
	/** Action: the pull request that it opened, or found open. */
	readonly pullRequest?: OpenedRequest;
	/** What the engine saw and cannot judge: the outcome counts only once a person has approved it. */
	readonly unclear?: string;
}

/** The part of an outcome that waits for a person to approve it. The rest was taken when the attempt ended. */
export type HeldOutcome = Pick<
	Outcome,
	"signal" | "error" | "notes" | "fields" | "findings" | "earlier" | "stories" | "kept" | "changed" | "changedBefore" | "checks" | "retryAt"
>;

/** The person behind an input: their name on this machine, and the front end they used. */
export interface By {
	readonly user: string;
	/** "cli", or the name of another front end. */
	readonly how: string;
}

/** Inputs that only a person may cause. `by` is missing in journals of earlier versions, and if the engine asks for itself. */
interface OfPerson {
	readonly at: Time;
	readonly by?: By;
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
	/** Start whatever can start: at the beginning, after a resume, when a wait is over. */
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
			/** Who was chosen for the session, and the model that was asked for, if pawl runs it. */
			readonly agent?: string;
			readonly model?: string;
			readonly effort?: string;
			readonly tier?: string;
	  }
	/** Something that people want to know about an attempt while it is under way. */
	| {
			readonly type: "remark";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly text: string;
	  }
	/** A merge put the story's work on top of `onto`: the commit of the story `behind`, or base. Counts only if that story still stands there. */
	| {
			readonly type: "merge_stacked";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly commit: string;
			readonly onto: string;
			readonly behind?: string;
	  }
	/** The story cannot be merged on top of those in front of it. */
	| {
			readonly type: "merge_unstacked";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly reason: string;
	  }
	/** A merge is about to move base to this commit. Only an announced commit ever counts as the merge. */
	| {
			readonly type: "merge_announced";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly commit: string;
	  }
	/** Which merged stories their base does not hold, neither by their commit nor by one with the same change. */
	| { readonly type: "merges_looked_for"; readonly at: Time; readonly missing: readonly LostMerge[] }
	/** What became of a comment on an issue. */
	| ({ readonly type: "issue_commented"; readonly at: Time } & IssueComment)
	| {
			readonly type: "attempt_ended";
			readonly at: Time;
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly outcome: Outcome;
	  }
	/** The engine that ran the attempt is gone. */
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
			/** What the session had used by then, if known. */
			readonly usage?: Usage;
	  }
	| (OfPerson & { readonly type: "stop"; readonly how: "pause" | "cancel" | "interrupt" })
	| (OfPerson & { readonly type: "resume" })
	/** git's settings as they are now count for the run from here on, under the name under which they were noted. */
	| (OfPerson & { readonly type: "accept_settings"; readonly settings: string })
	| (OfPerson & {
			readonly type: "decide";
			/** Unique, so that the person who decides can find out whether the decision counted. */
			readonly id?: string;
			readonly scope: string | null;
			readonly step: string | null;
			/** The question that is answered, by the version of its event: an answer to an earlier one changes nothing. */
			readonly ask?: number;
			/** `answer`: `reason` has the words that the step asked for. */
			readonly verdict: "approve" | "reject" | "retry" | "answer";
			readonly reason: string;
	  })
	/** Skip a step. */
	| (OfPerson & {
			readonly type: "skip_step";
			readonly id?: string;
			readonly scope: string;
			readonly step: string;
			readonly reason: string;
	  })
	| (OfPerson & { readonly type: "retry_story"; readonly id?: string; readonly story: string | null })
	| (OfPerson & {
			readonly type: "extend";
			/** Of any name that the run has. */
			readonly budgets: Readonly<Record<string, number>>;
			/** Limits that are fields of the run. */
			readonly fields?: Readonly<Record<string, string>>;
			/** The maximum of the loops that are open. */
			readonly iterations?: number;
			/** From now on a session may end without reporting its cost. */
			readonly allowUnknownCost?: boolean;
	  })
	/** A message from a control file (`inbox` names it). The same id again changes nothing. */
	| { readonly type: "message"; readonly at: Time; readonly inbox: string; readonly id: string; readonly message: Message }
	| {
			readonly type: "add_stories";
			readonly at: Time;
			readonly stories: readonly StorySeed[];
			/** Stories of the run, from the current version of their document. */
			readonly changed?: readonly StorySeed[];
	  }
	/** The document that the stories come from, as it is now. Changes nothing once work on them has begun. */
	| {
			readonly type: "renew_plan";
			readonly at: Time;
			readonly stories: readonly StorySeed[];
			readonly fields: Readonly<Record<string, string>>;
	  }
	| (OfPerson & { readonly type: "steer"; readonly text: string })
	/** The usage limit that steps wait for is over. */
	| (OfPerson & { readonly type: "wake" })
	/** Commits of a story, or of the whole run, were taken back. */
	| (OfPerson & { readonly type: "undo"; readonly scope: string; readonly commits: readonly UndoneCommit[] })
	/** A person asks for a step of this type in a story (null: the current one). */
	| (OfPerson & { readonly type: "call"; readonly step: string; readonly scope: string | null; readonly reason: string })
	/** Replace the state of the run by what a file from outside says. */
	| ({ readonly type: "adopt"; readonly at: Time } & Adopted);

/** A run as a file from outside describes it: its stories and which are done, how far its own steps are, what was spent. */
export interface Adopted {
	readonly reason: string;
	/** All of them; those with `passes` are completed. */
	readonly stories: readonly StorySeed[];
	/** Types of the run's own steps that count as completed; all others are still pending. */
	readonly done: readonly string[];
	readonly fields: Readonly<Record<string, string>>;
	readonly budgets: Readonly<Record<string, { readonly limit: number; readonly spent: number }>>;
	/** How long it has run. */
	readonly elapsedMs: number;
	/** Values kept from reports, by name, for later prompts. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
	/** What the journal itself knows about these stories still counts: the file is an earlier state of this very run, or its present one. */
	readonly known?: KnownStories;
}

export interface KnownStories {
	/** Completed then and now: they keep their steps, checks and fields. */
	readonly completed: readonly string[];
	/** Open, but begun: their fields, by story. */
	readonly begun: Readonly<Record<string, Readonly<Record<string, string>>>>;
	/** Begun, and something was changed for them. */
	readonly changed: readonly string[];
	/** How many of the stories that new plans replaced had been replaced by then. */
	readonly replaced: number;
}
