// The contract of a format: the code that a workflow names in its definition (readers, actions, evidence, keepers, write rules, control
// files) and the files that follow its journal. Each knows a file format or a tool; none knows a workflow, and the engine knows
// each by its name only.
import type { FormatCommand } from "./command.ts";
import type { Definition } from "./core/definition.ts";
import type { Event } from "./core/event.ts";
import type { CheckResult, Message, Outcome, StorySeed } from "./core/input.ts";
import type { Turn } from "./core/merge/queue.ts";
import type { RunState, Step } from "./core/model.ts";
import type { Spelling } from "./definition/spelling.ts";
import type { Forge } from "./forge.ts";
import type { PromptAdditions } from "./prompt/additions.ts";
import type { ChangedFile, Reader, RunFlag } from "./reader.ts";
import type { Rows, Store } from "./store.ts";
import type { Point, Repository, Workspace } from "./workspace.ts";

type Named<T> = Readonly<Record<string, T>>;

/**
 * All code that knows one foreign format. A workflow names readers, actions, evidence, keepers, write rules, control files and projections;
 * journals contain these names, so they never change. Code that few commands need is imported when it is first called.
 */
export interface Format {
	readonly name: string;
	/** Commands of `pawl` by name; `NAME SUB` is a subcommand of an existing command. */
	readonly commands?: Named<FormatCommand>;
	readonly readers?: Named<Reader>;
	readonly actions?: Named<Action>;
	readonly evidence?: Named<Evidence>;
	readonly keepers?: Named<Keeper>;
	readonly writeRules?: Named<WriteRule>;
	readonly controlFiles?: Named<ControlFiles>;
	readonly projections?: Named<ProjectionKind>;
	/** Flags of `pawl run` that its readers understand, by the name of their value. */
	readonly flags?: Named<RunFlag>;
	/** Files in the tree that hold the state of a run and may come from another tool. */
	readonly stateFiles?: Named<StateFile>;
	/** Files of the user's checkout that a run of this format changes itself: they do not make the tree dirty. Absolute. */
	userFiles?(of: Pick<RunState, "input">): readonly string[];
	/** The current stories of a run that keeps them in its own file. */
	keptStories?(state: RunState): Promise<readonly KeptStory[]>;
	/** The current stories of a list that may change while its run stands still; null for runs of other formats. */
	storiesNow?(state: RunState): Promise<StoriesNow | null>;
	/** What lies in a checkout, in the places where people keep it, that a run could start with. Quick, and never an error. */
	inputsIn?(tree: string): Promise<readonly FoundInput[]>;
	/** A person takes back what these stories delivered: its files say so. */
	undone?(state: RunState, stories: readonly string[], warn: (text: string) => void): Promise<void>;
	/** Why the agents of a run cannot read a person's message during the run; null if they can. */
	deaf?(state: RunState): string | null;
	/** What it adds to the prompts of its runs; null for runs of other formats. */
	promptAdditions?(of: PromptContext): Promise<PromptAdditions | null>;
	/** What has to hold on what a run delivers, beside the repository's checks, which `ran`; null for runs of other formats. */
	deliveryChecks?(context: StepContext, ran: readonly CheckResult[]): Promise<readonly CheckResult[] | null>;
	/** What it adds to the environment of the attempts of its runs. */
	sessionEnv?(state: RunState): Readonly<Record<string, string>>;
	/** What it keeps with a run that is about to be created. */
	newRunInput?(run: NewRun): Promise<Readonly<Record<string, string>>>;
	/** Rows of tables beside the journal that a commit changes; null if the run has none. */
	rows?(before: RunState | null, after: RunState): Rows | null;
	/** The names under which agents that pawl did not start may ask for the steps of a role. */
	agentIds?(workflow: string, role: string): readonly string[];
	/** An address that the workflow wants notified. The user decides whether it is. */
	notifyAddress?(definition: Definition): string | null;
	/** Another way to write a workflow, which is compiled to a definition. */
	readonly spelling?: () => Promise<Spelling>;
}

export interface FoundInput {
	/** What it is, for a person. */
	readonly text: string;
	/** The command that starts it. */
	readonly command: string;
}

/** What the list of a run's stories says now, or why that cannot be known. `file`: its name, for a person. */
export type StoriesNow =
	| {
			readonly file: string;
			readonly stories: readonly StorySeed[];
			/** They are a plan that somebody approves, so that it is never added to: fields of the run that come from it. */
			readonly plan?: Readonly<Record<string, string>>;
	  }
	| { readonly file: string; readonly problem: string };

/** Means all checks that the run was started with. */
export const EVERY_CHECK = "*";

/** What an extension is given: the attempt that it is called for, and what it may use. */
export interface StepContext {
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly role: string;
	readonly attempt: number;
	readonly workspace: Workspace;
	/** The state of the workspace when the attempt began; null for an action. */
	readonly point: Point | null;
	readonly repository: Repository;
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** Files of the user's checkout that this run or another run of the repository writes: they never make it dirty. */
	userFiles(): Promise<readonly string[]>;
	/** Where pull requests can be opened, best first. */
	readonly forges: readonly Forge[];
	/** What shows that the work of the run is done; null if nobody can say. */
	proof(): Promise<DeliveryProof | null>;
	readonly signal: AbortSignal;
	now(): number;
	/** Tells the user something that is not worth an event. */
	warn(text: string): void;
	/** Runs a command in a shell as a part of this attempt, by default in the workspace. It is killed when the attempt ends. */
	run(command: string, how?: RunHow): Promise<CheckResult>;
	/** Runs the repository's own checks of these names in a folder, all of them for EVERY_CHECK. Does not repeat a check that passed on the same tree in
	 * this run. `tree`: the tree in the folder, if the caller knows it. `until`: ends them, and then some are missing. */
	check(names: readonly string[], cwd: string, tree?: string, until?: AbortSignal): Promise<readonly CheckResult[]>;
	/** Does the work, then puts the workspace back to what it was before, so that what `run` and `check` start leaves nothing behind. What
	 * others commit meanwhile stays, and so do the paths that `isKept` names. */
	undisturbed<T>(work: () => Promise<T>, isKept?: (path: string) => boolean): Promise<T>;
	/** Notes in the journal that base is about to move to this commit. Rejects if the attempt is over. */
	announceMerge(commit: string): Promise<void>;
	/** The place of a merge among those of the run; null if none may be checked ahead of its turn. */
	readonly mergeQueue: MergePlace | null;
}

/** What shows that the work of a run is done, as lines of Markdown. */
export interface DeliveryProof {
	/** The run's own scope or a story → its acceptance criteria, each with its evidence. */
	readonly criteria: ReadonlyMap<string, readonly string[]>;
	/** How each check of the repository ended the last time. */
	readonly checks: readonly string[];
	readonly cost: string;
}

export interface MergePlace {
	/** Its turn, once the story in front of it is put together. */
	turn(): Promise<Turn>;
	/** Its turn, once that is no longer this one, or the attempt has to end. */
	after(turn: Turn): Promise<Turn>;
	/** Notes the commit that it would put on base, on top of the one of the story `behind`, or of base. False: something else stands in front of it
	 * by now. */
	stacked(commit: string, onto: string, behind: string | null): Promise<boolean>;
	/** Notes that it cannot be merged on top of those in front of it. */
	unstacked(reason: string): Promise<void>;
}

export interface RunHow {
	/** The name of the result; default: the command itself. */
	readonly name?: string;
	readonly cwd?: string;
	readonly timeoutMs?: number;
	/** Ends it before. */
	readonly until?: AbortSignal;
	/** How many bytes of the end of its output are kept, if the usual 16 KiB are not enough. */
	readonly keepBytes?: number;
}

export interface StateFile {
	/** The reader that knows it. */
	readonly reader: string;
	/** The key of a run's input that holds the folder which the file is in. */
	readonly folder: string;
}

export interface KeptStory {
	readonly id: string;
	readonly title: string;
	readonly status: "completed" | "in_progress" | "unclaimed";
	readonly passes: boolean;
	readonly notes: string;
	readonly description: string;
	readonly acceptance_criteria: readonly string[];
}

/** A run that is about to be created. */
export interface NewRun {
	readonly id: string;
	readonly definition: Definition;
	readonly sharedDir: string;
	readonly store: Store;
}

/** The attempt that a prompt is made for. */
export interface PromptContext extends Pick<StepContext, "state" | "scope" | "step" | "role" | "repository"> {
	/** Without a path where nothing is checked out, as in a dry run. */
	readonly workspace: Pick<Workspace, "branch"> & Partial<Pick<Workspace, "path">>;
	/** The text of the step, before anything is filled in. */
	readonly promptText: string;
	/** The step may change files. */
	readonly writes: boolean;
	/** The prompt is only shown: nothing may be made for it. */
	readonly dry?: boolean;
}

/** The code of a step of kind `action`. Safe to repeat after a crash. */
export interface Action {
	(context: StepContext): Promise<Partial<Outcome> & { readonly signal: string }>;
	/** For an action that asks to be tried again later: a text that stays the same as long as trying again would end alike. */
	standing?(context: Pick<StepContext, "state" | "scope" | "repository">): Promise<string>;
}

/** What the agent of an attempt answered, read by the role's grammar. A report, not evidence. */
export interface AgentAnswer {
	/** `ok`, or the failure. */
	readonly result: string;
	/** Its final message. */
	readonly text: string;
	readonly signal: string;
	readonly fields: Readonly<Record<string, string>>;
	/** The stories at the end of its message; null if it gave none. */
	readonly stories: readonly StorySeed[] | null;
	/** What of its report could not be read or is missing, also where the rest of it decides; null: nothing. */
	readonly problem: string | null;
	/** Commands that its session tried and that were refused. */
	readonly refused?: readonly string[];
}

/** Named in `checks`: what the engine itself finds out about what the agent says. */
export type Evidence = (context: StepContext, said: AgentAnswer) => Promise<readonly CheckResult[]>;

/** Named in `writes: {rule: NAME}`: returns those of the changed paths that the step was not allowed to change in this way. */
export type WriteRule = (context: StepContext, paths: readonly string[]) => Promise<readonly string[]>;

/** Named in `keeper`: looks after files that belong to an attempt but not to its agent. */
export interface Keeper {
	/** Prepares the files and returns what `after` will need: plain data, kept with the attempt. Repeated when the attempt is. */
	before?(context: StepContext): Promise<unknown>;
	/** Looks at the files when the agent has ended, before its changes are judged and committed. `memory`: what `before` returned. */
	after?(context: StepContext, said: AgentAnswer, memory: unknown): Promise<Amendment>;
	/** The work of an attempt is put back: puts back what it did to files beside the checkout. Repeated after a crash. */
	undone?(of: UndoneAttempt): Promise<void>;
}

export type UndoneAttempt = Pick<StepContext, "state" | "scope" | "step" | "role" | "attempt" | "sharedDir" | "repository">;

/** What a keeper adds to an outcome, or changes in it. */
export type Amendment = Partial<Pick<Outcome, "signal" | "error" | "fields" | "facts" | "checks" | "remarks">> & {
	/** true: the agent changed files that the keeper looks after and git does not see. */
	readonly changed?: true;
	/** false: uncommitted work is not committed. */
	readonly commit?: boolean;
	/** Folders and files whose uncommitted changes stay as they are. */
	readonly leave?: readonly string[];
	/** Paths that the keeper put back: where a commit has to undo them, it is not called what the agent left. */
	readonly putBack?: readonly string[];
};

/** Named in `inboxes`: files in which people and agents leave messages for a running run. */
export interface ControlFiles {
	/** The message that is there now, or null. Called often. */
	look(context: ControlFilesContext): Promise<ControlMessage | null>;
	/** Removes a message from the files, once it is in the journal. Repeated after a crash. */
	clear(context: ControlFilesContext, message: ControlMessage): Promise<void>;
}

export type ControlFilesContext = Pick<StepContext, "state" | "workspace" | "sharedDir" | "now">;

export interface ControlMessage {
	/** Unique among all messages that were ever left there. */
	readonly id: string;
	readonly message: Message;
}

/** Named in `projections`. */
export interface ProjectionKind {
	/** null if the run has nothing to put in it. */
	open(of: ProjectionContext): Projection | null;
	/** For a file that people may edit: whether somebody changed it since it was written, and what to do about that. */
	changed?(of: Pick<ProjectionContext, "sharedDir" | "root"> & { readonly events: readonly Event[] }): Promise<ChangedFile | null>;
}

export interface ProjectionContext {
	readonly state: RunState;
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** The repository's main checkout. */
	readonly root: string;
	/** An exclusive lock named by a file; null while another process holds it. It ends with its owner's process. */
	lock(file: string): { release(): void } | null;
	warn(text: string): void;
}

/**
 * A file in some document's format that follows the journal. It may lag, but it is never ahead of the journal and never half
 * written. If it is lost, it can be made again from the journal.
 */
export interface Projection {
	/** Takes an event that was committed, with the state after it. */
	apply(event: Event, state: RunState): void;
	/** Whether there is something to write. */
	readonly dirty: boolean;
	/** Absolute; the files in a checkout that only it writes. It may write them at any time, also while a check runs. */
	readonly files?: readonly string[];
	/** How large it was when it was last written, if it is written whole and grows with the run. */
	readonly bytes?: number;
	write(): Promise<void>;
}
