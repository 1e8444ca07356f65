// Opens a SQLite file, locks it as a whole, and explains its errors to people. Knows nothing about its content.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NewerPawl } from "../store.ts";

/** Four processes that commit in tight loops were seen to wait for 5 s; a much longer wait means that one of them hangs. */
export const BUSY_MS = 30_000;
const RETRY_MS = 10;
const BUSY = 5;
const FULL = 13;
const PROBLEMS: Readonly<Record<number, string>> = {
	[BUSY]: `another process has kept it locked for more than ${BUSY_MS / 1000} s`,
	// SQLite falls back to reading when it cannot make the files beside it, also for want of room.
	8: "it cannot be written to; check the permissions of the file and of its folder, and that the disk is not full",
	10: "reading or writing it failed; check the disk",
	11: "it is damaged",
	[FULL]: "the disk is full; what was committed before is safe: make room, then continue with pawl resume",
	14: "it cannot be opened or made; check the permissions of the file and of its folder, and that the disk is not full",
	26: "it is not a database",
};

/** A connection that has the file to itself, or null. The journal stays in memory: nothing is ever written to the file. */
export function lockFile(file: string): DatabaseSync | null {
	const db = new DatabaseSync(file, { timeout: 0 });
	return orClose(db, () => {
		try {
			db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
			return db;
		} catch (error) {
			if (sqliteCode(error) !== BUSY) throw error;
			db.close();
			return null;
		}
	});
}

/** Whether another connection has the file to itself. */
export function isLockedFile(file: string): boolean {
	if (!existsSync(file)) return false;
	const db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
	try {
		db.prepare("SELECT count(*) FROM sqlite_schema").get();
		return false;
	} catch (error) {
		if (sqliteCode(error) === BUSY) return true;
		throw error;
	} finally {
		db.close();
	}
}

export interface LockFile {
	/** False: another process has it. */
	take(): boolean;
	release(): void;
}

/** A lock that is taken and released often, on one connection. */
export function openLockFile(file: string): LockFile {
	const db = new DatabaseSync(file, { timeout: 0 });
	db.exec("PRAGMA journal_mode = MEMORY");
	return {
		take: () => {
			try {
				db.exec("BEGIN EXCLUSIVE");
				return true;
			} catch (error) {
				if (sqliteCode(error) !== BUSY) throw error;
				return false;
			}
		},
		release: () => db.exec("ROLLBACK"),
	};
}

/** SQLite does not wait for other connections when it changes the journal mode, so this does. */
export function useWal(db: DatabaseSync): void {
	const deadline = performance.now() + BUSY_MS;
	for (;;) {
		try {
			if (db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode === "wal") return;
			throw new Error("its file system does not allow the write-ahead log that pawl needs");
		} catch (error) {
			if (sqliteCode(error) !== BUSY || performance.now() > deadline) throw error;
			sleep(RETRY_MS);
		}
	}
}

export const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Makes a folder that survives a loss of power: SQLite syncs only the folder that the file is in. */
export function makeFolder(folder: string): void {
	const first = mkdirSync(folder, { recursive: true });
	if (first === undefined) return;
	for (let parent = dirname(folder); ; parent = dirname(parent)) {
		syncFolder(parent);
		if (parent === dirname(first) || parent === dirname(parent)) return;
	}
}

function syncFolder(folder: string): void {
	try {
		const descriptor = openSync(folder, "r");
		try {
			fsyncSync(descriptor);
		} finally {
			closeSync(descriptor);
		}
	} catch {
		// Some systems cannot open or sync a folder, or it is not ours to read: there is nothing we can do.
	}
}

export function orClose<T>(db: DatabaseSync, work: () => T): T {
	try {
		return work();
	} catch (error) {
		if (db.isOpen) db.close();
		throw error;
	}
}

class StoreError extends Error {
	override name = "StoreError";
}

/** An error that names the file and, if known, says what can be done about it. */
export function naming<T>(file: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		if (error instanceof StoreError) throw error;
		const message = error instanceof Error ? error.message : String(error);
		if (error instanceof NewerPawl) throw new NewerPawl(`${file}: ${message}`, { cause: error });
		const problem = PROBLEMS[isFull(error) ? FULL : (sqliteCode(error) ?? 0)];
		throw new StoreError(`${file}: ${problem === undefined ? message : `${problem} (${message})`}`, { cause: error });
	}
}

/** For the folders around the file, which are made with fs. */
const isFull = (error: unknown): boolean =>
	error instanceof Error && ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

/** The primary result code of SQLite, or null for an error of another kind. */
function sqliteCode(error: unknown): number | null {
	return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : null;
}
