// Locks that work across processes and become free at once when their owner dies: an exclusive transaction on a SQLite
// file. Never open that file in another way: that would drop the lock.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { WorkspaceError } from "../../workspace.ts";
import { mendWorktrees } from "./durable.ts";

const BUSY = 5;
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;

export interface Lock {
	free(): void;
}

/** Our own folder in the repository, which git ignores. */
export const privateFolder = (commonDir: string): string => join(commonDir, "pawl");

/** A name for a file from a branch name, which may hold slashes and differ in case only. */
export const nameOf = (ref: string): string => createHash("sha256").update(ref).digest("hex").slice(0, 16);

/** null if another process, or another owner in this one, has it. */
export function tryLock(commonDir: string, name: string, waitMs = 0): Lock | null {
	const file = join(privateFolder(commonDir), `${name}.lock`);
	let db: DatabaseSync | null = null;
	try {
		mkdirSync(privateFolder(commonDir), { recursive: true });
		const open = new DatabaseSync(file, { timeout: waitMs });
		db = open;
		open.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
		return {
			free: () => {
				if (open.isOpen) open.close();
			},
		};
	} catch (error) {
		if (db?.isOpen) db.close();
		if (error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === BUSY) return null;
		throw new WorkspaceError(`${file} cannot be locked: ${error instanceof Error ? error.message : String(error)}`);
	}
}

const queues = new Map<string, Promise<unknown>>();

/** Merges into one base branch, one after the other. */
export function withMergeLock<T>(commonDir: string, base: string, work: () => Promise<T>): Promise<T> {
	return withLock(commonDir, `merge-${nameOf(base)}`, work);
}

/** Moves of one branch together with the checkouts that are on it. Held for a moment only, within a merge as well. */
export function withMoveLock<T>(commonDir: string, ref: string, work: () => Promise<T>): Promise<T> {
	return withLock(commonDir, `move-${nameOf(ref)}`, work);
}

/** Changes of the repository's exclude file. */
export function withExcludeLock<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
	return withLock(commonDir, "exclude", work);
}

const mended = new Map<string, Promise<void>>();

/** For what looks at all worktrees: git dies on one that another git is about to make, or that a loss of power cut short. */
export function withWorktreeLock<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
	return withLock(commonDir, "worktrees", async () => {
		// Once: it is about what was there before this process.
		const mending = mended.get(commonDir) ?? mendWorktrees(commonDir);
		mended.set(commonDir, mending);
		await mending;
		return work();
	});
}

/** Within a process in the order of the calls. */
function withLock<T>(commonDir: string, name: string, work: () => Promise<T>): Promise<T> {
	const key = `${commonDir}\0${name}`;
	const mine = (queues.get(key) ?? Promise.resolve()).then(() => locked(commonDir, name, work));
	const settled = mine.then(
		() => undefined,
		() => undefined,
	);
	queues.set(key, settled);
	void settled.then(() => {
		if (queues.get(key) === settled) queues.delete(key);
	});
	return mine;
}

// Without a limit: who holds it is alive, and what it waits for (the checks) has limits of its own.
async function locked<T>(commonDir: string, name: string, work: () => Promise<T>): Promise<T> {
	let pause = FIRST_WAIT_MS;
	let lock = tryLock(commonDir, name);
	while (lock === null) {
		await wait(pause);
		pause = Math.min(pause * 2, LONGEST_WAIT_MS);
		lock = tryLock(commonDir, name);
	}
	try {
		return await work();
	} finally {
		lock.free();
	}
}
