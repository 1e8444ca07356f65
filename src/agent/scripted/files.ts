// File operations for scripts, confined to a root folder whatever links lie in the way. Failures are values.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";

/** Why the operation failed, or null. */
type FileProblem = Promise<string | null>;

/** The absolute path of `path` below `root`. It need not exist yet, but what exists of it may not lead outside. */
async function confine(root: string, path: string): Promise<{ readonly path: string } | { readonly problem: string }> {
	const outside = { problem: `${path} is outside the folder it belongs in` };
	if (path === "" || path.includes("\0")) return { problem: "an empty or unusable path" };
	if (isAbsolute(path) || path.startsWith("\\") || path.split(/[\\/]/).includes("..")) return outside;
	const base = await realpath(root);
	const target = join(base, normalize(path));
	if (target === base || target === base + sep) return { problem: `${path} is the folder itself` };
	for (let parent = dirname(target); ; parent = dirname(parent)) {
		// Not there yet: look further up. ENOTDIR and the like show when the path is used.
		const real = await realpath(parent).catch(() => null);
		if (real === null && parent !== base) continue;
		return real === base || real?.startsWith(base + sep) ? { path: target } : outside;
	}
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs `use` with the confined path and returns any error as text. */
async function at(root: string, path: string, use: (path: string) => Promise<void>): FileProblem {
	try {
		const confined = await confine(root, path);
		if ("problem" in confined) return confined.problem;
		await use(confined.path);
		return null;
	} catch (error) {
		return messageOf(error);
	}
}

// O_NOFOLLOW: a link as the last part could lead outside. O_NONBLOCK: opening a FIFO without a reader would hang.
const SAFELY = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function put(path: string, content: string, how: number): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	const file = await open(path, SAFELY | how, 0o666);
	try {
		if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
		await file.writeFile(content);
	} finally {
		await file.close();
	}
}

export const writeBelow = (root: string, path: string, content: string): FileProblem =>
	at(root, path, (target) => put(target, content, constants.O_TRUNC));

export const appendBelow = (root: string, path: string, content: string): FileProblem =>
	at(root, path, (target) => put(target, content, constants.O_APPEND));

/** Readers see the old file or the new one, never a part: the engine may look at any time. */
export const replaceBelow = (root: string, path: string, content: string): FileProblem =>
	at(root, path, async (target) => {
		const part = `${target}.${randomUUID()}.part`;
		await put(part, content, constants.O_EXCL);
		await rename(part, target);
	});

/** Removes a link itself, not its target. It is no error if nothing is there. */
export const removeBelow = (root: string, path: string): FileProblem =>
	at(root, path, (target) => rm(target, { recursive: true, force: true }));

export async function existsBelow(root: string, path: string): Promise<{ readonly exists: boolean } | { readonly problem: string }> {
	let exists = true;
	const problem = await at(root, path, async (target) => {
		await lstat(target).catch(() => {
			exists = false;
		});
	});
	return problem === null ? { exists } : { problem };
}
