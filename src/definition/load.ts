// Reads a workflow from disk: its YAML and its prompts, without leaving the workflow's folder.
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { MAX_TEXT } from "../yaml.ts";
import type { Names } from "./check/names.ts";
import type { PromptText } from "./options.ts";
import { type Loaded, parseDefinition } from "./parse.ts";
import type { Spelling } from "./spelling.ts";

export const WORKFLOW_FILE = "workflow.yml";

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
	const folder = dirname(file);
	const loaded = parseDefinition(text.text, {
		file,
		readPrompt: (name) => readInside(folder, name),
		promptFile: (name) => join(folder, name),
		readAgentFile: (name) => readAgentFile(folder, name),
		...(names === undefined ? {} : { names }),
		spellings: await Promise.all(spellings.map((load) => load())),
	});
	if (!loaded.ok || basename(file) !== WORKFLOW_FILE || nameOf(file) === loaded.definition.name) return loaded;
	const message = `the workflow is called \`${loaded.definition.name}\`, but its folder is \`${nameOf(file)}\`: it is found by the folder's name`;
	return { ...loaded, warnings: [{ file, line: 1, column: 1, message }, ...loaded.warnings] };
}

const nameOf = (file: string): string => basename(dirname(realpathSync(file)));

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Prompts are frozen into runs, so they must lie within the folder that a person has reviewed. */
function readInside(folder: string, name: string): PromptText {
	const inside = `\`${name}\` leads out of the workflow's folder: keep prompts beside the YAML`;
	if (name.includes("\\") || isAbsolute(name) || name.split("/").includes("..")) return { problem: inside };
	try {
		const root = realpathSync(folder);
		const file = realpathSync(join(root, name));
		const way = relative(root, file);
		if (way.startsWith(`..${sep}`) || way === ".." || isAbsolute(way)) return { problem: inside };
		const read = readText(file);
		return "problem" in read ? { problem: `the prompt \`${name}\`: ${read.problem}` } : read;
	} catch {
		return { problem: `there is no prompt \`${name}\` in the workflow's folder: create it, or name another` };
	}
}

/** Agents of several workflows share files, so these paths may lead out of the folder; they are relative to it. */
function readAgentFile(folder: string, name: string): PromptText {
	if (isAbsolute(name) || name.startsWith("~")) return { problem: `\`${name}\` is not a path from the workflow's folder` };
	const read = readText(join(folder, name));
	return "problem" in read ? { problem: `the agent's file \`${name}\`: ${read.problem}` } : read;
}

function readText(file: string): PromptText {
	let fd: number;
	try {
		// A pipe in place of a file must not block.
		fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		return {
			problem: `the file cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "it does not exist" : (error as Error).message}`,
		};
	}
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) return { problem: "this is not a regular file" };
		if (stat.size > MAX_TEXT) return { problem: "the file is larger than 1 MiB" };
		return { text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(fd)) };
	} catch (error) {
		return { problem: error instanceof TypeError ? "the file is not UTF-8 text" : `the file cannot be read: ${(error as Error).message}` };
	} finally {
		closeSync(fd);
	}
}
