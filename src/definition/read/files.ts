// The files of a workflow's folder, as text: its YAML, its prompts, the files of its agents.
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { MAX_TEXT } from "../../yaml.ts";
import type { FolderReaders, PromptText } from "../options.ts";

export const WORKFLOW_FILE = "workflow.yml";

export const readersOf = (folder: string): FolderReaders => ({
	readPrompt: (name) => readInside(folder, name),
	promptFile: (name) => join(folder, name),
	readAgentFile: (name) => readAgentFile(folder, name),
});

export function isFolder(path: string): boolean {
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
		return { problem: `there is no prompt \`${name}\` in the workflow's folder: create it, or name another`, missing: true };
	}
}

/** Agents of several workflows share files, so these paths may lead out of the folder; they are relative to it. */
function readAgentFile(folder: string, name: string): PromptText {
	if (isAbsolute(name) || name.startsWith("~")) return { problem: `\`${name}\` is not a path from the workflow's folder` };
	const read = readText(join(folder, name));
	return "problem" in read ? { problem: `the agent's file \`${name}\`: ${read.problem}` } : read;
}

export function readText(file: string): PromptText {
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
