// Reads git's index: which files the next tree holds, and which folders of it have been made already. A look at a checkout then needs no process to
// say what changed. Whatever is out of the ordinary is left to git: null.
import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { bytesOf, textOf } from "./file-names.ts";

export interface IndexEntry {
	/** Its bytes, one to a character (latin1): a name need not be text. */
	readonly path: string;
	readonly mode: number;
	/** Where its id begins in the file. */
	readonly at: number;
}

/** A folder whose tree git noted; `count` is the number of files below it, negative if something in it has changed since. */
export interface NotedTree {
	readonly count: number;
	readonly id: Buffer;
	readonly below: Map<string, NotedTree>;
}

export interface IndexFile {
	readonly bytes: Buffer;
	/** The length of an id. */
	readonly size: number;
	readonly entries: readonly IndexEntry[];
	readonly noted: NotedTree | null;
}

const HEADER = 12;
/** The fields of an entry that come before its id. */
const STAT = 40;
const [STAGE, EXTENDED, NAME] = [0x3000, 0x4000, 0xfff];
const ASSUMED = 0x8000;
const SKIPPED = 0x4000;
/** Reading a larger one takes as long as a process. */
const MOST_BYTES = 1_000_000;
/** Announced by `git add -N`, but not added yet: part of the index, but of no tree. */
const INTENT = 0x2000;

export const idOf = ({ bytes, size }: IndexFile, { at }: IndexEntry): string => bytes.toString("hex", at, at + size);

export const nameInIndex = (path: string): string => bytesOf(path).toString("latin1");

/** The entry of a path, as `nameInIndex` has it; the entries are in the order of their bytes. */
export function entryOf({ entries }: IndexFile, name: string): IndexEntry | null {
	let [low, high] = [0, entries.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		const entry = entries[middle];
		if (entry === undefined) return null;
		if (entry.path === name) return entry;
		if (entry.path < name) low = middle + 1;
		else high = middle;
	}
	return null;
}

/** `size`: of an id in bytes, 20 or 32. */
export function parseIndex(bytes: Buffer, size: number): IndexFile | null {
	if (bytes.length < HEADER + size || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
	// Version 4 shortens names by what they have in common with the one before.
	const version = bytes.readUInt32BE(4);
	if (version !== 2 && version !== 3) return null;
	const entries: IndexEntry[] = [];
	const end = bytes.length - size;
	let at = HEADER;
	for (let left = bytes.readUInt32BE(8); left > 0; left--) {
		const read = at + STAT + size + 2 < end ? readEntry(bytes, at, size) : null;
		if (read === null) return null;
		entries.push(read.entry);
		at = read.next;
	}
	return readExtensions({ bytes, size, entries, noted: null }, at, end);
}

/** The entries with a flag that makes git overlook their files, as `git ls-files -v` lists them; null if git has to be asked. A file that anybody can
 * write: it counts only with the checksum that git gave it, which also tells that its ids have 20 bytes. */
export async function flaggedIn(index: string): Promise<readonly string[] | null> {
	const found = await lstat(index).catch(() => null);
	if (found?.isFile() !== true || found.size > MOST_BYTES) return null;
	const bytes = await readFile(index).catch(() => null);
	if (bytes === null || bytes.length < HEADER + 20) return null;
	const sum = createHash("sha1").update(bytes.subarray(0, -20)).digest();
	const file = sum.equals(bytes.subarray(-20)) ? parseIndex(bytes, 20) : null;
	return file === null ? null : file.entries.flatMap((entry) => flagOf(file, entry));
}

function flagOf({ bytes, size }: IndexFile, { at, path }: IndexEntry): string[] {
	const flags = bytes.readUInt16BE(at + size);
	const isSkipped = (flags & EXTENDED) !== 0 && (bytes.readUInt16BE(at + size + 2) & SKIPPED) !== 0;
	const isAssumed = (flags & ASSUMED) !== 0;
	if (!isSkipped && !isAssumed) return [];
	const letter = isSkipped ? "S" : "H";
	return [`${isAssumed ? letter.toLowerCase() : letter} ${textOf(Buffer.from(path, "latin1"))}`];
}

function readEntry(bytes: Buffer, start: number, size: number): { readonly entry: IndexEntry; readonly next: number } | null {
	const id = start + STAT;
	const flags = bytes.readUInt16BE(id + size);
	const isExtended = (flags & EXTENDED) !== 0;
	if ((flags & STAGE) !== 0 || (isExtended && (bytes.readUInt16BE(id + size + 2) & INTENT) !== 0)) return null;
	const name = id + size + (isExtended ? 4 : 2);
	const length = flags & NAME;
	const stop = length < NAME ? name + length : bytes.indexOf(0, name);
	if (stop < name || bytes[stop] !== 0) return null;
	const entry = { path: bytes.toString("latin1", name, stop), mode: bytes.readUInt32BE(start + 24), at: id };
	// Filled up with one to eight zeros.
	return { entry, next: start + ((stop - start + 8) & ~7) };
}

function readExtensions(file: IndexFile, from: number, end: number): IndexFile | null {
	let noted: NotedTree | null = null;
	for (let at = from; at < end; ) {
		if (at + 8 > end) return null;
		const name = file.bytes.toString("latin1", at, at + 4);
		const next = at + 8 + file.bytes.readUInt32BE(at + 4);
		// One that begins with a small letter changes what the entries mean: a part of the index is elsewhere, or a folder is one entry.
		if (next > end || !/^[A-Z]/.test(name)) return null;
		if (name === "TREE") {
			const trees = new TreeReader(file.bytes, file.size, at + 8, next);
			noted = trees.read()?.tree ?? null;
			if (noted === null) return null;
		}
		at = next;
	}
	return { ...file, noted };
}

/** Each folder: its name, a zero, the number of files, a space, the number of folders, a newline, and its id if the number of files is known. */
class TreeReader {
	private readonly bytes: Buffer;
	private readonly size: number;
	private at: number;
	private readonly end: number;

	constructor(bytes: Buffer, size: number, at: number, end: number) {
		this.bytes = bytes;
		this.size = size;
		this.at = at;
		this.end = end;
	}

	read(): { readonly name: string; readonly tree: NotedTree } | null {
		const zero = this.bytes.indexOf(0, this.at);
		const line = this.bytes.indexOf(10, zero + 1);
		if (zero < this.at || line < 0 || line >= this.end) return null;
		const name = this.bytes.toString("latin1", this.at, zero);
		const [, files, folders] = /^(-?\d+) (\d+)$/.exec(this.bytes.toString("latin1", zero + 1, line)) ?? [];
		if (files === undefined) return null;
		const count = Number(files);
		this.at = line + 1 + (count < 0 ? 0 : this.size);
		const id = this.bytes.subarray(line + 1, this.at);
		if (this.at > this.end) return null;
		const below = new Map<string, NotedTree>();
		for (let left = Number(folders); left > 0; left--) {
			const inner = this.read();
			if (inner === null) return null;
			below.set(inner.name, inner.tree);
		}
		return { name, tree: { count, id, below } };
	}
}
