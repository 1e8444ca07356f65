// Reading and writing the files of one TODO folder. What lies there came with a repository or from an agent: only regular files
// directly in the folder are touched, no symbolic link is followed, no read is without a bound, no write is half there.
import { randomUUID } from "node:crypto";
import {
	closeSync,
	constants,
	fstatSync,
	fsyncSync,
	linkSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { byId, type Issue, isIssueId, parseIssue, type Refused } from "./issue.ts";

const MAX_BYTES = 1024 * 1024;
/** More files than any tracker has; a folder with more is something else. */
const MAX_FILES = 20_000;
const FRESH = /^\.pawl-[0-9a-f-]+\.tmp$/;

export const README = "README.md";

export function readFile(dir: string, name: string): string | Refused {
	const folder = folderProblem(dir);
	if (folder !== null) return folder;
	let handle: number;
	try {
		// O_NONBLOCK: opening a FIFO returns at once.
		handle = openSync(join(dir, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return { problem: `there is no TODO/${name}`, missing: true };
		return { problem: `TODO/${name} ${code === "ELOOP" ? "is a symbolic link; a regular file is needed" : `cannot be read (${code})`}` };
	}
	try {
		const stat = fstatSync(handle);
		if (!stat.isFile()) return { problem: `TODO/${name} is no regular file` };
		const buffer = Buffer.alloc(Math.min(stat.size, MAX_BYTES) + 1);
		let length = 0;
		for (let read = -1; read !== 0 && length < buffer.length; length += read)
			read = readSync(handle, buffer, length, buffer.length - length, length);
		if (length > MAX_BYTES) return { problem: `TODO/${name} has more than ${MAX_BYTES} bytes` };
		return buffer.toString("utf8", 0, length);
	} finally {
		closeSync(handle);
	}
}

/** Puts a file in the place of the one that is there; null where it went well. */
export function replaceFile(dir: string, name: string, text: string): Refused | null {
	const problem = folderProblem(dir) ?? fileProblem(dir, name);
	if (problem !== null) return problem;
	const fresh = join(dir, `.pawl-${randomUUID()}.tmp`);
	try {
		write(fresh, text, modeOf(join(dir, name)));
		renameSync(fresh, join(dir, name));
		return null;
	} catch (error) {
		rmSync(fresh, { force: true });
		return { problem: `TODO/${name} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
	}
}

/** Makes a file that was not there; one that is there is never overwritten. */
export function createFile(dir: string, name: string, text: string): Refused | "exists" | null {
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	const fresh = join(dir, `.pawl-${randomUUID()}.tmp`);
	try {
		write(fresh, text, 0o666);
		// A second name for it is refused where the name is taken; a rename would overwrite.
		linkSync(fresh, join(dir, name));
		return null;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === "EEXIST" ? "exists" : { problem: `TODO/${name} cannot be written (${code ?? String(error)})` };
	} finally {
		rmSync(fresh, { force: true });
	}
}

export function removeFile(dir: string, name: string): Refused | null {
	const problem = folderProblem(dir) ?? fileProblem(dir, name);
	if (problem !== null) return problem;
	rmSync(join(dir, name), { force: true });
	return null;
}

/** Makes the folder where it is missing, and takes away what a killed process left half written. */
export function prepareFolder(dir: string): Refused | null {
	try {
		mkdirSync(dir, { recursive: true });
	} catch (error) {
		return { problem: `${dir} cannot be made (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
	}
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	for (const name of readdirSync(dir)) if (FRESH.test(name)) rmSync(join(dir, name), { force: true });
	return null;
}

/** The ids of the issues that are there, in their order. */
export function idsIn(dir: string): string[] | Refused {
	const problem = folderProblem(dir);
	if (problem !== null) return problem;
	const names = readdirSync(dir);
	if (names.length > MAX_FILES) return { problem: `TODO/ has more than ${MAX_FILES} files` };
	return names.flatMap((name) => (name.endsWith(".md") && isIssueId(name.slice(0, -3)) ? [name.slice(0, -3)] : [])).sort(byId);
}

export function readIssue(dir: string, id: string): Issue | Refused {
	if (!isIssueId(id)) return { problem: `${JSON.stringify(id.slice(0, 80))} is no issue id, such as GAL-39` };
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
	return stat === undefined || stat.isFile() ? null : { problem: `TODO/${name} is no regular file` };
}

const modeOf = (path: string): number => (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o666) & 0o777;

function write(path: string, text: string, mode: number): void {
	const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
	try {
		writeFileSync(handle, text);
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}
