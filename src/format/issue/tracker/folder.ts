// Reads and writes the files of one TODO folder. They come from a repository or from an agent, so only regular files directly in the
// folder are touched, no symbolic link is followed, every read is bounded and every write is atomic.
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../../../files/read.ts";
import { createWhole, removeTemporariesIn, writeWholeSync } from "../../../files/write.ts";
import { noteWritten } from "../../../files/written.ts";
import { byId, type Issue, isIssueId, parseIssue, type Refused } from "./issue.ts";

const MAX_BYTES = 1024 * 1024;
/** More files than any tracker has; a folder with more is something else. */
const MAX_FILES = 20_000;
/** What earlier versions left half written. */
const OLD_TEMPORARY = /^\.pawl-[0-9a-f-]+\.tmp$/;

export const README = "README.md";

export function readFile(dir: string, name: string): string | Refused {
	const folder = folderProblem(dir);
	if (folder !== null) return folder;
	const found = readBounded(join(dir, name), { max: MAX_BYTES });
	if ("missing" in found) return { problem: `there is no TODO/${name}`, missing: true };
	return "problem" in found ? { problem: `TODO/${name}: ${found.problem}` } : found.text;
}

/** Replaces a file; null if it went well. */
export function replaceFile(dir: string, name: string, text: string): Refused | null {
	const problem = folderProblem(dir) ?? fileProblem(dir, name);
	if (problem !== null) return problem;
	try {
		writeWholeSync(join(dir, name), text, { durable: true, mode: modeOf(join(dir, name)) });
		return null;
	} catch (error) {
		return unwritten(name, error);
	}
}

/** Makes a new file; never overwrites one. */
export function createFile(dir: string, name: string, text: string): Refused | "exists" | null {
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	try {
		return createWhole(join(dir, name), text, { durable: true }) ? null : "exists";
	} catch (error) {
		return unwritten(name, error);
	}
}

const unwritten = (name: string, error: unknown): Refused => ({
	problem: `TODO/${name} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
});

export function removeFile(dir: string, name: string): Refused | null {
	const problem = folderProblem(dir) ?? fileProblem(dir, name);
	if (problem !== null) return problem;
	rmSync(join(dir, name), { force: true });
	noteWritten(join(dir, name));
	return null;
}

/** Makes the folder if it is missing, and removes half-written files of killed processes. */
export function prepareFolder(dir: string): Refused | null {
	try {
		mkdirSync(dir, { recursive: true });
	} catch (error) {
		return { problem: `${dir} cannot be made (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
	}
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	removeTemporariesIn(dir);
	for (const name of readdirSync(dir)) if (OLD_TEMPORARY.test(name)) rmSync(join(dir, name), { force: true });
	return null;
}

/** The ids of the existing issues, in order. */
export function idsIn(dir: string): string[] | Refused {
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	const names = readdirSync(dir);
	if (names.length > MAX_FILES) return { problem: `TODO/ has more than ${MAX_FILES} files` };
	return names.flatMap((name) => (name.endsWith(".md") && isIssueId(name.slice(0, -3)) ? [name.slice(0, -3)] : [])).sort(byId);
}

export function readIssue(dir: string, id: string): Issue | Refused {
	if (!isIssueId(id)) return { problem: `${JSON.stringify(id.slice(0, 80))} is not an issue id, such as GAL-39` };
	const text = readFile(dir, `${id}.md`);
	if (typeof text !== "string") return text;
	const issue = parseIssue(id, text);
	return "problem" in issue ? { problem: `TODO/${id}.md: ${issue.problem}` } : issue;
}

function folderProblem(dir: string): Refused | null {
	try {
		const stat = lstatSync(dir);
		return stat.isDirectory() ? null : { problem: `${dir} is no folder` };
	} catch {
		return { problem: `there is no folder ${dir}`, missing: true };
	}
}

function fileProblem(dir: string, name: string): Refused | null {
	const stat = lstatSync(join(dir, name), { throwIfNoEntry: false });
	return stat === undefined || stat.isFile() ? null : { problem: `TODO/${name} is not a regular file` };
}

const modeOf = (path: string): number => (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o666) & 0o777;
