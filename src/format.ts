// The contract of a format: the code that a workflow names in its definition (readers, actions, evidence, keepers, write rules, control
// files) and the files that follow its journal. Each knows a file format or a tool; none knows a workflow, and the engine knows
// each by its name only.
import type { FormatCommand } from "./command.ts";
import type { Definition } from "./core/definition.ts";
import type { Event } from "./core/event.ts";
import type { Adopted, CheckResult, Message, Outcome, StorySeed } from "./core/input.ts";
import type { RunState, Step } from "./core/model.ts";
import type { Spelling } from "./definition/spelling.ts";
import type { Forge } from "./forge.ts";
import type { PromptAdditions } from "./prompt/additions.ts";
import type { Rows, Store } from "./store.ts";
import type { Point, Repository, Workspace } from "./workspace.ts";

type Named<T> = Readonly<Record<string, T>>;

/**
 * All that knows one foreign format. A workflow names readers, actions, evidence, keepers, write rules, control files and projections;
 * the names are frozen into journals, so they stay for ever. What not every command needs is imported when it is called.
 */
export interface Format {
	readonly name: string;
	/** Commands of `pawl` by name; `NAME SUB` is a command below one that there is. */
	readonly commands?: Named<FormatCommand>;
	readonly readers?: Named<Reader>;
	readonly actions?: Named<Action>;
	readonly evidence?: Named<Evidence>;
	readonly keepers?: Named<Keeper>;
	readonly writeRules?: Named<WriteRule>;
	readonly controlFiles?: Named<ControlFiles>;
	readonly projections?: Named<ProjectionKind>;
	/** Files, below a tree, that hold the state of a run and may come from elsewhere → the reader that knows them. */
	readonly stateFiles?: Named<string>;
	/** What it adds to the prompts of its runs; null for a run that is not its own. */
	promptAdditions?(of: PromptContext): Promise<PromptAdditions | null>;
	/** What it adds to the environment of the attempts of its runs. */
	sessionEnv?(state: RunState): Readonly<Record<string, string>>;
	/** What it keeps with a run that is about to be created. */
	newRunInput?(run: NewRun): Promise<Readonly<Record<string, string>>>;
	/** Rows of tables beside the journal that a commit changes; null for a run that has none. */
	rows?(before: RunState | null, after: RunState): Rows | null;
	/** The names under which an agent outside may ask for the steps of a role. */
	agentIds?(workflow: string, role: string): readonly string[];
	/** An address that the workflow wants to be told at. Whether it is told is the user's decision. */
	notifyAddress?(definition: Definition): string | null;
	/** A workflow may be written like this. */
	readonly spelling?: () => Promise<Spelling>;
}
/** Stands for all checks that the run was started with. */
export const EVERY_CHECK = "*";

/** What code behind a name is given: the attempt that it is called for, and what it may use there. */
export interface StepContext {
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly role: string;
	readonly attempt: number;
	readonly workspace: Workspace;
	/** How the workspace was when the attempt began; null for an action. */
	readonly point: Point | null;
	readonly repository: Repository;
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** Where pull requests can be opened, best first. */
	readonly forges: readonly Forge[];
	readonly signal: AbortSignal;
	now(): number;
	/** Tells the user something that the journal need not keep. */
	warn(text: string): void;
	/** Runs a command in a shell, in the workspace unless said otherwise, as a part of this attempt: it ends with it. */
	run(command: string, how?: RunHow): Promise<CheckResult>;
	/** Runs the repository's own checks of these names in a folder, all of them for EVERY_CHECK. One that passed on the same tree in this run is
	 * not run again. `tree`: the one that is in the folder, where the caller knows it. */
	check(names: readonly string[], cwd: string, tree?: string): Promise<readonly CheckResult[]>;
	/** Notes in the journal that base is about to move to this commit. Rejects where the attempt is over. */
	announceMerge(commit: string): Promise<void>;
}

export interface RunHow {
	/** What the result is called; the command itself where nothing is said. */
	readonly name?: string;
	readonly cwd?: string;
	readonly timeoutMs?: number;
	/** How many bytes of the end of its output are kept, where the usual 16 KiB are not all that is asked about. */
	readonly keepBytes?: number;
}

/** A run that is about to be created. */
export interface NewRun {
	readonly id: string;
	readonly definition: Definition;
	readonly sharedDir: string;
	readonly store: Store;
}

/** The attempt that a prompt is made for. */
export interface PromptContext extends Pick<StepContext, "state" | "scope" | "role" | "workspace" | "repository"> {
	/** The text of the step, before anything is filled in. */
	readonly promptText: string;
	/** The step may change files. */
	readonly writes: boolean;
}

/** Behind a step of kind `action`. Safe to do again after a crash. */
export type Action = (context: StepContext) => Promise<Partial<Outcome> & { readonly signal: string }>;

/** What the agent of an attempt answered, read by the role's grammar. Its word, not evidence. */
export interface AgentAnswer {
	/** `ok`, or the failure. */
	readonly result: string;
	/** Its final message. */
	readonly text: string;
	readonly signal: string;
	readonly fields: Readonly<Record<string, string>>;
	/** Those that it ended with; null where it gave none. */
	readonly stories: readonly StorySeed[] | null;
}

/** Behind a name in `checks`: what the engine itself finds out about a claim. */
export type Evidence = (context: StepContext, said: AgentAnswer) => Promise<readonly CheckResult[]>;

/** Behind `writes: {rule: NAME}`: those of the changed paths that the step may not have changed, or not like that. */
export type WriteRule = (context: StepContext, paths: readonly string[]) => Promise<readonly string[]>;

/** Behind `keeper`: files that belong to an attempt and that the agent does not own. */
export interface Keeper {
	/** Makes them ready, and answers with what `after` has to know again: plain data, kept with the attempt. Done again where the attempt is. */
	before?(context: StepContext): Promise<unknown>;
	/** Looks at them once the agent has ended, before its changes are judged and committed. `memory` is what `before` answered. */
	after?(context: StepContext, said: AgentAnswer, memory: unknown): Promise<Amendment>;
}

/** What a keeper adds to an outcome, or puts in the place of what the agent said. */
export type Amendment = Partial<Pick<Outcome, "signal" | "error" | "fields" | "facts" | "checks" | "remarks">> & {
	/** false: what is not committed stays so. */
	readonly commit?: boolean;
};

/** Behind a name in `inboxes`: files in which people and agents leave messages for a run under way. */
export interface ControlFiles {
	/** The message that lies there now, or null. Called often. */
	look(context: ControlFilesContext): Promise<ControlMessage | null>;
	/** The message is in the journal: remove it from the files. Done again after a crash. */
	clear(context: ControlFilesContext, message: ControlMessage): Promise<void>;
}

export type ControlFilesContext = Pick<StepContext, "state" | "workspace" | "sharedDir" | "now">;

export interface ControlMessage {
	/** No two messages that were ever left there have the same one. */
	readonly id: string;
	readonly message: Message;
}

/** What `pawl run` was given. */
export interface Given {
	readonly text: string | undefined;
	readonly root: string;
	/** The checkout that pawl was started in; the root, or a linked worktree. */
	readonly tree: string;
	readonly cwd: string;
	readonly flags: {
		readonly maxIterations?: number;
		readonly promise?: string;
		readonly fresh?: boolean;
		readonly delay?: number;
		/** As a flag or the configuration names it. */
		readonly base?: string;
		/** false: the checks of a supervisor are left out. */
		readonly supervisor?: boolean;
	};
	/** Nothing was given: a run that somebody left in the tree is looked for. */
	readonly resume?: boolean;
}

export type Read =
	| {
			readonly ok: true;
			readonly title: string;
			readonly stories: readonly StorySeed[];
			/** Kept with the run: paths, texts. A `base_branch` is where the work of a run in the tree comes back to. */
			readonly input: Readonly<Record<string, string>>;
			/** What the run's fields begin with. */
			readonly fields: Readonly<Record<string, string>>;
			/** Files that the run keeps in the tree and that stay out of git: patterns that begin with `/`. They are no dirt. */
			readonly exclude?: readonly string[];
			/** A state that lies in the tree already. */
			readonly standing?: Standing;
			/** Folders of the tree that belong to the input: what is uncommitted in them is no dirt. */
			readonly own?: readonly string[];
			/** Work that was begun before goes on: a tree that is not clean is as it was left. */
			readonly begun?: boolean;
			/** Role → command of its agent, where the user names none. */
			readonly commands?: Readonly<Record<string, string>>;
	  }
	| { readonly ok: false; readonly problems: readonly string[] };

/** The state of a run in a file that counts: one that a run of ours wrote, or that came from elsewhere. */
export interface Standing {
	readonly file: string;
	readonly unfinished: boolean;
	/** It is about what was given. */
	readonly same: boolean;
	/** What it is about. */
	readonly about: string;
	/** The run with this journal wrote it. */
	isOf(events: readonly Event[]): boolean;
	/** How a run takes it over. */
	adopt(definition: Definition): Adoption;
	/** Puts it away, so that a new run can begin; nothing is lost. */
	archive(): Promise<void>;
}

export type Adoption = { readonly ok: true; readonly adopted: Adopted } | { readonly ok: false; readonly problems: readonly string[] };

/** A file of a run that is not what was last written to it, and what follows from that. */
export type Changed = { readonly file: string } & ({ readonly adopted: Adopted } | { readonly problem: string });

/** Behind the `reader` of an input mode. null: what was given is not for it, another mode may take it. */
export type Reader = (given: Given) => Promise<Read | null>;

/** Behind a name in `projections`. */
export interface ProjectionKind {
	/** null where the run has nothing to put in it. */
	open(of: ProjectionContext): Projection | null;
	/** Where the file counts: whether somebody changed it since it was written, and what follows from that. */
	changed?(of: Pick<ProjectionContext, "sharedDir" | "root"> & { readonly events: readonly Event[] }): Promise<Changed | null>;
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
 * A file in some document's format that follows the journal. It may lag; it is never ahead of the journal and never torn. Losing it
 * loses nothing: it can be made again from the journal.
 */
export interface Projection {
	/** Takes an event that was committed, with the state after it. */
	apply(event: Event, state: RunState): void;
	/** There is something to write. */
	readonly dirty: boolean;
	write(): Promise<void>;
}
