// Moves a base branch to a new commit, together with the checkouts that are on it, so that a crash at any point leaves
// something that the next merge into this base can finish. One move at a time, by a lock of the branch.
//
// The order: (1) our mark in `index.lock` of each checkout, so that the user's own git changes nothing meanwhile; (2) what
// is about to happen, in a file; (3) the files, with a copy of the user's index; (4) the refs, compare and swap; (5) the
// copy becomes the user's index; (6) lock and file go. A crash before 4 leaves the story's files in a checkout at the old
// commit, one after 4 an index that lags behind; both are seen from the file of 2 and brought to the end. Moving the ref
// first would leave a checkout whose next commit silently takes the story back.
import { copyFile, link, lstat, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WorkspaceError } from "../../workspace.ts";
import { syncFile } from "../git/durable.ts";
import { raw } from "../git/file-names.ts";
import { git, gitError, tryGit } from "../git/git.ts";
import { treeHolder } from "../git/held-tree.ts";
import { nameOf, privateFolder, withMoveLock } from "../git/lock.ts";
import { exists, names } from "../git/worktree-folders.ts";
import {
	between,
	type Checkout,
	checkoutsOf,
	dirtOf,
	isOn,
	isThere,
	lostAt,
	onDisk,
	type RepositoryPaths,
	type Touched,
	unfinishedIn,
} from "./base-checkouts.ts";

export interface Move {
	readonly ref: string;
	readonly from: string;
	readonly to: string;
}

/** `moved`: somebody else has moved the branch; nothing changed. */
export type MoveResult = "done" | "moved" | { readonly dirty: readonly string[] };

/** What the log of a base says of a merge. */
export const MERGE = "pawl: merge";

const ORPHAN_MS = 5000;
const MARK = "pawl is merging into this branch; if pawl is not running, `pawl resume` goes on\n";

export interface MoveHow {
	/** Further lines for `git update-ref --stdin`, in the same transaction. */
	readonly refs?: readonly string[];
	/** Absolute paths of files that may have changes. */
	readonly ignore?: readonly string[];
	/** At which paths the two commits differ, if that is known. */
	readonly touched?: readonly Touched[] | null;
	/** The message for the log of the branch. */
	readonly why?: string;
}

export function moveBase(repository: RepositoryPaths, move: Move, how: MoveHow = {}): Promise<MoveResult> {
	return withMoveLock(repository.commonDir, move.ref, () => moveLocked(repository, move, how));
}

async function moveLocked(repository: RepositoryPaths, move: Move, how: MoveHow): Promise<MoveResult> {
	const { refs = [], ignore = [], why = MERGE } = how;
	const checkouts = await checkoutsOf(repository, move.ref);
	if (checkouts.length === 0) return await writeRefs(repository, repository.root, move, refs, why);
	const touched = how.touched ?? (await between(repository, move.from, move.to));
	const locked: Checkout[] = [];
	try {
		for (const checkout of checkouts) {
			if (!(await mark(checkout, move.ref))) return { dirty: [".git/index.lock"] };
			locked.push(checkout);
			await rm(ours(checkout), { force: true });
		}
		for (const checkout of checkouts)
			if (!checkout.rebasing && !(await isOn(checkout, move.ref))) {
				for (const marked of locked.splice(0)) await unmark(marked, move.ref);
				return await moveLocked(repository, move, how);
			}
		for (const checkout of checkouts) {
			const dirty = await dirtOf(checkout, touched, ignore);
			if (dirty.length > 0) return { dirty };
		}
		await writeFile(intentFile(repository, move.ref), JSON.stringify(move), { flush: true });
		const result = await forward(repository, move, refs, checkouts, touched, why);
		await rm(intentFile(repository, move.ref), { force: true });
		return result;
	} finally {
		// A move that an error cut short keeps its lock: the files do not match the index, and the next merge continues there.
		if (!(await exists(intentFile(repository, move.ref)))) for (const checkout of locked) await unmark(checkout, move.ref);
	}
}

/** Finishes a move that a crash cut short; returns null, or what prevents it. Anybody can write the file that describes the
 * move, so base only moves forward to a commit that the journal announced. Any other move is undone: if it was another run's
 * merge, that run merges again. */
export function finishMove(
	repository: RepositoryPaths,
	ref: string,
	checkouts: readonly Checkout[],
	announced: readonly string[] | undefined,
): Promise<readonly string[] | null> {
	return withMoveLock(repository.commonDir, ref, () => finishLocked(repository, ref, checkouts, announced));
}

/** A crash has cut a move of this branch short: its checkouts are between two commits. */
export const isUnfinished = (repository: RepositoryPaths, ref: string): Promise<boolean> => exists(intentFile(repository, ref));

async function finishLocked(
	repository: RepositoryPaths,
	ref: string,
	checkouts: readonly Checkout[],
	announced: readonly string[] | undefined,
): Promise<readonly string[] | null> {
	const file = intentFile(repository, ref);
	const text = await readFile(file, "utf8").catch(() => null);
	const move = text === null ? null : parse(text);
	const now = move === null ? "" : await git(repository.root, ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`]);
	// If a person has moved on since, it is their checkout again.
	const known = move !== null && move.ref === ref && (now === move.from || now === move.to);
	for (const checkout of await leftBehind(repository, ref, checkouts)) {
		if (known) await takeAlong(repository, checkout, move);
		await unmark(checkout, ref);
	}
	const forward = known && (now === move.to || announced === undefined || announced.includes(move.to));
	const dirty = known ? await finish(repository, forward ? move : { ref, from: move.to, to: move.from }, checkouts, move.to) : null;
	if (dirty === null) await rm(file, { force: true });
	// Also while it waits, so that the user's git can repair things; and after a crash before anything was recorded.
	for (const checkout of checkouts) await unmark(checkout, ref);
	return dirty;
}

/** `written`: the commit whose files were being written when it was cut off. */
async function finish(
	repository: RepositoryPaths,
	move: Move,
	checkouts: readonly Checkout[],
	written: string,
): Promise<readonly string[] | null> {
	// A git that was killed while it moved the refs has left its locks on them.
	for (const lock of [join(repository.commonDir, `${move.ref}.lock`), ...checkouts.map((c) => join(c.gitDir, "HEAD.lock"))])
		await outlive(lock);
	for (const checkout of checkouts) {
		if (checkout.rebasing) return await unfinishedIn(checkout);
		if (!(await mark(checkout, move.ref))) return [".git/index.lock"];
		await outlive(`${ours(checkout)}.lock`);
		const dirty = await adoptHalf(repository, checkout, move, written);
		if (dirty.length > 0) return dirty;
	}
	const result = await forward(repository, move, [], checkouts, await between(repository, move.from, move.to), MERGE);
	return typeof result === "object" ? result.dirty : null;
}

async function forward(
	repository: RepositoryPaths,
	move: Move,
	refs: readonly string[],
	checkouts: readonly Checkout[],
	touched: readonly Touched[],
	why: string,
): Promise<MoveResult> {
	const done: Checkout[] = [];
	const back = async (): Promise<void> => {
		for (const checkout of done) await git(checkout.path, ["read-tree", "-m", "-u", move.to, move.from], { index: ours(checkout) });
		for (const checkout of checkouts) await rm(ours(checkout), { force: true });
	};
	for (const checkout of checkouts) {
		const index = ours(checkout);
		if (!(await exists(index))) await copyIndex(join(checkout.gitDir, "index"), index);
		await tryGit(checkout.path, ["update-index", "-q", "--refresh"], { index });
		const args = ["read-tree", "-m", "-u", move.from, move.to];
		const result = await tryGit(checkout.path, args, { index });
		if (result.code !== 0) {
			// git refuses before it touches anything; all other failures leave the file that describes the move.
			const named = [
				...result.stderr.matchAll(/(?:Entry|file|directory|Updating) '(.+?)' (?:not uptodate|would (?:be|lose)|overlaps)/g),
			].map((m) => m[1] ?? "");
			if (named.length === 0) throw gitError(args, result);
			await back();
			return { dirty: named };
		}
		done.push(checkout);
	}
	const result = await writeRefs(repository, checkouts[0]?.path ?? repository.root, move, refs, why);
	if (result !== "done") {
		await back();
		return result;
	}
	for (const checkout of checkouts) {
		if (!(await isOn(checkout, move.ref)) && (await commitOf(checkout)) !== move.to) {
			// It left before base moved, so its files go back. What a person has done to them by then stays.
			await tryGit(checkout.path, ["read-tree", "-m", "-u", move.to, move.from], { index: ours(checkout) });
			await unmark(checkout, move.ref);
			continue;
		}
		// Before the file that describes the move goes: after a loss of power nobody else would write them again.
		for (const { path, after } of touched) if (after.mode.startsWith("100")) await syncFile(join(checkout.path, path));
		await syncFile(ours(checkout));
		await rename(ours(checkout), join(checkout.gitDir, "index"));
		await unmark(checkout, move.ref);
	}
	return "done";
}

const commitOf = async (checkout: Checkout): Promise<string> =>
	(await tryGit(checkout.path, ["rev-parse", "--verify", "-q", "HEAD"])).stdout.toString("utf8").trim();

async function writeRefs(repository: RepositoryPaths, cwd: string, move: Move, refs: readonly string[], why: string): Promise<MoveResult> {
	const args = ["update-ref", "-m", why, "--stdin"];
	const line = async (): Promise<string> =>
		await git(repository.root, ["rev-parse", "--verify", "--end-of-options", `${move.ref}^{commit}`]);
	const result = await tryGit(cwd, args, { input: [`update ${move.ref} ${move.to} ${move.from}`, ...refs, ""].join("\n") });
	if (result.code === 0) return "done";
	const now = await line();
	if (now === move.to) return "done";
	if (now !== move.from) return "moved";
	throw gitError(args, result);
}

/** Gives a checkout whose files are partly those of the new commit an index that says which: files that are neither old nor
 * new are the user's, and are returned. */
async function adoptHalf(repository: RepositoryPaths, checkout: Checkout, move: Move, written: string): Promise<string[]> {
	const index = ours(checkout);
	const touched = await between(repository, move.from, move.to);
	const [notOld, notNew] = [await differing(checkout, move.from, index), await differing(checkout, move.to, index)];
	const lines: string[] = [];
	const dirty: string[] = [];
	const again: string[] = [];
	for (const { path, before, after } of touched) {
		const file = join(checkout.path, path);
		const holds = (when: "before" | "after"): boolean => touched.some((t) => t.path.startsWith(`${path}/`) && isThere(t[when]));
		// A file that takes the place of a folder is not there as long as the folder is.
		const lost = await lostAt(checkout.path, { path, before, after }, touched);
		dirty.push(...(lost ?? []));
		const info = await onDisk(checkout.path, path);
		const gone =
			lost !== null ||
			// Behind a link that the user made, it is theirs.
			(info === null && (!(await exists(file)) || touched.some((t) => path.startsWith(`${t.path}/`)))) ||
			// A folder that takes the place of a file: that is gone.
			(info?.isDirectory() === true && !isThere(after) && holds("after"));
		const isNew = isThere(after) ? !notNew.has(path) : gone;
		// git removes the old file before it writes the new one.
		const isOld = gone || (isThere(before) && !notOld.has(path));
		const wanted = written === move.to ? after : before;
		const begun = !isNew && !isOld && isThere(wanted) && (await isBeginning(checkout, file, `${written}:${path}`));
		// Over a file that is already where the old commit has a folder, git would refuse to go on.
		const early = isNew && !isThere(before) && info?.isDirectory() === false && holds("before");
		if (begun || early) again.push(file);
		else if (!isNew && !isOld) dirty.push(path);
		const entry = isNew && !early ? after : before;
		lines.push(`${isThere(entry) ? entry.mode : "0"} ${entry.blob}\t${path}\0`);
	}
	await rm(index, { force: true });
	if (dirty.length > 0) return dirty;
	for (const file of again) await rm(raw(file));
	await copyIndex(join(checkout.gitDir, "index"), index);
	await git(checkout.path, ["update-index", "-z", "--index-info"], { index, input: lines.join("") });
	return [];
}

/** The file that git was about to write there when it was cut off. */
async function isBeginning(checkout: Checkout, file: string, name: string): Promise<boolean> {
	const info = await lstat(raw(file)).catch(() => null);
	if (!info?.isFile()) return false;
	const whole = await tryGit(checkout.path, ["cat-file", "--filters", name]);
	return whole.code === 0 && info.size < whole.stdout.length && whole.stdout.subarray(0, info.size).equals(await readFile(raw(file)));
}

/** A git that was started before the crash may still be working; a lock that it still holds after a while is dead. */
async function outlive(lock: string): Promise<void> {
	for (let waited = 0; waited < ORPHAN_MS && (await exists(lock)); waited += 50) await wait(50);
	await rm(lock, { force: true });
}

async function differing(checkout: Checkout, commit: string, index: string): Promise<Set<string>> {
	await rm(index, { force: true });
	await git(checkout.path, ["read-tree", commit], { index });
	await tryGit(checkout.path, ["update-index", "-q", "--refresh"], { index });
	const listed = await git(checkout.path, ["diff-files", "--name-only", "-z", "--ignore-submodules=all"], { index });
	return new Set(listed.split("\0"));
}

const ours = (checkout: Checkout): string => join(checkout.gitDir, "pawl-merge-index");
const lockOf = (checkout: Checkout): string => join(checkout.gitDir, "index.lock");
const intentFile = (repository: RepositoryPaths, ref: string): string =>
	join(privateFolder(repository.commonDir), `move-${nameOf(ref)}.json`);

/** False if the user's git, or a dead one, has it. An existing mark comes from a crash, because we hold the lock of the branch. */
async function mark(checkout: Checkout, ref: string): Promise<boolean> {
	if (await isMarked(checkout, ref)) return true;
	// One name is enough: only the owner of the lock gets here, and ours overwrites and removes what a crash left.
	const draft = join(checkout.gitDir, "pawl-lock");
	try {
		// Linked instead of written in place, so that nobody ever sees it without its content, not after a loss of power either: nobody would know
		// that it is ours.
		await writeFile(draft, markFor(ref), { flush: true });
		await link(draft, lockOf(checkout));
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
		throw new WorkspaceError(`${checkout.path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	} finally {
		await rm(draft, { force: true });
	}
}

/** An earlier version did not say which branch it moved. */
const isMarked = async (checkout: Checkout, ref: string): Promise<boolean> => [MARK, markFor(ref)].includes(await markOf(checkout));

const markFor = (ref: string): string => `${MARK}${ref}\n`;
const markOf = (checkout: Checkout): Promise<string> => readFile(lockOf(checkout), "utf8").catch(() => "");

async function unmark(checkout: Checkout, ref: string): Promise<void> {
	if (!(await isMarked(checkout, ref))) return;
	await rm(ours(checkout), { force: true });
	await rm(lockOf(checkout), { force: true });
}

/** Checkouts that a cut-off move of this branch marked, and that a person has put on another branch since. */
async function leftBehind(repository: RepositoryPaths, ref: string, checkouts: readonly Checkout[]): Promise<Checkout[]> {
	const folder = join(repository.commonDir, "worktrees");
	const all: Checkout[] = [{ path: repository.root, gitDir: repository.commonDir, rebasing: false }];
	for (const gitDir of (await names(folder)).map((name) => join(folder, name))) {
		const file = await readFile(join(gitDir, "gitdir"), "utf8").catch(() => "");
		all.push({ path: dirname(resolve(gitDir, file.trim())), gitDir, rebasing: false });
	}
	const found: Checkout[] = [];
	for (const checkout of all)
		if ((await markOf(checkout)) === markFor(ref) && !checkouts.some(({ gitDir }) => gitDir === checkout.gitDir)) found.push(checkout);
	return found;
}

/** Gives it the files of the commit that it is at now, if that is one of the two of the move. Where a person has changed them, they stay. */
async function takeAlong(repository: RepositoryPaths, checkout: Checkout, move: Move): Promise<void> {
	// A run that works there would take the files for its agent's.
	if (!(await exists(checkout.path)) || treeHolder(checkout.gitDir) !== null) return;
	const head = await commitOf(checkout);
	const { from, to } = head === move.from ? { from: move.to, to: move.from } : move;
	if (head !== to || (await adoptHalf(repository, checkout, { ref: move.ref, from, to }, move.to)).length > 0) return;
	const index = ours(checkout);
	// The index does not know yet that these files are what it says.
	await tryGit(checkout.path, ["update-index", "-q", "--refresh"], { index });
	if ((await tryGit(checkout.path, ["read-tree", "-m", "-u", from, to], { index })).code !== 0) return;
	await syncFile(index);
	await rename(index, join(checkout.gitDir, "index"));
}

// git treats a file as possibly changed if it is as young as its index, so a copy must not look younger than it is.
async function copyIndex(from: string, to: string): Promise<void> {
	const { atime, mtime } = await stat(from);
	await copyFile(from, to);
	await utimes(to, atime, mtime);
}

function parse(text: string): Move | null {
	try {
		const { ref, from, to } = JSON.parse(text) as Partial<Move>;
		return typeof ref === "string" && typeof from === "string" && typeof to === "string" ? { ref, from, to } : null;
	} catch {
		return null;
	}
}
