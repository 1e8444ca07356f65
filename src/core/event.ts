// What happened. The journal consists of these events and is kept forever, so add events to this list and never change one.
import type { Definition } from "./definition.ts";
import type { Adopted, By, CheckResult, HeldOutcome, StorySeed } from "./input.ts";
import type { Earlier, Finding, LostMerge, ReportAsked, RunOptions, RunStatus, Time, UndoneCommit, Usage, VerdictReport } from "./model.ts";
import type { IssueComment, OpenedRequest } from "./remote/delivered.ts";

export interface NewStep {
	readonly id: string;
	readonly type: string;
	readonly description: string;
	/** A copy of a lost step carries the id of the step it descends from. */
	readonly origin?: string;
	readonly sender?: string;
}

interface At {
	readonly at: Time;
}
interface OfScope extends At {
	/** RUN_SCOPE or a story's id. */
	readonly scope: string;
}
interface OfStep extends OfScope {
	readonly step: string;
}
/** The person who caused it. Missing in journals of earlier versions, and if the engine caused it. */
interface ByPerson {
	readonly by?: By;
}
/** The id of the input that caused it, so that the person who sent it can find out that it counted. */
interface ByInput {
	readonly id?: string;
}

export type Event =
	| (At & {
			readonly event: "run_created";
			readonly id: string;
			readonly title: string;
			readonly definition: Definition;
			readonly options: RunOptions;
			readonly input: Readonly<Record<string, string>>;
			readonly fields: Readonly<Record<string, string>>;
	  })
	| (At & { readonly event: "stories_added"; readonly stories: readonly StorySeed[] })
	/** The document that the story comes from has changed. A completed story does not change. */
	| (OfScope & {
			readonly event: "story_changed";
			readonly title: string;
			readonly description: string;
			readonly criteria: readonly string[];
	  })
	/** Replaces a list that no agent has started on or, with `keep`, all stories that are not completed. */
	| (At & { readonly event: "stories_replaced"; readonly stories: readonly StorySeed[]; readonly keep?: "completed" })
	| (OfScope & { readonly event: "steps_planned"; readonly steps: readonly NewStep[] })
	| (OfScope & { readonly event: "story_claimed"; readonly slot: number })
	| (OfScope & { readonly event: "story_completed" })
	| (OfScope & { readonly event: "story_failed"; readonly error: string })
	| (OfScope & { readonly event: "story_blocked"; readonly by: string })
	| (OfScope & { readonly event: "story_unblocked" })
	| (OfScope & ByPerson & ByInput & { readonly event: "story_retried" })
	| (OfStep & {
			readonly event: "step_started";
			readonly attempt: number;
			readonly role: string;
			readonly letter?: string;
			readonly queued?: boolean;
			/** An action that announces its merge. Attempts of earlier versions did not, and left trailers on base alone. */
			readonly announces?: boolean;
	  })
	| (OfStep & {
			readonly event: "step_prepared";
			readonly attempt: number;
			readonly commit: string | null;
			readonly log: string | null;
			/** The branch of the whole run, if it has one. */
			readonly branch?: string;
			/** Who was chosen for the session, and the model that was asked for; missing if somebody else runs it, and in journals of earlier versions. */
			readonly agent?: string;
			readonly model?: string;
			/** The effort and the tier that were asked for, if somebody asked. */
			readonly effort?: string;
			readonly tier?: string;
	  })
	/** A member of a gate, or an iteration of a loop, ended; the step itself continues. */
	| (OfStep & {
			readonly event: "attempt_reported";
			readonly attempt: number;
			readonly role: string;
			readonly signal: string;
			readonly findings: readonly Finding[];
			readonly earlier?: readonly Earlier[];
			/** Gate: the member only advises. */
			readonly advisory?: boolean;
			/** Gate: its report could not be read, and its session can be asked for it again when the round ends. */
			readonly asks?: ReportAsked;
			/** Gate: the rest of its report, because the member that decides may not be the last to report. */
			readonly said?: VerdictReport;
			/** Gate whose members run one after the other: there are more. The step is pending until the next one starts; its verdicts stay. */
			readonly next?: boolean;
	  })
	/** The report of a session could not be read. The next attempt asks for it in that session; what the session did stays. */
	| (OfStep & ReportAsked & { readonly event: "report_asked" })
	| (OfStep & {
			readonly event: "step_completed";
			readonly attempt: number;
			readonly signal: string;
			readonly notes: string | null;
			/** It could change files and changed none. */
			readonly unchanged?: true;
	  })
	| (OfStep & { readonly event: "step_failed"; readonly attempt: number; readonly signal: string; readonly error: string })
	| (OfStep & { readonly event: "step_cancelled"; readonly attempt: number; readonly error: string })
	| (OfStep & { readonly event: "step_skipped"; readonly reason: string })
	/** Back to pending by a route of the engine: goto, conflict, failed checks, a person's retry. */
	| (OfStep &
			ByPerson & {
				readonly event: "step_reopened";
				readonly reason: string /** A new entry: what earlier rounds found is forgotten. */;
				readonly entry?: boolean;
				/** Gate: from now on its members run one after the other. */
				readonly apart?: boolean;
				/** The end of a report that could not be taken as it was: the next attempt mends it. */
				readonly report?: string;
				/** What that attempt had changed was put back. */
				readonly putBack?: boolean;
				/** It could change files and changed none. */
				readonly unchanged?: true;
				/** A person lets it run again: no route has told the next attempt why. */
				readonly retried?: boolean;
			})
	/** Back to pending because the attempt itself asked for it. */
	| (OfStep & { readonly event: "step_restarted"; readonly attempt: number; readonly description: string; readonly reason?: string })
	/** The same step again after a while. */
	| (OfStep & { readonly event: "step_postponed"; readonly attempt: number; readonly until: Time; readonly reason: string })
	/** `held`: the outcome that counts once a person has approved it. */
	| (OfStep & {
			readonly event: "step_waiting";
			readonly reason: string;
			readonly signal?: string;
			readonly held?: HeldOutcome;
			/** It wants an answer in words, with which it runs again. */
			readonly asks?: true;
	  })
	| (OfStep & {
			readonly event: "step_extended";
			readonly attempt: number;
			readonly iteration: number;
			readonly cursor: number;
			readonly queue: readonly string[];
			/** Not before this time; without it at once. */
			readonly until?: Time;
			/** Why the iteration failed that ended. */
			readonly reason?: string;
	  })
	/** What a message asked of a loop. */
	| (OfStep & {
			readonly event: "loop_asked";
			readonly queue: readonly string[];
			readonly skips: number;
			readonly asked: { readonly signal: string; readonly reason: string } | null;
	  })
	/** A message asks for more than a person allowed. */
	| (At & { readonly event: "limit_asked"; readonly field: string; readonly now: number; readonly more: number })
	| (At & { readonly event: "message_taken"; readonly inbox: string; readonly id: string; readonly text: string })
	| (At & { readonly event: "run_held"; readonly reason: string | null })
	| (OfScope &
			ByPerson & {
				readonly event: "steps_inserted";
				readonly steps: readonly NewStep[];
				/** They are inserted after this step; null: at the front. */
				readonly after: string | null;
				readonly reason: string;
			})
	| (OfStep & { readonly event: "workflow_edited"; readonly details: EditDetails; readonly order: readonly string[] })
	| (OfStep & { readonly event: "edit_rejected"; readonly reasons: readonly string[] })
	| (OfStep & { readonly event: "attempt_ignored"; readonly attempt: number; readonly reason: string })
	| (OfStep & {
			readonly event: "usage_recorded";
			readonly attempt: number;
			readonly usage: Usage;
			/** As the agent named it. */
			readonly model?: string;
			/** A hash of what the agent was told. Missing in journals of earlier versions. */
			readonly prompt?: string;
	  })
	| (OfStep & { readonly event: "checks_recorded"; readonly attempt: number; readonly checks: readonly CheckResult[] })
	/** Something the engine noticed, and perhaps corrected, that a person should know. */
	| (OfStep & { readonly event: "remarked"; readonly attempt: number; readonly text: string })
	/** A merge whose turn has not come yet, or the one whose turn it is: the story's work on top of `onto`, which is the commit of the story `behind`, or
	 * base. It is checked there. */
	| (OfStep & {
			readonly event: "merge_stacked";
			readonly attempt: number;
			readonly commit: string;
			readonly onto: string;
			readonly behind?: string;
	  })
	/** It cannot be merged on top of those in front of it: those behind do without it. Its turn decides what becomes of it. */
	| (OfStep & { readonly event: "merge_unstacked"; readonly attempt: number; readonly reason: string })
	/** Base is about to move to this commit. */
	| (OfStep & { readonly event: "merge_announced"; readonly attempt: number; readonly commit: string })
	/** The run is about to end: base is looked at for the commits of its merged stories. */
	| (At & { readonly event: "merges_sought" })
	| (At & { readonly event: "merges_looked_for"; readonly missing: readonly LostMerge[] })
	| (OfScope & { readonly event: "change_recorded" })
	/** A person accepts that nothing is changed for this story: it is settled as it is. */
	| (OfScope & { readonly event: "story_excused"; readonly reason: string })
	/** The session that a later step of the same role may continue. */
	| (OfScope & { readonly event: "session_recorded"; readonly role: string; readonly session: string })
	| (OfStep & {
			readonly event: "route_taken";
			readonly signal: string;
			readonly action: string;
			/** The reason, in words about the work, if the step does not simply continue and the signal alone does not say why. */
			readonly reason?: string;
	  })
	/** Findings that were already in the round before: the work does not converge. */
	| (OfStep & { readonly event: "converged"; readonly findings: readonly Finding[] })
	/** A capped route was taken once more. */
	| (OfScope & { readonly event: "counted"; readonly counter: string })
	| (OfScope & { readonly event: "counters_reset"; readonly counters: readonly string[] })
	/** `limits`: the ones among them that are limits set by a person. */
	| (OfScope &
			ByPerson & {
				readonly event: "fields_set";
				readonly fields: Readonly<Record<string, string>>;
				readonly limits?: readonly string[];
			})
	| (OfStep & { readonly event: "kept"; readonly name: string; readonly text: string })
	/** A session ended without reporting its cost, in a run with a cost limit. */
	| (OfStep & { readonly event: "cost_unknown"; readonly attempt: number; readonly role: string })
	| (At & ByPerson & { readonly event: "unknown_cost_allowed" })
	| (OfStep & ByPerson & { readonly event: "loop_extended"; readonly max: number })
	/** How long no engine drove the run while attempts were running. */
	| (At & { readonly event: "engine_missed"; readonly ms: number })
	| (At & { readonly event: "budget_spent"; readonly budget: string; readonly amount: number })
	| (At & { readonly event: "budget_warned"; readonly budget: string; readonly share: number })
	| (At & ByPerson & { readonly event: "budget_extended"; readonly budget: string; readonly limit: number })
	/** A decision that counted: exactly one of several simultaneous ones. */
	| (OfStep &
			ByPerson & {
				readonly event: "decided";
				readonly id: string | null;
				readonly verdict: "approve" | "reject" | "retry" | "answer" | "skip";
				readonly reason: string;
			})
	| (At & ByPerson & { readonly event: "stop_requested"; readonly how: "pause" | "cancel" | "interrupt" })
	| (At & ByPerson & ByInput & { readonly event: "run_resumed" })
	/** A person took over git's settings as they were then; the name under which they are kept. */
	| (At & ByPerson & { readonly event: "settings_accepted"; readonly settings: string })
	/** `ends`: the final status, if not `failed`. */
	| (At & { readonly event: "run_aborting"; readonly reason: string; readonly ends?: RunStatus })
	| (At & ByPerson & { readonly event: "run_steered"; readonly text: string })
	/** A pull request of the run's work is open: pawl opened it, or found the one of its branch. */
	| (At & { readonly event: "pull_request_opened" } & OpenedRequest)
	/** The issue was told about the run, or could not be. */
	| (At & { readonly event: "issue_commented" } & IssueComment)
	/** A person took back what the run, or a story of it, had delivered. */
	| (OfScope & ByPerson & { readonly event: "work_undone"; readonly commits: readonly UndoneCommit[] })
	/** A state file from outside replaced what the journal knew. */
	| (At & { readonly event: "run_adopted" } & Adopted)
	| (At & { readonly event: "run_status_changed"; readonly status: RunStatus; readonly reason: string | null });

/** One accepted operation and what it changed. */
export interface EditDetails {
	readonly operation: "add_after" | "split" | "skip" | "reorder" | "edit_description" | "restart";
	readonly reason: string;
	readonly target_step_id?: string;
	readonly new_steps?: readonly NewStep[];
	readonly before?: unknown;
	readonly after?: unknown;
	readonly old_description?: string;
	readonly new_description?: string;
}

export type EventOf<N extends Event["event"]> = Extract<Event, { event: N }>;
