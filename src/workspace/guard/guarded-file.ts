// The recorded state of one path (a file, a link, a folder, or nothing), and how to restore it. A file is read again
// only if its stat changed, so that looking costs next to nothing.
import {
	chmodSync,
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

export type PathState =
	| { readonly kind: "absent" | "folder" | "other" }
	| { readonly kind: "link"; readonly target: string }
	| { readonly kind: "file"; readonly stat: string; readonly mode: number; readonly content: Buffer };

/** If the stat equals that of `before`, the content is unchanged: nobody can set ctime. */
export function see(path: string, before?: PathState): PathState {
	const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
	if (stat === undefined) return { kind: "absent" };
	if (stat.isDirectory()) return { kind: "folder" };
	if (stat.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
	if (!stat.isFile()) return { kind: "other" };
	const sign = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
	if (before?.kind === "file" && before.stat === sign) return before;
	const content = readPlain(path);
	return content === null ? { kind: "other" } : { kind: "file", stat: sign, mode: Number(stat.mode) & 0o777, content };
}

export function same(a: PathState, b: PathState): boolean {
	if (a.kind === "file" && b.kind === "file") return a === b || (a.mode === b.mode && a.content.equals(b.content));
	if (a.kind === "link" && b.kind === "link") return a.target === b.target;
	return a.kind === b.kind;
}

export function putBack(path: string, was: PathState): void {
	if (was.kind === "other") return;
	// Replaces a file in one move, so that the configuration is never missing.
	if (was.kind !== "file" || see(path).kind === "folder") rmSync(path, { recursive: true, force: true });
	if (was.kind === "absent") return;
	mkdirSync(dirname(path), { recursive: true });
	if (was.kind === "file") replaceFile(path, was.content, was.mode);
	else if (was.kind === "link") symlinkSync(was.target, path);
	else mkdirSync(path);
}

/** Whole or not at all. */
export function replaceFile(path: string, content: Buffer | string, mode = 0o644): void {
	const fresh = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
	writeFileSync(fresh, content, { flag: "wx" });
	chmodSync(fresh, mode);
	renameSync(fresh, path);
}

/** An agent may have put a pipe or a link there a moment ago: follows neither. */
export function readPlain(path: string): Buffer | null {
	let handle: number;
	try {
		handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return null;
	}
	try {
		return fstatSync(handle).isFile() ? readFileSync(handle) : null;
	} catch {
		return null;
	} finally {
		closeSync(handle);
	}
}
