// What the tracker needs from git: which numbers are taken anywhere in the repository, and a lock that all of its worktrees
// share. The tracker finds a number and makes its file under that lock, so a number needs no reservation that could be left behind.
import { execFile } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { idsIn } from "./folder.ts";
import { isIssueId, numberOf, prefixOf, type Refused } from "./issue.ts";

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;
const BUSY = 5;

/** What git printed; null if it failed, so that this source of numbers is empty. */
function git(cwd: string, args: readonly string[], input = ""): Promise<Buffer | null> {
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
	return new Promise((resolve) => {
		const child = execFile(
			"git",
			["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args],
			{ cwd, env: { ...env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" }, encoding: "buffer", timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES },
			(error, stdout) => resolve(error === null ? stdout : null),
		);
		child.stdin?.on("error", () => {});
		child.stdin?.end(input);
	});
}

interface GitFolders {
	readonly top: string;
	readonly common: string;
}

async function gitFoldersOf(cwd: string): Promise<GitFolders | null> {
	const out = await git(cwd, ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"]);
	const [top, common] = out?.toString("utf8").split("\n") ?? [];
	return top && common ? { top, common } : null;
}

/** One caller after the other, across all worktrees of the repository; outside of git nobody else can call. */
export async function withTrackerLock<T>(dir: string, work: () => Promise<T>): Promise<T | Refused> {
	const folders = await gitFoldersOf(join(dir, ".."));
	if (folders === null) return work();
	const folder = join(folders.common, "pawl");
	let lock: DatabaseSync | null = null;
	try {
		mkdirSync(folder, { recursive: true });
		for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 2, LONGEST_WAIT_MS)) {
			lock = tryLock(join(folder, "todo.lock"));
			if (lock !== null) break;
			await wait(pause);
		}
	} catch (error) {
		return { problem: `${folder} cannot be locked: ${error instanceof Error ? error.message : String(error)}` };
	}
	try {
		return await work();
	} finally {
		lock.close();
	}
}

/** An exclusive transaction: the system frees it at once when its owner dies. */
function tryLock(file: string): DatabaseSync | null {
	const db = new DatabaseSync(file, { timeout: 0 });
	try {
		db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
		return db;
	} catch (error) {
		db.close();
		if (error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === BUSY) return null;
		throw error;
	}
}

/** The highest number of a prefix in this folder, in all worktrees, and on all known branches. */
export async function highestNumber(dir: string, prefix: string): Promise<number> {
	const folders = await gitFoldersOf(join(dir, ".."));
	const found = [...namesIn(dir)];
	if (folders !== null) {
		const folder = relative(folders.top, join(realpathSync(join(dir, "..")), "TODO"));
		const inside = folder !== "" && !folder.startsWith("..") ? folder : "TODO";
		for (const tree of await worktreesOf(folders.top)) found.push(...namesIn(join(tree, inside)));
		found.push(...(await onBranches(folders.top, inside.split(sep).join("/"))));
	}
	return Math.max(0, ...found.filter((id) => prefixOf(id) === prefix).map(numberOf));
}

const namesIn = (dir: string): readonly string[] => {
	const ids = idsIn(dir);
	return "problem" in ids ? [] : ids;
};

async function worktreesOf(top: string): Promise<string[]> {
	const out = await git(top, ["worktree", "list", "--porcelain", "-z"]);
	return (out?.toString("utf8") ?? "").split("\0").flatMap((line) => (line.startsWith("worktree ") ? [line.slice(9)] : []));
}

/** Two processes, however many branches there are: most of them have the same folder. */
async function onBranches(top: string, folder: string): Promise<string[]> {
	const refs = await git(top, ["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]);
	const asked = (refs?.toString("utf8") ?? "").split("\n").filter((ref) => ref !== "");
	const looked = await git(top, ["cat-file", "--batch-check"], asked.map((ref) => `${ref}:${folder}\n`).join(""));
	const trees = new Set((looked?.toString("utf8") ?? "").split("\n").flatMap((line) => /^([0-9a-f]+) tree \d+$/.exec(line)?.[1] ?? []));
	const read = trees.size === 0 ? null : await git(top, ["cat-file", "--batch"], [...trees].map((tree) => `${tree}\n`).join(""));
	return read === null ? [] : namesOfTrees(read);
}

/** The names in trees as git keeps them: `<oid> tree <size>\n`, then for each name `<mode> <name>\0<oid as bytes>`. */
function namesOfTrees(out: Buffer): string[] {
	const ids: string[] = [];
	for (let at = 0; at < out.length; ) {
		const end = out.indexOf(10, at);
		const [oid = "", kind, size = "0"] = out.toString("latin1", at, end === -1 ? out.length : end).split(" ");
		if (end === -1 || kind !== "tree") break;
		const stop = end + 1 + Number(size);
		for (let entry = end + 1; entry < stop; ) {
			const zero = out.indexOf(0, entry);
			if (zero === -1) break;
			const name = out.toString("utf8", out.indexOf(32, entry) + 1, zero);
			if (name.endsWith(".md") && isIssueId(name.slice(0, -3))) ids.push(name.slice(0, -3));
			entry = zero + 1 + oid.length / 2;
		}
		at = stop + 1;
	}
	return ids;
}
