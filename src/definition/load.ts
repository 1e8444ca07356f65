// Reads a workflow from disk: its YAML and its prompts, without leaving the workflow's folder, and those of the workflow that it extends.
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Names } from "./check/names.ts";
import { type Loaded, parseDefinition } from "./parse.ts";
import { isFolder, readersOf, readText, WORKFLOW_FILE } from "./read/files.ts";
import { findParent } from "./read/parent.ts";
import type { Spelling } from "./spelling.ts";

/** What the caller knows: the code that a workflow may name, and other forms in which it may be written. */
export interface Language {
	readonly names?: Names;
	/** Loaded when a workflow is. */
	readonly spellings?: readonly (() => Promise<Spelling>)[];
}

/** Takes the folder of a workflow, or its YAML file. */
export async function loadDefinition(path: string, { names, spellings = [] }: Language = {}): Promise<Loaded> {
	const file = isFolder(path) ? join(path, WORKFLOW_FILE) : path;
	const text = readText(file);
	if ("problem" in text) return { ok: false, problems: [{ file, line: 1, column: 1, message: text.problem }] };
	const loaded = parseDefinition(text.text, {
		file,
		...readersOf(dirname(file)),
		parent: findParent,
		...(names === undefined ? {} : { names }),
		spellings: await Promise.all(spellings.map((load) => load())),
	});
	if (!loaded.ok || basename(file) !== WORKFLOW_FILE || nameOf(file) === loaded.definition.name) return loaded;
	const message = `the workflow is called \`${loaded.definition.name}\`, but its folder is \`${nameOf(file)}\`: it is found by the folder's name`;
	return { ...loaded, warnings: [{ file, line: 1, column: 1, message }, ...loaded.warnings] };
}

const nameOf = (file: string): string => basename(dirname(realpathSync(file)));
