// Every ref of a repository, read from git's own files, so that recording a session starts no process. It asks git only about what these files do not say
// plainly (another way of storing refs, a symbolic ref, a broken one).
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readPlain } from "../guard/guarded-file.ts";

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The object that each ref of these names points to; null if git has to be asked. */
export function readRefs(commonDir: string, head: string, isWanted: (ref: string) => boolean): Record<string, string> | null {
	// A reftable: HEAD exists only for old programs.
	if (head === "ref: refs/heads/.invalid") return null;
	// Loose refs first: if git packs one meanwhile, it is among the packed refs by then.
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
