// The files of one run folder, `ralph/runs/<id>/`, and of `ralph/` around it. Agents write there too: no symbolic link is followed,
// no read is without a bound, no write is half there.
import { randomBytes } from "node:crypto";
import {
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	rmSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { storyIdProblem } from "../../core/story-id.ts";

export const RALPH = "ralph";
export const MAX_BYTES = 8 * 1024 * 1024;

export type Found = { readonly text: string } | { readonly missing: true } | { readonly problem: string };

/** Why it cannot be the name of a run folder, or null. */
export const runIdProblem = (id: string): string | null => {
	const problem = storyIdProblem(id);
	return problem === null ? null : `${JSON.stringify(id)} cannot be the id of a run folder: ${problem}`;
};

/** Paths are relative to the checkout; `own()` is the run folder. */
export class RunFolder {
	readonly tree: string;
	readonly id: string;

	constructor(tree: string, id: string) {
		this.tree = tree;
		this.id = id;
	}

	/** The path of a file of the run folder, relative to the checkout. */
	own(name = ""): string {
		return name === "" ? `${RALPH}/runs/${this.id}` : `${RALPH}/runs/${this.id}/${name}`;
	}

	path(relative: string): string {
		return join(this.tree, relative);
	}

	exists(): boolean {
		return this.linkOn(this.own("x")) === null && isFolder(this.path(this.own()));
	}

	read(relative: string, max = MAX_BYTES): Found {
		const link = this.linkOn(relative);
		if (link !== null) return { problem: `${link} is no folder of its own` };
		return readRegular(this.path(relative), max);
	}

	/** The text, or null where there is none that can be read. */
	text(relative: string): string | null {
		const found = this.read(relative);
		return "text" in found ? found.text : null;
	}

	/** Whole or not at all; what stands in its way (a link, a folder) is set aside. */
	write(relative: string, text: string): void {
		this.makeWay(relative);
		const file = this.path(relative);
		const fresh = `${file}.${randomBytes(6).toString("hex")}.tmp`;
		try {
			writeFileSync(fresh, text, { flag: "wx" });
			setAside(file, "folder");
			renameSync(fresh, file);
		} catch (error) {
			rmSync(fresh, { force: true });
			throw error;
		}
	}

	append(relative: string, text: string): void {
		this.makeWay(relative);
		const file = this.path(relative);
		setAside(file, "other");
		const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o666);
		try {
			writeSync(handle, text);
		} finally {
			closeSync(handle);
		}
	}

	remove(relative: string): void {
		if (this.linkOn(relative) === null) rmSync(this.path(relative), { recursive: true, force: true });
	}

	/** What stands in a folder of the run folder; none where there is no such folder. */
	names(relative: string): string[] {
		if (this.linkOn(`${relative}/x`) !== null) return [];
		try {
			return readdirSync(this.path(relative)).sort();
		} catch {
			return [];
		}
	}

	/** The first folder on the way that is something else, as a path; null where all are as they should be, or not there yet. */
	private linkOn(relative: string): string | null {
		const parts = relative.split("/").slice(0, -1);
		for (let n = 1; n <= parts.length; n++) {
			const part = parts.slice(0, n).join("/");
			const stat = lstatSync(this.path(part), { throwIfNoEntry: false });
			if (stat && !stat.isDirectory()) return part;
		}
		return null;
	}

	/** A link or a file where a folder belongs was put there by an agent: it goes, what it leads to does not. */
	private makeWay(relative: string): void {
		for (let link = this.linkOn(relative); link !== null; link = this.linkOn(relative)) rmSync(this.path(link), { force: true });
		mkdirSync(dirname(this.path(relative)), { recursive: true });
	}
}

function isFolder(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** `folder`: only what a rename cannot replace. `other`: everything that is no regular file. */
function setAside(file: string, what: "folder" | "other"): void {
	const stat = lstatSync(file, { throwIfNoEntry: false });
	if (stat && (what === "folder" ? stat.isDirectory() : !stat.isFile()))
		renameSync(file, `${file}.${randomBytes(4).toString("hex")}.set-aside`);
}

/** Any file, absolute. */
export function readRegular(file: string, max: number): Found {
	let handle: number;
	try {
		// O_NONBLOCK: opening a FIFO returns at once.
		handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
		return { problem: code === "ELOOP" ? "it is a symbolic link; a regular file is needed" : `it cannot be read (${code ?? "unknown"})` };
	}
	try {
		const stat = fstatSync(handle);
		if (!stat.isFile()) return { problem: "it is no regular file" };
		const buffer = Buffer.alloc(Math.min(stat.size, max) + 1);
		let length = 0;
		for (let read = -1; read !== 0 && length < buffer.length; length += read)
			read = readSync(handle, buffer, length, buffer.length - length, length);
		if (length > max) return { problem: `it has more than ${max} bytes` };
		return { text: buffer.toString("utf8", 0, length) };
	} finally {
		closeSync(handle);
	}
}

/** A JSON object from a text; null for anything else. */
export function objectIn(text: string | null): Record<string, unknown> | null {
	if (text === null) return null;
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
	} catch {
		return null;
	}
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A whole number from `least` on; undefined for anything else. */
export const countIn = (value: unknown, least = 0): number | undefined =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : undefined;
