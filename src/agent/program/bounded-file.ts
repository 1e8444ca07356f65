// Appends lines to a file up to a limit: keeps the beginning and the end of what one writer appends, with a record that says how
// much is missing between them. Memory stays flat, and the file is complete except while the end is being moved.
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

const BLOCK = 1024 * 1024;
const NEWLINE = 0x0a;

export interface BoundedFile {
	/** Takes whole lines. Throws if the file cannot be written. */
	append(lines: string): void;
	/** Bytes that were left out so far. */
	readonly cut: number;
	close(): void;
}

/** Opens it to append; does not touch what was there before. */
export function openBounded(file: string, max: number): BoundedFile {
	// An earlier agent may have put a FIFO or a link there: a FIFO must not block us, a link must not lead us elsewhere.
	const how = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const fd = openSync(file, how | constants.O_APPEND, 0o644);
	const found = fstatSync(fd);
	if (!found.isFile()) {
		closeSync(fd);
		throw new Error("it is not a regular file");
	}
	const start = found.size;
	let size = start;
	/** Where the beginning ends; the record of the cut goes here. */
	let head: number | null = null;
	let cut = 0;

	const trim = (from: number): void => {
		const first = cut === 0 ? from : from + cutRecord(0).length;
		const tail = lineStart(fd, size - Math.floor(max / 4), size);
		// The record has to fit into the removed part.
		if (tail < from + cutRecord(0).length) return;
		cut += tail - first;
		// A file that is open to append ignores positions.
		const mover = openSync(file, how & ~constants.O_CREAT);
		try {
			const record = cutRecord(cut);
			writeAll(mover, record, from);
			size = move(mover, tail, size, from + record.length);
			ftruncateSync(mover, size);
		} finally {
			closeSync(mover);
		}
	};
	return {
		append: (lines) => {
			const bytes = Buffer.from(lines);
			writeAll(fd, bytes, null);
			size += bytes.length;
			if (head === null && size - start > max / 2) head = size;
			if (head !== null && size - start > max) trim(head);
		},
		get cut() {
			return cut;
		},
		close: () => closeSync(fd),
	};
}

/** Has a fixed length, so that a later one fits in its place. */
function cutRecord(bytes: number): Buffer {
	return Buffer.from(`{"type":"cut","bytes":${String(bytes).padStart(16)}}\n`);
}

function writeAll(fd: number, bytes: Buffer, position: number | null): void {
	for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position === null ? null : position + at);
}

/** The first start of a line at or after `from`; the end if there is none. */
function lineStart(fd: number, from: number, end: number): number {
	const block = Buffer.allocUnsafe(BLOCK);
	for (let at = from; at < end; ) {
		const read = readSync(fd, block, 0, BLOCK, at);
		if (read === 0) return end;
		const newline = block.subarray(0, read).indexOf(NEWLINE);
		if (newline >= 0) return at + newline + 1;
		at += read;
	}
	return end;
}

/** Moves the bytes between `from` and `end` to `to`; returns where they end. */
function move(fd: number, from: number, end: number, to: number): number {
	const block = Buffer.allocUnsafe(BLOCK);
	let at = to;
	for (let next = from; next < end; ) {
		const read = readSync(fd, block, 0, Math.min(BLOCK, end - next), next);
		if (read === 0) break;
		writeAll(fd, block.subarray(0, read), at);
		next += read;
		at += read;
	}
	return at;
}
