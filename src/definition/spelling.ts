// A spelling: one shape of YAML in which a workflow can be written. Every spelling becomes the same raw workflow, which is checked and compiled
// once (compile.ts). The caller brings the spellings of others, because this folder knows only its own shape.
import type { Path, Report } from "./problem.ts";
import type { RawWorkflow } from "./schema.ts";

export interface Notes {
	readonly report: Report;
	readonly warn: Report;
}

/** A document in the one form that all spellings share. */
export interface Spelled {
	readonly workflow: RawWorkflow;
	/** Entries that could not be read and were set aside, such as `types.coding`, and whole keys, such as `on`. */
	readonly broken: ReadonlySet<string>;
	/** Texts that the document itself contains, by the names that `prompt` and `frame` give them. */
	readonly texts: Readonly<Record<string, string>>;
	/** An unknown variable of a prompt is an error, unless the spelling has looked at them itself. */
	readonly variables: "checked" | "unchecked";
	/** What the format keeps in the definition for itself, by its name. */
	readonly foreign?: Readonly<Record<string, unknown>>;
	/** Where the document says what the raw workflow has at this path. */
	at(path: Path): Path;
}

export interface Spelling {
	/** Whether a document is written like this. */
	matches(value: unknown): boolean;
	/** Reports mistakes; the caller uses the result only if there are none. */
	read(value: unknown, notes: Notes): Spelled;
}
