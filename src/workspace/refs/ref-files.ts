// Every ref of a repository, read from git's own files: a session is noted without starting a process for it. What these files do not say
// plainly (another way of storing refs, a symbolic ref, a broken one) is asked of git instead.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readPlain } from "../guard/guarded-file.ts";

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The object that each ref of these names points to; null where git has to be asked. */
export function readRefs(commonDir: string, isWanted: (ref: string) => boolean): Record<string, string> | null {
	// A reftable: HEAD is there for old programs only.
	if (textOf(join(commonDir, "HEAD"))?.trim() === "ref: refs/heads/.invalid") return null;
	// Loose ones first: a ref that git packs meanwhile is in the packed ones by the time it is no longer loose.
	const loose: Record<string, string> = {};
	if (!readLoose(commonDir, "refs", isWanted, loose)) return null;
	const packed = readPacked(commonDir, isWanted);
	return packed === null ? null : { ...packed, ...loose };
}

function readLoose(commonDir: string, name: string, isWanted: (ref: string) => boolean, found: Record<string, string>): boolean {
	for (const entry of entriesOf(join(commonDir, name))) {
		const ref = `${name}/${entry.name}`;
		if (entry.isDirectory()) {
			if (isWanted(`${ref}/`) && !readLoose(commonDir, ref, isWanted, found)) return false;
			continue;
		}
		if (!isWanted(ref) || entry.name.endsWith(".lock")) continue;
		const text = textOf(join(commonDir, ref));
		// Packed a moment ago.
		if (text === null && entry.isFile()) continue;
		const id = text?.trim() ?? "";
		if (!ID.test(id)) return false;
		found[ref] = id;
	}
	return true;
}

function readPacked(commonDir: string, isWanted: (ref: string) => boolean): Record<string, string> | null {
	const found: Record<string, string> = {};
	for (const line of (textOf(join(commonDir, "packed-refs")) ?? "").split("\n")) {
		if (line === "" || line.startsWith("#") || line.startsWith("^")) continue;
		const at = line.indexOf(" ");
		const ref = line.slice(at + 1);
		if (!ID.test(line.slice(0, at))) return null;
		if (isWanted(ref)) found[ref] = line.slice(0, at);
	}
	return found;
}

const textOf = (file: string): string | null => readPlain(file)?.toString("utf8") ?? null;

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}
