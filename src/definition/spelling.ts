// A second way of writing a workflow: another shape of YAML, compiled to a definition like any other. Whoever loads a workflow brings
// the spellings, as this folder knows its own shape only.
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
	/** All but the hash. What is wrong is reported; what comes back is used only if nothing was. */
	compile(value: unknown, readFile: ReadFile, notes: Notes): Omit<Definition, "hash">;
}
