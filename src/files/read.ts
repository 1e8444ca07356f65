// Reads a file that others can touch. Whatever an agent or a person put in its place (a FIFO, a link, a folder, a device, twenty
// gigabytes, nothing), it returns a value, at once, and keeps at most `max` bytes.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { strayFolder } from "./way.ts";

type NoFile = { readonly missing: true } | { readonly problem: string };
export type FileText = { readonly text: string } | NoFile;
export type FileBytes = { readonly bytes: Buffer } | NoFile;

export interface ReadHow {
	/** In bytes. */
	readonly max: number;
	/** No folder between this one and the file may be a link: O_NOFOLLOW looks at the last part of a path only. */
	readonly below?: string;
	/** Take the end of a file that is longer than `max`, instead of refusing it. */
	readonly tail?: boolean;
	/** Refuse a file with a second hard link: somebody may write to it under the other name. */
	readonly oneName?: boolean;
}

export function readBounded(file: string, how: ReadHow): FileText {
	const found = readBytes(file, how);
	return "bytes" in found ? { text: found.bytes.toString("utf8") } : found;
}

/** The same, whatever is in it. */
export function readBytes(file: string, how: ReadHow): FileBytes {
	const stray = how.below === undefined ? null : strayFolder(how.below, file);
	if (stray !== null) return { problem: `${stray} is not a folder` };
	let handle: number;
	try {
		// O_NONBLOCK: opening a FIFO returns at once.
		handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		return failed(error);
	}
	try {
		return readOpen(handle, how);
	} catch (error) {
		return failed(error);
	} finally {
		closeSync(handle);
	}
}

/** The text, or null if there is no readable one. */
export function textIn(file: string, how: ReadHow): string | null {
	const found = readBounded(file, how);
	return "text" in found ? found.text : null;
}

function readOpen(handle: number, { max, tail = false, oneName = false }: ReadHow): FileBytes {
	const stat = fstatSync(handle);
	if (!stat.isFile()) return { problem: "it is not a regular file" };
	if (oneName && stat.nlink > 1) return { problem: "it has other hard links; a file of its own is needed" };
	if (stat.size > max && !tail) return { problem: `it has ${stat.size} bytes; at most ${max} are read` };
	const from = tail ? Math.max(0, stat.size - max) : 0;
	// One byte more than is allowed shows that the file has grown.
	const buffer = Buffer.alloc(Math.min(stat.size, max) + 1);
	let length = 0;
	for (let read = -1; read !== 0 && length < buffer.length; length += read)
		read = readSync(handle, buffer, length, buffer.length - length, from + length);
	if (length > max && !tail) return { problem: `it grew beyond ${max} bytes while it was read` };
	return { bytes: buffer.subarray(0, Math.min(length, max)) };
}

export function failed(error: unknown): NoFile {
	const { code } = error as NodeJS.ErrnoException;
	if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
	if (code === "ELOOP") return { problem: "it is a symbolic link; a regular file is needed" };
	return { problem: `it cannot be read (${code ?? String(error)})` };
}
