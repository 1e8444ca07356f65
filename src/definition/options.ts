// What the caller brings to reading a workflow: its files, the code that it may name, the spellings of others.
import type { Names } from "./check/names.ts";
import type { Spelling } from "./spelling.ts";

/** `missing`: there is no such file. */
export type PromptText = { readonly text: string } | { readonly problem: string; readonly missing?: true };

/** What can be read in the folder of a workflow. */
export interface FolderReaders {
	/** Reads a file of the workflow's folder. */
	readonly readPrompt: (path: string) => PromptText;
	/** The name of a prompt in problems; by default its path. */
	readonly promptFile?: (path: string) => string;
	/** Reads a file of an agent, which may lie outside the workflow's folder. Without it none can be read. */
	readonly readAgentFile?: (path: string) => PromptText;
}

/** A workflow that another one extends. */
export interface Parent extends FolderReaders {
	/** Its name in problems. */
	readonly file: string;
	readonly text: string;
}

/** `chain`: the files that lead there, the one that names it last. */
export type FindParent = (name: string, chain: readonly string[]) => Parent | { readonly problem: string };

export interface ParseOptions extends FolderReaders {
	/** Its name in problems. */
	readonly file: string;
	/** The code that a workflow may name; without it names are not checked. */
	readonly names?: Names;
	/** The spellings of others. */
	readonly spellings?: readonly Spelling[];
	/** Without it no workflow can extend another. */
	readonly parent?: FindParent;
}
