// Reads a file that a person named. Follows a link, and reads a pipe with a writer (`--prd <(make-prd)`), for as long as a
// person would wait. Otherwise as for every file that others can touch: it returns a value, size-limited, at once.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type FileText, failed } from "./read.ts";

const POLL_MS = 20;

export interface GivenHow {
	/** In bytes. */
	readonly max: number;
	/** How long a pipe may take to deliver everything. */
	readonly deadlineMs?: number;
}

export async function readGiven(file: string, { max, deadlineMs = 30_000 }: GivenHow): Promise<FileText> {
	let handle: number;
	try {
		handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		return failed(error);
	}
	try {
		const stat = fstatSync(handle);
		if (stat.isDirectory()) return { problem: "it is a folder" };
		if (!stat.isFile() && !stat.isFIFO()) return { problem: "it is not a regular file" };
		if (stat.size > max) return { problem: `it has ${stat.size} bytes; at most ${max} are read` };
		const read = await readAll(handle, max, deadlineMs);
		if (stat.isFIFO() && "text" in read && read.text === "") return { problem: "it is a pipe that nobody writes to" };
		return read;
	} catch (error) {
		return failed(error);
	} finally {
		closeSync(handle);
	}
}

async function readAll(handle: number, max: number, deadlineMs: number): Promise<FileText> {
	const pieces: Buffer[] = [];
	const piece = Buffer.alloc(64 * 1024);
	let length = 0;
	for (const end = performance.now() + deadlineMs; ; ) {
		const read = readOnce(handle, piece);
		if (read === 0) return decoded(Buffer.concat(pieces));
		if (read !== null) {
			length += read;
			if (length > max) return { problem: `it has more than ${max} bytes` };
			pieces.push(Buffer.from(piece.subarray(0, read)));
		} else if (performance.now() > end) return { problem: `it is a pipe that was not at its end after ${deadlineMs / 1000} s` };
		else await wait(POLL_MS);
	}
}

function decoded(bytes: Buffer): FileText {
	try {
		return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
	} catch {
		return { problem: "it is not UTF-8 text" };
	}
}

/** null: there is nothing to read yet. */
function readOnce(handle: number, into: Buffer): number | null {
	try {
		return readSync(handle, into, 0, into.length, null);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EAGAIN") return null;
		throw error;
	}
}
