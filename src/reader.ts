// The contract of readers: they turn the input of `pawl run`, a text or a flag, into stories, fields and data kept with the run.
import type { Definition } from "./core/definition.ts";
import type { Event } from "./core/event.ts";
import type { Adopted, StorySeed } from "./core/input.ts";
import type { ReachedIssues } from "./core/remote/issue.ts";

/** Named in the `reader` of an input mode. null: this input is not for it, and another mode may take it. */
export type Reader = (given: ReaderInput) => Promise<ReaderResult | null>;

/** What `pawl run` was given. */
export interface ReaderInput {
	readonly text: string | undefined;
	readonly root: string;
	/** The checkout that pawl was started in; the root, or a linked worktree. */
	readonly tree: string;
	readonly cwd: string;
	/** Flags of every workflow. */
	readonly options: {
		readonly maxIterations?: number;
		readonly fresh?: boolean;
		readonly delay?: number;
		/** From a flag or pawl.yml. */
		readonly base?: string;
	};
	/** Flags that formats declare, as the user or the configuration gives them. */
	readonly flags: Readonly<Record<string, FlagValue>>;
	/** No input was given: look for an unfinished run in the tree. */
	readonly resume?: boolean;
	/** The forge of the repository's remote, or why there is none that can be used. */
	forge?(): Promise<ReachedIssues | { readonly problem: string }>;
}

export type FlagValue = string | boolean;

/** A flag of `pawl run` that some readers understand. */
export interface RunFlag {
	/** As the help shows it: `--prd <file>`; `--no-supervisor` is the value `false`. */
	readonly flag: string;
	readonly help: string;
	readonly readers: readonly string[];
	/** The command of the format that gives it; `pawl run` and the dashboard do not take it. */
	readonly command?: string;
	/** The flag replaces the text; this is the name of its value. */
	readonly insteadOfText?: string;
	/** The readers that want it together with a text. */
	readonly besideText?: readonly string[];
	/** The mistake in a value, as the end of a sentence that begins with the flag; null: none. */
	problem?(value: FlagValue): string | null;
}

export type ReaderResult =
	| {
			readonly ok: true;
			readonly title: string;
			readonly stories: readonly StorySeed[];
			/** Kept with the run: paths, texts. `base_branch` is the branch that the work of a run in the tree will be merged into. */
			readonly input: Readonly<Record<string, string>>;
			/** The initial fields of the run. */
			readonly fields: Readonly<Record<string, string>>;
			/** The keys of `input` that identify what the run is about: an unfinished run with the same values continues. Without any, every run is new. */
			readonly source?: readonly string[];
			/** The keys of `input` by which earlier runs are found that may have delivered some of these stories: what their base holds, or a pull request that
			 * nobody closed, is not done again. */
			readonly deliveredBy?: readonly string[];
			/** The name of a list that may grow: a continued run takes up its new stories. */
			readonly growing?: string;
			/** The fields that a continued run takes from here; the others stay as the run was started. */
			readonly renewed?: readonly string[];
			/** Files that the run keeps in the tree and out of git, as patterns that begin with `/`. They do not make the tree dirty. */
			readonly exclude?: readonly string[];
			/** The state of a run that is already in the tree. */
			readonly standing?: StateInTree;
			/** Folders and files of the tree that belong to the input: what is uncommitted there does not make the tree dirty. */
			readonly own?: readonly string[];
			/** The run continues earlier work, so the tree need not be clean. */
			readonly begun?: boolean;
			/** What a person should know about the input, with its place. It does not stop the run. */
			readonly warnings?: readonly string[];
			/** Role → command of its agent, if the user names none. */
			readonly commands?: Readonly<Record<string, string>>;
			/** The branch that the work in the tree belongs on; the input names it, and tells agents to work there. */
			readonly branch?: string;
	  }
	| { readonly ok: false; readonly problems: readonly string[] };

/** The state of a run in a file that people may edit or copy: written by one of pawl's runs, or by another tool. */
export interface StateInTree {
	readonly file: string;
	readonly unfinished: boolean;
	/** It is about the same input. */
	readonly same: boolean;
	/** Its input. */
	readonly about: string;
	/** Whether the run with this journal wrote it. */
	isOf(events: readonly Event[]): boolean;
	/** What a run adopts from it. */
	adopt(definition: Definition): Adoption;
	/** Moves it to the archive, so that a new run can begin. */
	archive(): Promise<void>;
}

export type Adoption = { readonly ok: true; readonly adopted: Adopted } | { readonly ok: false; readonly problems: readonly string[] };

/** A file of a run that somebody changed since pawl wrote it: what to adopt from it, or why that is impossible. */
export type ChangedFile = { readonly file: string } & (
	| {
			readonly adopted: Adopted;
			/** What was done to it, if that is known. */
			readonly how?: string;
	  }
	| { readonly problem: string }
);
