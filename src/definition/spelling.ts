// A second way of writing a workflow: another shape of YAML, compiled to a definition like any other. The caller brings
// the spellings, because this folder knows only its own shape.
import type { Definition } from "../core/definition.ts";
import type { Report } from "./problem.ts";

export interface Notes {
	readonly report: Report;
	readonly warn: Report;
}

/** Reads a file that the workflow names. */
export type ReadFile = (path: string) => { readonly text: string } | { readonly problem: string };

export interface Spelling {
	/** Whether a document is written like this. */
	matches(value: unknown): boolean;
	/** The definition without its hash. Reports mistakes; the caller uses the result only if there are none. */
	compile(value: unknown, readFile: ReadFile, notes: Notes): Omit<Definition, "hash">;
}
