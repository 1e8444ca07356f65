// What the caller brings to reading a workflow: its files, the code that it may name, the spellings of others.
import type { Names } from "./check/names.ts";
import type { Spelling } from "./spelling.ts";

export type PromptText = { readonly text: string } | { readonly problem: string };

export interface ParseOptions {
	/** Its name in problems. */
	readonly file: string;
	/** Reads a file of the workflow's folder. */
	readonly readPrompt: (path: string) => PromptText;
	/** The name of a prompt in problems; by default its path. */
	readonly promptFile?: (path: string) => string;
	/** Reads a file of an agent, which may lie outside the workflow's folder. Without it none can be read. */
	readonly readAgentFile?: (path: string) => PromptText;
	/** The code that a workflow may name; without it names are not checked. */
	readonly names?: Names;
	/** The spellings of others. */
	readonly spellings?: readonly Spelling[];
}
