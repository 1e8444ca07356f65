// Writes a file that others read, or replace, at the same time: it appears whole or not at all, two writers never mix, and a link in
// its place is replaced, never followed.
import { randomBytes } from "node:crypto";
import {
	closeSync,
	constants,
	fsyncSync,
	linkSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { noteWritten } from "./written.ts";

const TEMPORARY = /^(.+)\.(\d+)\.[0-9a-f]{12}\.tmp$/;

export interface WriteHow {
	/** It survives a power loss once this has returned. */
	readonly durable?: boolean;
	readonly mode?: number;
}

/** A unique name in the same folder, then a rename: a reader sees the old text or the new one. */
export async function writeWhole(file: string, text: string | Uint8Array, { durable = false, mode = 0o666 }: WriteHow = {}): Promise<void> {
	const temporary = temporaryOf(file);
	try {
		const handle = await openNew(temporary, mode);
		try {
			await handle.writeFile(text);
			if (durable) await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file).catch((error: unknown) => replaceFolder(error, temporary, file));
		if (durable) syncFolder(dirname(file));
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	} finally {
		noteWritten(file);
	}
}

export function writeWholeSync(file: string, text: string | Uint8Array, how: WriteHow = {}): void {
	throughTemporary(file, text, how, (temporary) => {
		try {
			renameSync(temporary, file);
		} catch (error) {
			replaceFolder(error, temporary, file);
		}
	});
}

/** false if the name is already taken: never overwrites anything. */
export function createWhole(file: string, text: string | Uint8Array, how: WriteHow = {}): boolean {
	try {
		throughTemporary(file, text, how, (temporary) => {
			// Making a hard link fails if the name is taken; a rename would overwrite.
			linkSync(temporary, file);
			rmSync(temporary);
		});
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

/** `fill` writes in pieces, so that memory stays flat whatever is written. It survives a power loss. */
export async function writeInPieces(file: string, fill: (write: (piece: Buffer) => void) => Promise<void>): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	const temporary = temporaryOf(file);
	const handle = openSync(temporary, "wx");
	let open = true;
	let failure: unknown = null;
	try {
		await fill((piece) => {
			try {
				if (failure === null) writeFileSync(handle, piece);
			} catch (error) {
				// Called from a stream's event, where a throw would end the process.
				failure = error;
			}
		});
		if (failure !== null) throw failure;
		fsyncSync(handle);
		open = false;
		closeSync(handle);
		await rename(temporary, file);
		noteWritten(file);
	} catch (error) {
		if (open) closeSync(handle);
		await rm(temporary, { force: true });
		throw error;
	}
	syncFolder(dirname(file));
}

/** Sets aside anything that is not our own file first: text must not end up in the target of a link, or in a file with a second name. */
export function append(file: string, text: string | Uint8Array): void {
	mkdirSync(dirname(file), { recursive: true });
	const stat = lstatSync(file, { throwIfNoEntry: false });
	if (stat !== undefined && (!stat.isFile() || stat.nlink > 1)) setAside(file);
	const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const handle = openSync(file, flags, 0o644);
	try {
		writeFileSync(handle, text);
	} finally {
		closeSync(handle);
		noteWritten(file);
	}
}

/** Moves something out of the way, to a name beside the file that it replaced. */
export function setAside(path: string): void {
	renameSync(path, `${path}.${randomBytes(6).toString("hex")}.set-aside`);
	noteWritten(path);
}

/** Removes what a killed writer left beside a file: the name says whose it was. */
export const removeTemporaries = (file: string): void => removeTemporariesIn(dirname(file), basename(file));

/** The same for all files of a folder, or for one by its name. */
export function removeTemporariesIn(folder: string, of?: string): void {
	for (const temporary of namesIn(folder)) {
		const [, name, pid] = TEMPORARY.exec(temporary) ?? [];
		if (name === undefined || (of !== undefined && name !== of)) continue;
		if (Number(pid) !== process.pid && !isAlive(Number(pid))) rmSync(join(folder, temporary), { force: true });
	}
}

function throughTemporary(file: string, text: string | Uint8Array, how: WriteHow, put: (temporary: string) => void): void {
	const temporary = temporaryOf(file);
	try {
		const handle = openNewSync(temporary, how.mode ?? 0o666);
		try {
			writeFileSync(handle, text);
			if (how.durable) fsyncSync(handle);
		} finally {
			closeSync(handle);
		}
		put(temporary);
		noteWritten(file);
		if (how.durable) syncFolder(dirname(file));
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
}

/** Random once per process, because containers that share a disk can share a pid; then counted, which is cheaper than more randomness. */
let own: string | null = null;
let count = 0;

/** Files that this process has written: what a killed writer left beside one goes when it is first written again, whichever file it is. */
const cleared = new Set<string>();

function temporaryOf(file: string): string {
	if (!cleared.has(file)) removeTemporaries(file);
	cleared.add(file);
	count = (count + 1) % 0x10000;
	own ??= randomBytes(4).toString("hex");
	return `${file}.${process.pid}.${own}${count.toString(16).padStart(4, "0")}.tmp`;
}

async function openNew(file: string, mode: number) {
	try {
		return await open(file, "wx", mode);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		await mkdir(dirname(file), { recursive: true });
		return open(file, "wx", mode);
	}
}

/** Most folders are there already. */
function openNewSync(file: string, mode: number): number {
	try {
		return openSync(file, "wx", mode);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		mkdirSync(dirname(file), { recursive: true });
		return openSync(file, "wx", mode);
	}
}

/** A rename replaces everything except a folder. */
function replaceFolder(error: unknown, temporary: string, file: string): void {
	const { code } = error as NodeJS.ErrnoException;
	if (code !== "EISDIR" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
	setAside(file);
	renameSync(temporary, file);
}

function syncFolder(folder: string): void {
	const handle = openSync(folder, "r");
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
