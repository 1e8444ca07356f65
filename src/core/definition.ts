// A workflow as the core sees it: plain, checked, frozen data. `definition/` makes it from YAML; nothing here
// knows where it came from. A run carries its own copy, so a changed file never changes a running run.

export type StepKind = "agent" | "command" | "action" | "approval" | "gate" | "each" | "loop";

/** `row` counts consecutive signals: any signal counted elsewhere resets it. */
export type CapScope = "entry" | "step" | "story" | "run" | "row";

/** What happens on one signal of one step. */
export interface Route {
	readonly action:
		| "next" // the step is done, continue in order
		| "retry" // the same step again
		| "goto" // re-open `target` and the steps between; a detour is inserted first
		| "insert" // put `steps` before `before` (or right after this step) and continue
		| "reopen" // the step goes back to pending, what is pending before it runs first
		| "skip" // the step counts as skipped
		| "complete" // the scope (story or run) is finished
		| "fail" // `target` says whether the step's story or the run fails
		| "wait" // `target`: "person", "answer" (the step runs again with a person's words) or "time"
		| "stop" // the run stops here as at a limit; the step stays open and a resume continues with it
		| "refuse" // the run ends as bad input, as if never started
		| "abort"; // the abort steps of the definition run, then the run fails
	/** goto: a step type, or "back" for the step that sent us; fail: "story" or "run"; wait: "person", "answer" or "time". */
	readonly target?: string;
	/** insert: the types to put in; "same" is a copy of the step itself. */
	readonly steps?: readonly PlannedStep[];
	/** insert: the type before which they go; without it, right after the step. */
	readonly before?: string;
	/** After an insert: completed steps of these types go back to pending. */
	readonly reopen?: readonly string[];
	/** goto: resets the caps of the target. */
	readonly fresh?: boolean;
	/** How often the action may be taken; after that `exhausted` is taken instead. */
	readonly max?: number;
	/** A field that overrides `max` when it holds a number. */
	readonly maxField?: string;
	readonly per?: CapScope;
	/** The name of the counter; routes with the same name share one cap. */
	readonly count?: string;
	readonly exhausted?: Route;
	/** Taken instead when a finding of this round was already reported in the round before. */
	readonly converged?: Route;
	/** Takes one unit of this budget; when none is left, `exhausted` is taken. */
	readonly spend?: string;
	/** Fields of the scope, from the report: name ← text with {{KEY}}. */
	readonly set?: Readonly<Record<string, string>>;
	/** Keeps the report's findings (or its error) under this name. */
	readonly record?: string;
	/** Before anything else: save the attempt's diff in this folder and put the tree back to the attempt's start. */
	readonly rollback?: "failures" | "restarts";
}

export interface PlannedStep {
	readonly type: string;
	readonly description?: string;
}

/** `field op value`; every condition of a list must hold. Fields of the scope win over those of the run. */
export interface Condition {
	readonly field: string;
	readonly op: "is" | "is_not" | "above" | "below" | "set" | "unset";
	readonly value?: string | number | boolean;
}

/** How an agent's final message becomes a signal: the first rule whose keys match wins; if none does, the signal is `unreadable`. */
export interface ReportGrammar {
	/** `summary`: what follows the last SUMMARY heading; `text`: the tail of the message. */
	readonly notes: "summary" | "text";
	/** The keys that are read from `KEY: value` lines. */
	readonly keys: readonly string[];
	/** Empty: every message is `done`. */
	readonly signals: readonly SignalRule[];
	/** The key that holds `- [key] class: text` lines. */
	readonly findings?: string;
	/** The key that holds `- [key] resolved|open` lines about the findings of earlier rounds. */
	readonly earlier?: string;
	/** A tag `<promise>TEXT</promise>` alone on a line is the signal `promise`; the text may name a field as {{field}}. */
	readonly promise?: string;
	/** Keys whose absence makes the report unreadable. */
	readonly required?: readonly string[];
	/** The key that holds a JSON list of stories. */
	readonly stories?: string;
	/** The most stories a list may have; a longer one is refused as a whole. */
	readonly maxStories?: number;
	/** Every `KEY: value` line is read, whatever its key, and becomes a lower-case field of the scope and of the run. */
	readonly open?: boolean;
	/** Text that the message must contain to count as `done`. */
	readonly expects?: string;
	/** Name → key: keeps every value of the key under the name, for later prompts and for readers of the journal. */
	readonly keep?: Readonly<Record<string, string>>;
	/** Keys that say what is wrong, best first: the first one with a text becomes `FEEDBACK_TEXT`. */
	readonly feedback?: readonly string[];
	/** Key → the values that contradict `done`, as in a rule; `*` is any text but "none". */
	readonly denies?: Readonly<Record<string, string>>;
	/** Signal → keys that a report with this signal should have. One without them counts, but where its session can be continued, it is asked for them first. */
	readonly wants?: Readonly<Record<string, readonly string[]>>;
	/** Those of them that later steps are given. If a step that only reports leaves some of these out, and its session cannot be asked, the report is
	 * mended by another one, once. */
	readonly needs?: readonly string[];
}

export interface SignalRule {
	readonly signal: string;
	/** Key → wanted value (case-insensitive; a trailing * is a prefix; `a|b` is either), all must match. */
	readonly when: Readonly<Record<string, string>>;
	/** Also requires a finding of this class (`*`: of any class). */
	readonly finding?: string;
	/** Requires findings, all of this class. */
	readonly only?: string;
	/** Understood, and never named to the agent: its task does not offer this answer. */
	readonly unasked?: true;
}

export interface Role {
	readonly name: string;
	readonly description: string;
	readonly report: ReportGrammar;
	/** May run commands, commit, use the network. Passed on to agents that can enforce it. */
	readonly can: readonly ("run" | "commit" | "network")[];
	/** The workflow says `can`: whatever it does not list is refused. */
	readonly bounded?: boolean;
	/** A key of `Definition.prompts`: the text around every prompt of the role, with {{instructions}} where the prompt goes. */
	readonly frame?: string;
	/** Files that are the role's own instructions: name → key of `Definition.prompts`. Given as they are at {{agent_files}}. */
	readonly files?: Readonly<Record<string, string>>;
	/** Who does its steps, as the workflow suggests; the user's choice wins (assignment.ts). */
	readonly agent?: string;
	readonly model?: string;
	readonly effort?: string;
}

/** `rule` names code that judges each changed path. */
export type Writes = "none" | "any" | readonly string[] | { readonly rule: string };

export interface Member {
	readonly role: string;
	readonly blocking: boolean;
	readonly prompt?: string;
}

export interface StepType {
	readonly name: string;
	readonly kind: StepKind;
	readonly description: string;
	readonly role?: string;
	/** A key of `Definition.prompts`. */
	readonly prompt?: string;
	/** Overrides how the role's report is read. */
	readonly report?: ReportGrammar;
	/** gate: who gives a verdict. */
	readonly members?: readonly Member[];
	/** gate: signals from best to worst; the worst blocking one is the gate's. */
	readonly verdicts?: readonly string[];
	/** command: the name of a check, or of a command of the repository's configuration. */
	readonly command?: string;
	/** action: a name of the engine's registry. */
	readonly action?: string;
	/** Parameters of the action, or of the keeper and the write rule. */
	readonly with?: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	readonly stallMs?: number;
	readonly writes: Writes;
	readonly edits: boolean;
	readonly mandatory: boolean;
	/** No step of the scope may follow it, except internal ones. */
	readonly last: boolean;
	/** Only the engine may add it; edits by agents may not. */
	readonly byEngine: boolean;
	/** Not part of what agents see and edit; not counted in the step limit. */
	readonly internal: boolean;
	/** Reached only by a route. */
	readonly detour: boolean;
	/** How often routes may lead here; after that they take `exhausted` instead. */
	readonly visits?: { readonly max: number; readonly per: CapScope; readonly exhausted: Route };
	/** The work of its scope has to differ from where it began when a report of this step says `done`; otherwise its signal is `unchanged`. */
	readonly expectsChange?: true;
	/** Evidence that the engine gathers afterwards; a failing one is the signal `checks_failed`. */
	readonly checks: readonly string[];
	/** Every attempt takes one unit of this budget. When none is left the run stops until the budget is extended. */
	readonly spend?: string;
	/** The stories it reports replace all stories that are not completed, instead of being added. */
	readonly replaces?: boolean;
	/** A person may ask for it; it then runs before the story continues. */
	readonly onDemand?: boolean;
	/** It delivers the work (a pull request, the commit of an issue): the repository's checks pass right before it. */
	readonly delivers?: boolean;
	/** A person asked for it when the run was started: no route skips it. */
	readonly asked?: true;
	/** If these hold, its verdict is about all acceptance criteria of its story, or of the run, and is evidence for each of them. Absent: it judges none. */
	readonly judges?: readonly Condition[];
	/** It runs the repository's checks on what is about to be delivered. No route skips it. */
	readonly proves?: boolean;
	/** Names code that looks after files of an attempt which are not the agent's own. */
	readonly keeper?: string;
	/** When an attempt is cancelled its changes stay in the tree. */
	readonly leavesWork?: boolean;
	readonly when: readonly Condition[];
	/** Every signal that the step can end in has a route here. */
	readonly routes: Readonly<Record<string, Route>>;
	readonly each?: Each;
	readonly loop?: Loop;
	/** A fresh session for each attempt, or the last one of the same role continued. */
	readonly session: "fresh" | "continue";
	/** Who does it, as the workflow suggests: wins over its role's. */
	readonly agent?: string;
	readonly model?: string;
	readonly effort?: string;
}

export interface Each {
	readonly steps: readonly PlannedStep[];
	/** 0: as many as the run was given with --agents. */
	readonly concurrency: number;
	readonly order: "list" | "dependencies";
	/** A failed story fails the run at once, or only blocks the stories that need it. */
	readonly onFailure: "fail_run" | "block";
	/** A story is completed only if it changed something, unless the story itself expects no change. */
	readonly expectsChange: boolean;
	/** How many stories there must be; 1 if it does not say. */
	readonly atLeast?: number;
	/** Stories run in parallel only if some story says what it depends on; otherwise they run in order. */
	readonly onlyDeclared?: boolean;
}

export interface Loop {
	/** Such as W5R, or a field as {{name}}. */
	readonly schedule: string;
	/** Letter of the schedule → role and prompt. */
	readonly roles: Readonly<Record<string, LoopRole>>;
	/** A number or a field as {{max_iterations}}. */
	readonly max: string;
	/** Signal → letter of the role that runs next, outside the schedule. */
	readonly inject: Readonly<Record<string, string>>;
	/** Where the loop starts when its work was begun elsewhere; each a number or a field. `queue`: letters that are called first. */
	readonly start?: { readonly iteration?: string; readonly cursor?: string; readonly queue?: string };
	/** Milliseconds between two iterations, or a field. */
	readonly delay?: string;
}

export interface LoopRole {
	readonly role: string;
	readonly prompt?: string;
	/** The prompt is the file named by the input `NAME_file`, or else the input `NAME`, byte for byte. */
	readonly raw?: string;
	/** Overrides how the role's report is read. */
	readonly report?: ReportGrammar;
	/** Variables of its prompt under this letter. */
	readonly fields?: Readonly<Record<string, string>>;
	/** Called in beside the schedule, it also takes the turn of this letter, if that comes right after it. */
	readonly insteadOf?: string;
}

export interface Budget {
	readonly unit: "cost" | "time" | "count";
	readonly limit: number;
	readonly scope: "run" | "story" | "step";
	/** Shares of the limit at which a warning is journaled, once each. */
	readonly warnAt: readonly number[];
}

/** One way of giving a run its input. */
export interface InputMode {
	/** The reader that turns it into stories and fields. */
	readonly reader: string;
	/** Where the steps work: the user's tree, a worktree for each story, or one worktree on one new branch for the whole run. */
	readonly workspace: "tree" | "worktree" | "branch";
}

export interface Definition {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly hash: string;
	readonly resume: "yes" | "never";
	readonly inputs: Readonly<Record<string, InputMode>>;
	readonly roles: Readonly<Record<string, Role>>;
	readonly types: Readonly<Record<string, StepType>>;
	readonly steps: readonly PlannedStep[];
	readonly abort: readonly PlannedStep[];
	readonly budgets: Readonly<Record<string, Budget>>;
	/** Limits of edits: steps in a story's list, restarts of one step. */
	readonly limits: { readonly steps: number; readonly restarts: number };
	/** Relative path → text, as it was when the run was created. */
	readonly prompts: Readonly<Record<string, string>>;
	/** The files that the run keeps beside its journal, by projection name. */
	readonly projections: readonly string[];
	/** Control files in which people and agents leave messages for a running run, by name; read between two iterations of a loop and while it waits. */
	readonly inboxes?: readonly string[];
	/** `named`: a step's id is its type. Otherwise steps are numbered. */
	readonly ids?: "numbered" | "named";
	/** The labels of the workers that may work on its runs, where machines share them. */
	readonly requires?: readonly string[];
	/** What a person can do with a run that cannot continue; {{names}} are those of the run's input and fields. */
	readonly recovery?: string;
	/** Fields that a run begins with. */
	readonly fields?: Readonly<Record<string, string>>;
	/** Private data of the format that the workflow was written in, by the format's name. Nobody else reads it. */
	readonly foreign?: Readonly<Record<string, unknown>>;
}

/** Signals that any step of a kind can end in, whatever its role says. */
export const FAILURES = [
	"agent_error",
	"timeout",
	"stalled",
	"rate_limited",
	"overloaded",
	"auth",
	"out_of_credit",
	"permission",
	"context_too_long",
	"boundary_violation",
	"unreadable",
	"lost",
	"workspace_error",
] as const;
export type Failure = (typeof FAILURES)[number];

/** A step that has to change something says `done`, and nothing differs. */
export const UNCHANGED = "unchanged";

/** An action that delivers finds nothing to deliver: what the steps changed, they took back. */
export const EMPTY = "empty";

/** Failures that say nothing about the work and that only a person can fix, by logging in or paying. The run fails once, and a resume continues it. */
const OF_THE_ACCOUNT: readonly string[] = ["auth", "out_of_credit"];
export const isOfTheAccount = (signal: string): boolean => OF_THE_ACCOUNT.includes(signal);

/** What the engine saw and cannot judge is a question to a person, whatever the workflow. */
const QUESTION: Route = { action: "wait", target: "person" };

/** Runs of earlier versions have no route for `out_of_credit`; the route for `auth` serves the same purpose. */
export const routeOf = ({ routes }: Pick<StepType, "routes">, signal: string): Route | undefined => {
	const named = Object.hasOwn(routes, signal) ? routes[signal] : undefined;
	return named ?? (signal === "out_of_credit" ? routes["auth"] : signal === "unclear" ? QUESTION : undefined);
};
export const isFailure = (signal: string): boolean => (FAILURES as readonly string[]).includes(signal);
