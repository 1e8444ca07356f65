// The checkouts that are on a base branch, usually the user's own: which they are, and what in them prevents
// moving them forward.
import type { Stats } from "node:fs";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { raw, textOf } from "../git/file-names.ts";
import { git, tryGit } from "../git/git.ts";
import { withWorktreeLock } from "../git/lock.ts";
import { adminOf, exists } from "../git/worktree-folders.ts";

export interface RepositoryPaths {
	/** The root of the main checkout. */
	readonly root: string;
	readonly commonDir: string;
}

export interface Checkout {
	readonly path: string;
	readonly gitDir: string;
	/** A rebase of the branch is under way there. HEAD is on no branch meanwhile, but the end of it writes the branch, whatever that is by then. */
	readonly rebasing: boolean;
}

/** A path at which two trees differ. A mode of zeros: it does not exist. */
export interface Touched {
	readonly path: string;
	readonly before: Entry;
	readonly after: Entry;
}

export interface Entry {
	readonly mode: string;
	readonly blob: string;
}

export const isThere = (entry: Entry): boolean => !/^0+$/.test(entry.mode);

const isSubmodule = (entry: Entry): boolean => entry.mode === "160000";

export async function checkoutsOf(repository: RepositoryPaths, ref: string): Promise<Checkout[]> {
	const listed = await withWorktreeLock(repository.commonDir, () => git(repository.root, ["worktree", "list", "--porcelain", "-z"]));
	const found: Checkout[] = [];
	for (const [i, record] of listed.split("\0\0").entries()) {
		const lines = record.split("\0").filter((line) => line !== "");
		const path = lines.find((line) => line.startsWith("worktree "))?.slice(9);
		const onIt = lines.includes(`branch ${ref}`);
		if (path === undefined || !(onIt || lines.includes("detached"))) continue;
		// The first is the main one. If its git folder is elsewhere, git names that instead.
		const gitDir = i === 0 ? repository.commonDir : (await exists(path)) ? await adminOf(repository.commonDir, path) : null;
		if (gitDir === null || !(onIt || (await isRebased(gitDir, ref)))) continue;
		found.push({ path: i === 0 ? repository.root : path, gitDir, rebasing: !onIt });
	}
	return found;
}

/** A person makes a new branch there without any lock of git's, so it can leave at any time. */
export async function isOn({ path, gitDir }: Checkout, ref: string): Promise<boolean> {
	const head = await readFile(join(gitDir, "HEAD"), "utf8").catch(() => "");
	// With reftables that file says nothing.
	return head.trim() === `ref: ${ref}` || (await tryGit(path, ["symbolic-ref", "-q", "HEAD"])).stdout.toString("utf8").trim() === ref;
}

async function isRebased(gitDir: string, ref: string): Promise<boolean> {
	for (const name of ["rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"])
		if ((await readFile(join(gitDir, name), "utf8").catch(() => "")).split("\n").includes(ref)) return true;
	return false;
}

/** What a person has begun in a checkout and not ended. */
export async function unfinishedIn({ gitDir }: Checkout): Promise<string[]> {
	const found: string[] = [];
	for (const name of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "rebase-merge", "rebase-apply"])
		if (await exists(join(gitDir, name))) found.push(`.git/${name}`);
	return found;
}

export async function between(repository: RepositoryPaths, before: string, after: string): Promise<Touched[]> {
	const raw = (await git(repository.root, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after])).split("\0");
	const touched: Touched[] = [];
	for (let i = 0; i + 1 < raw.length; i += 2) {
		const [was = "", is = "", wasBlob = "", isBlob = ""] = (raw[i] ?? "").slice(1).split(" ");
		touched.push({ path: raw[i + 1] ?? "", before: { mode: was, blob: wasBlob }, after: { mode: is, blob: isBlob } });
	}
	return touched;
}

/** Tracked files with any changes, and any file in a path that the merge writes. `ignore` has
 * absolute paths, which matter only in the second case. */
export async function dirtOf(checkout: Checkout, touched: readonly Touched[], ignore: readonly string[]): Promise<string[]> {
	const dirt = new Set(await unfinishedIn(checkout));
	const ignored = new Set(await Promise.all(ignore.map((file) => inside(checkout.path, file))));
	const wanted = new Set(touched.map((t) => t.path));
	for (const path of await modified(checkout.path)) if (wanted.has(path) || !ignored.has(path)) dirt.add(path);
	for (const entry of touched) {
		const { path, before, after } = entry;
		const way = isThere(before) || !isThere(after) ? null : await inTheWay(checkout.path, path, touched);
		for (const name of way !== null ? [way] : ((await lostAt(checkout.path, entry, touched)) ?? [])) dirt.add(name);
	}
	return [...dirt].sort();
}

// A submodule whose own checkout lags behind is not the user's work; a staged one is.
async function modified(path: string): Promise<string[]> {
	const status = ["status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames"];
	const found: string[] = [];
	for (const record of (await git(path, status)).split("\0")) {
		const parts = /^(?:1 (.)(.) (\S)\S* (?:\S+ ){5}|u .. (\S)\S* (?:\S+ ){7})(.*)$/s.exec(record);
		if (parts === null) continue;
		const [, staged, , kind, , name = ""] = parts;
		if (kind !== "S" || staged !== ".") found.push(name);
	}
	return found;
}

/** What is on disk at a path that git does not have yet: an untracked or ignored file, or a folder. */
async function inTheWay(root: string, path: string, touched: readonly Touched[]): Promise<string | null> {
	const removed = (name: string): boolean => touched.some((t) => (t.path === name || t.path.startsWith(`${name}/`)) && !isThere(t.after));
	for (let name = path; name !== "."; name = dirname(name)) {
		const info = await (name === path ? onDisk(root, name) : lstat(raw(join(root, name))).catch(() => null));
		if (info === null) continue;
		if (name !== path && info.isDirectory()) return null;
		// A file that becomes a folder, or the other way round: `lostAt` looks into it.
		return removed(name) ? null : name;
	}
	return null;
}

/** What the user would lose where a file or a link takes the place of a folder: git asks neither for ignored files nor for anything in a submodule.
 * null if no folder is there. */
export async function lostAt(root: string, { path, before, after }: Touched, touched: readonly Touched[]): Promise<string[] | null> {
	// Where there was a file, git sees that it has changed.
	if (!isThere(after) || isSubmodule(after) || (isThere(before) && !isSubmodule(before))) return null;
	const found = await strangersIn(root, path, touched);
	return isSubmodule(before) && found !== null && found.length > 0 ? [path] : found;
}

/** All that is in a folder, except what the merge removes; null if there is none. */
async function strangersIn(root: string, folder: string, touched: readonly Touched[]): Promise<string[] | null> {
	if (!(await onDisk(root, folder))?.isDirectory()) return null;
	const removed = (name: string): boolean => touched.some((t) => t.path === name && isThere(t.before) && !isThere(t.after));
	const found: string[] = [];
	for (const entry of (await readdir(raw(join(root, folder)), "buffer")).map(textOf)) {
		const name = `${folder}/${entry}`;
		if (removed(name)) continue;
		const within = await strangersIn(root, name, touched);
		if (within === null) found.push(name);
		// One name for a folder that is the user's alone: it may hold thousands of files.
		else if (within.length > 0) found.push(...(touched.some((t) => t.path.startsWith(`${name}/`)) ? within : [name]));
	}
	return found;
}

/** What is at a path of git's. Behind a symlink nothing is: git does not follow them. */
export async function onDisk(root: string, path: string): Promise<Stats | null> {
	const info = await lstat(raw(join(root, path))).catch(() => null);
	const folder = dirname(path);
	if (info === null || folder === ".") return info;
	return (await onDisk(root, folder))?.isDirectory() ? info : null;
}

async function inside(root: string, file: string): Promise<string> {
	const real = await realpath(file).catch(() => file);
	return relative(await realpath(root), real);
}
