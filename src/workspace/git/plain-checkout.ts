// Finds an ordinary checkout by looking at its files: a folder `.git` with nothing unusual in its configuration, HEAD on a branch that has a
// commit. It gives git's own answer without the cost of a process, which every command would pay. For everything else it gives none, and git is asked.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { textIn } from "../../files/read.ts";

export interface PlainCheckout {
	readonly top: string;
	readonly gitDir: string;
	/** null if HEAD is on none. */
	readonly branch: string | null;
}

/** What may lead git to other files, or makes refs something else than files. */
const UNUSUAL = /worktree|include|extensions|\bbare\b(?!\s*=\s*false\b)/i;

export function plainCheckout(cwd: string): PlainCheckout | null {
	try {
		const top = topOf(realpathSync.native(cwd));
		return top === null ? null : checkoutAt(top);
	} catch {
		return null;
	}
}

function topOf(from: string): string | null {
	const { dev } = lstatSync(from);
	for (let folder = from; ; folder = dirname(folder)) {
		const found = lstatSync(join(folder, ".git"), { throwIfNoEntry: false });
		if (found !== undefined) return found.isDirectory() && isOurs(folder) && found.uid === process.geteuid?.() ? folder : null;
		// A git folder itself, or the end of the file system: git has its own rules there.
		const over = existsSync(join(folder, "HEAD")) || folder === dirname(folder) || lstatSync(dirname(folder)).dev !== dev;
		if (over) return null;
	}
}

/** git refuses to work in the checkout of somebody else. */
const isOurs = (folder: string): boolean => lstatSync(folder).uid === process.geteuid?.();

function checkoutAt(top: string): PlainCheckout | null {
	const gitDir = join(top, ".git");
	const config = textOf(join(gitDir, "config"));
	if (UNUSUAL.test(config) || !/^\s*repositoryformatversion = 0$/m.test(config)) return null;
	if (existsSync(join(gitDir, "commondir")) || !existsSync(join(gitDir, "objects")) || !existsSync(join(gitDir, "refs"))) return null;
	const head = textOf(join(gitDir, "HEAD"));
	if (/^[0-9a-f]{40}\n$/.test(head)) return { top, gitDir, branch: null };
	const branch = /^ref: refs\/heads\/([\w./-]+)\n$/.exec(head)?.[1];
	if (branch === undefined || branch.includes("..") || !hasCommit(gitDir, `refs/heads/${branch}`)) return null;
	return { top, gitDir, branch };
}

function hasCommit(gitDir: string, ref: string): boolean {
	const file = join(gitDir, ref);
	if (existsSync(file)) return /^[0-9a-f]{40}\n$/.test(textOf(file));
	return textOf(join(gitDir, "packed-refs")).includes(` ${ref}\n`);
}

const textOf = (file: string): string => textIn(file, { max: 64 * 1024 * 1024 }) ?? "";
