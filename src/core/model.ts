// The state of a run: two levels of scopes (run, story), each an ordered, editable list of steps. Immutable; made only by folding
// events (fold/apply.ts).
import type { Definition } from "./definition.ts";
import type { EventOf } from "./event.ts";
import type { HeldOutcome } from "./input.ts";
import type { OpenedRequest } from "./remote/delivered.ts";

export type StepStatus = "pending" | "in_progress" | "waiting" | "completed" | "skipped" | "failed" | "cancelled";
export type StoryStatus = "unclaimed" | "in_progress" | "completed" | "failed" | "blocked";
export type RunStatus = "running" | "waiting" | "paused" | "completed" | "failed" | "stopped" | "limited" | "cancelled" | "refused";

/** Milliseconds since 1970, UTC. The core never asks for it; it comes in with an input. */
export type Time = number;

/** null: unknown, because the agent did not say. Never treated as zero. */
export interface Usage {
	readonly costUsd: number | null;
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
}

export interface Finding {
	readonly key: string;
	readonly class: string;
	readonly text: string;
}

/** What a reviewer says about a finding of an earlier round. */
export interface Earlier {
	readonly key: string;
	readonly open: boolean;
}

/** One execution of a step. Its number is the fence: a result with another number changes nothing. */
export interface Attempt {
	readonly number: number;
	/** The role that does it. In a gate several run at once. */
	readonly role: string;
	readonly startedAt: Time;
	/** It has begun: its session may have been started. */
	readonly prepared?: true;
	/** Loop: the letter of its role, and whether it came from the queue. */
	readonly letter?: string;
	readonly queued?: boolean;
	/** It only asks for the report of an earlier attempt. */
	readonly asks?: ReportAsked;
	/** Merge: the version of the event that started it, by which merges take turns. */
	readonly place?: number;
	/** Merge: what it would put on base, if those in front of it are merged. */
	readonly stack?: Stack;
}

/** A story's work on top of those that are merged before it. */
export interface Stack {
	/** null: it conflicts with them, or fails its checks on top of them. */
	readonly commit: string | null;
	readonly onto: string | null;
	/** The story whose commit `onto` is; null: base. */
	readonly behind: string | null;
	/** Why it has no commit. */
	readonly reason?: string;
}

/** A session that did its work and whose report could not be read: its agent can continue it, and is asked for the report alone. */
export interface ReportAsked {
	readonly role: string;
	/** The attempt whose session it is. */
	readonly attempt: number;
	/** The agent, and its own id of the session. */
	readonly agent: string;
	readonly session: string;
	/** What was missing, in words for the agent. */
	readonly missing: string;
	/** That attempt left a change in its workspace. */
	readonly changed?: boolean;
	/** Its report could be read and lacks something: the signal that counts if the answer does not decide again. */
	readonly signal?: string;
	/** Only the edits that it wrote were rejected: what its report said, which counts. */
	readonly notes?: string;
}

export interface Verdict {
	readonly role: string;
	readonly signal: string;
	readonly findings: readonly Finding[];
	/** Its findings are ignored when rounds are compared. */
	readonly advisory?: boolean;
	/** What it says about the findings of earlier rounds. */
	readonly earlier?: readonly Earlier[];
	/** The rest of the report; the route needs it if this verdict decides. */
	readonly said?: VerdictReport;
	/** The report could not be read, and this session can be asked for it again. */
	readonly asks?: ReportAsked;
}

export interface VerdictReport {
	readonly error: string | null;
	readonly notes: string | null;
	readonly fields: Readonly<Record<string, string>>;
	readonly retryAt: Time | null;
	/** What the engine saw during this attempt and cannot judge: a person is asked when the round is complete. */
	readonly unclear?: string;
}

export interface Step {
	/** For example step-001. The scope numbers its steps and never reuses a number. */
	readonly id: string;
	readonly type: string;
	readonly status: StepStatus;
	readonly description: string;
	readonly startedAt: Time | null;
	readonly completedAt: Time | null;
	/** The commit that the tree was at when the step started since it was last opened. */
	readonly commit: string | null;
	/** The same for the first time that it started at all, and for the time before this one. */
	readonly firstCommit?: string;
	readonly previousCommit?: string;
	readonly notes: string | null;
	/** What pawl knows that contradicts its notes: a check that failed after it, edits that were rejected. */
	readonly doubts?: readonly string[];
	readonly error: string | null;
	/** The signal that it failed by. */
	readonly failedBy?: string;
	/** It decides about a delivery, and said at its last end that checks fail. What passes in another step does not change that: its work may be put back. */
	readonly unproved?: true;
	readonly skipReason: string | null;
	readonly restarts: number;
	readonly usage: Usage;
	readonly log: string | null;
	/** The number of the newest attempt; 0 before the first. */
	readonly attempt: number;
	/** How many of its attempts began while it was already in progress: members of a gate after the first, iterations of a loop. */
	readonly beside?: number;
	readonly running: readonly Attempt[];
	/** Who did the newest attempt that pawl started: the agent, and its model if that is known. */
	readonly doneBy?: { readonly agent: string; readonly model: string | null; readonly effort?: string; readonly tier?: string };
	/** Reports that the next attempt of their role asks for. */
	readonly asks?: readonly ReportAsked[];
	/** Gate: what the members said in this round. */
	readonly verdicts: readonly Verdict[];
	/** Gate: the members run one after the other, because one of them wrote where none may. */
	readonly apart?: boolean;
	/** The findings that were open after the previous round: for the next reviewer, and to detect convergence. */
	readonly lastFindings: readonly Finding[];
	/** Findings of earlier rounds that the last round called neither open nor resolved. */
	readonly unanswered?: readonly Finding[];
	/** The id of the step that this one is a copy of, through all copies; its own id if it is not a copy. */
	readonly origin: string;
	/** Detour: the step whose route put it here. */
	readonly sender: string | null;
	/** How often in a row it was postponed because an agent was at a limit. */
	readonly postponed: number;
	/** Its last attempt with a report left its work in the tree, and nothing was put back since. */
	readonly settled?: boolean;
	/** Why it runs again; null the first time. */
	readonly feedback: string | null;
	/** The end of the report that it has to mend; it belongs to the feedback. */
	readonly unread?: string | null;
	/** What the attempt with that report had changed was put back, or it had changed nothing. */
	readonly putBack?: boolean;
	readonly unchanged?: boolean;
	/** A person lets it run again, and the feedback says why. */
	readonly retried?: boolean;
	/** Loop: the role that the feedback is for; it is forgotten when an iteration of that role ends well. */
	readonly feedbackFor?: string | null;
	/** A time before which it is not started again (rate limits, back-off). */
	readonly notBefore: Time | null;
	/** Loop: iterations done, position in the schedule, roles queued outside it. */
	readonly iteration: number;
	readonly cursor: number;
	readonly queue: readonly string[];
	/** Loop: its maximum, if a person has set one. */
	readonly max?: number;
	/** Loop: how many positions of the schedule to skip, and the signal to route when the current iteration ends. */
	readonly skips?: number;
	readonly asked?: { readonly signal: string; readonly reason: string } | null;
	/** The question that it puts to a person: the version of its `step_waiting` event, which no other question has, since when, and the
	 * outcome that counts if they approve. `asks`: it wants an answer in words. */
	readonly question?: { readonly version: number; readonly at: Time; readonly held?: HeldOutcome; readonly asks?: true };
	/** Merge: the commits that it was about to move base to. Absent for an attempt that an earlier version began, which announced nothing. */
	readonly announced?: readonly string[];
}

/** A check that failed when it ran last. */
export interface FailingCheck {
	readonly name: string;
	readonly command: string;
	readonly exitCode: number | null;
	readonly output: string;
	/** After which step it ran: its id and type, for a person. */
	readonly step: string;
	/** The first step, in the same form, that could change files and has completed since: the output may no longer hold. */
	readonly since?: string;
	/** What its failure means, if that is not the agent's to mend. */
	readonly signal?: string;
	/** Nothing was run: the report said it, or did not say it. */
	readonly said?: true;
	/** The report does not say it at all. */
	readonly unsaid?: true;
}

/** How a check ended when it ran last. */
export interface CheckedOnce {
	readonly name: string;
	readonly command: string;
	readonly exitCode: number | null;
}

/** A failing check that a person has approved as it is. */
export type AcceptedCheck = Pick<CheckedOnce, "name" | "command">;

export interface KeptText {
	readonly name: string;
	readonly step: string;
	readonly text: string;
}

/** The run's own scope. No story can have this id: story ids start with a letter or a digit. */
export const RUN_SCOPE = "@run";

export interface Scope {
	/** RUN_SCOPE, or the story's id. */
	readonly id: string;
	readonly steps: readonly Step[];
	readonly nextNumber: number;
	/** How often a capped route was taken, by cap key. */
	readonly counters: Readonly<Record<string, number>>;
	readonly fields: Readonly<Record<string, string>>;
	readonly kept: readonly KeptText[];
	/** Checks that failed when they ran last; one that passes leaves. */
	readonly failing?: readonly FailingCheck[];
	/** Every check that ran, as it ended last. */
	readonly checked?: readonly CheckedOnce[];
	/** Checks that cannot pass and that a person approved: their failure counts no more. */
	readonly accepted?: readonly AcceptedCheck[];
	/** By role: the session to continue. */
	readonly sessions: Readonly<Record<string, string>>;
}

export interface Story {
	readonly id: string;
	readonly title: string;
	readonly description: string;
	readonly criteria: readonly string[];
	readonly priority: number;
	readonly dependsOn: readonly string[];
	/** Said to need no other story. */
	readonly independent?: true;
	/** The number of the forge's issue that it comes from. */
	readonly issue?: number;
	readonly expectsChange: boolean;
	readonly group: string | null;
	readonly status: StoryStatus;
	/** The number of its worktree, from 1; null before it is claimed. */
	readonly slot: number | null;
	readonly claimedAt: Time | null;
	readonly completedAt: Time | null;
	readonly error: string | null;
	/** One of its attempts changed the tree. */
	readonly changed: boolean;
	/** Why a person accepts that nothing was changed for it. */
	readonly excused?: string;
	readonly scope: Scope;
}

export interface UndoneCommit {
	/** Whose commit it was; RUN_SCOPE or a story's id. */
	readonly scope: string;
	readonly commit: string;
	/** The commit that takes it back; null: somebody had done that before. */
	readonly by: string | null;
}

/** A story that counts as merged, and the commits that were announced for it, newest first; base has to hold one of them. */
export interface Merged {
	readonly story: string;
	readonly commits: readonly string[];
}

/** A story that was merged, and a commit of it that its base does not hold. */
export interface LostMerge {
	readonly story: string;
	readonly commit: string;
}

export interface RunOptions {
	/** A key of `Definition.inputs`. */
	readonly mode: string;
	readonly agents: number;
	/** The numbers of the worktrees, one for each agent; no other unfinished run of the repository uses them. */
	readonly slots: readonly number[];
	readonly base: string | null;
	/** Approve every approval step without asking. */
	readonly yes: boolean;
	/** If everything would wait longer than this (usage limits), the run ends as `limited` instead of sleeping; null: it sleeps. */
	readonly maxWaitMs: number | null;
	/** Step type → milliseconds. */
	readonly timeouts: Readonly<Record<string, number>>;
	/** Budget → limit, set by a person; wins over the definition. */
	readonly budgets: Readonly<Record<string, number>>;
	/** Fields that are limits set by a person: nothing that agents can write raises them. */
	readonly ownLimits?: readonly string[];
	/** A session that does not report its cost does not stop a run with a cost limit. */
	readonly allowUnknownCost?: boolean;
	/** pawl may comment on the issues that the run works on. */
	readonly comments?: true;
	/** What a resume needs to continue in the same way: agents, models, commands. Opaque to the core (started-with.ts). */
	readonly shell: Readonly<Record<string, unknown>>;
}

export interface BudgetState {
	readonly limit: number;
	readonly spent: number;
	readonly warned: readonly number[];
	/** A person set the limit, not the workflow. */
	readonly byPerson?: true;
}

/** How long the run has been working. */
export interface Busy {
	/** Attempts that somebody works on. */
	readonly running: number;
	/** Since when there is at least one; null if there is none. */
	readonly since: Time | null;
	/** Before that. */
	readonly ms: number;
	/** The time of the last event. */
	readonly at: Time;
}

/** A session that ended without reporting its cost. */
export interface Unpriced {
	readonly step: string;
	readonly role: string;
}

export interface RunState {
	readonly id: string;
	/** The number of events folded into it. */
	readonly version: number;
	readonly definition: Definition;
	readonly options: RunOptions;
	readonly title: string;
	readonly input: Readonly<Record<string, string>>;
	readonly status: RunStatus;
	readonly reason: string | null;
	/** Why nothing new starts: a person asked, or the process is going down. */
	readonly stopping: "pause" | "cancel" | "interrupt" | null;
	readonly createdAt: Time;
	readonly endedAt: Time | null;
	/** Since when it has not been running, and for how long it did not run before that. */
	readonly idleSince: Time | null;
	readonly idleMs: number;
	readonly busy: Busy;
	/** Why loops start nothing at the moment. */
	readonly held?: string | null;
	/** Control file → the id of the last message taken from it. */
	readonly taken?: Readonly<Record<string, string>>;
	/** What people said while it ran, oldest first. */
	readonly steered: readonly string[];
	/** The last decision of a person that counted. */
	readonly decision?: EventOf<"decided">;
	/** The abort steps are running; the run fails whatever they report. */
	readonly aborting: boolean;
	/** Why it gives up. `reason` says what the run does at the moment, which may be a pause of its abort steps. */
	readonly gaveUp?: string;
	/** The final status after the abort steps; failed if not set. */
	readonly endsAs?: RunStatus;
	/** Which checks passed on which tree, so that they need not run again there. */
	readonly passed?: readonly string[];
	/** Nothing is left to do: the merged commits are being looked for before the run ends. */
	readonly sought?: boolean;
	/** Merged commits that were gone when they were last looked for. */
	readonly lost?: readonly LostMerge[];
	/** The branch of the whole run, once it has one. */
	readonly branch: string | null;
	readonly root: Scope;
	readonly stories: readonly Story[];
	/** Stories that gave way to a new plan, as they were then, oldest first. They are not done, whatever was done in them. */
	readonly replaced?: readonly Story[];
	/** The pull request of its work, once there is one. */
	readonly pullRequest?: OpenedRequest;
	/** Commits of the run that a person took back, with the commits that did it. */
	readonly undone?: readonly UndoneCommit[];
	/** Run budgets by name; story and step ones are counted in their scope's counters. */
	readonly budgets: Readonly<Record<string, BudgetState>>;
	/** The last session of unknown cost since the run was started or resumed; for a cost limit, such a session is a reason to stop. */
	readonly unpriced?: Unpriced | null;
	readonly allowsUnknownCost?: boolean;
	/** Fields that are limits set by a person. */
	readonly ownLimits?: readonly string[];
	/** The cost of the most expensive session so far, of those that said what they cost. */
	readonly dearest?: number;
	/** Known cost and tokens so far; attempts of unknown cost are counted separately. */
	readonly totals: Usage & { readonly unknownCost: number; readonly attempts: number };
}
