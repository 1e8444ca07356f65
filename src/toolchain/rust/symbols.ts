// Which functions and types a text names that a crate does not have yet: tests cannot be compiled before there are stubs for them,
// whatever the text says about it.
import { globSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../../files/read.ts";
import { mask } from "./mask.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 5000;
const SPAN = /`([^`\n]+)`/g;
/** A call of a free function, or a declaration; not a method, a path or a macro. */
const NAMED = /(?:\b(?:fn|struct|enum|trait|union)\s+|(?<![\w.:!])(?=[a-z_]\w*\())([A-Za-z_]\w*)/g;
const KEYWORDS = new Set(["if", "while", "match", "for", "return", "loop", "assert", "fn", "in", "as", "move", "drop", "panic", "todo"]);

export function namedSymbols(text: string): string[] {
	const names = [...text.matchAll(SPAN)].flatMap(([, span = ""]) => [...span.matchAll(NAMED)].map(([, name = ""]) => name));
	return [...new Set(names)].filter((name) => name !== "" && !KEYWORDS.has(name));
}

/** Those that no source below the folder declares. */
export function missingSymbols(text: string, folder: string): string[] {
	const names = namedSymbols(text);
	if (names.length === 0) return [];
	const files = globSync("**/*.rs", { cwd: folder, exclude: (name) => name === "target" || name === "node_modules" }).slice(0, MOST_FILES);
	const missing = new Set(names);
	for (const file of files) {
		const { code } = mask(textIn(join(folder, file), { max: MAX_BYTES }) ?? "");
		for (const name of missing)
			if (new RegExp(`\\b(?:fn|struct|enum|trait|union|type|const|static|mod)\\s+${name}\\b|macro_rules!\\s*${name}\\b`).test(code))
				missing.delete(name);
		if (missing.size === 0) break;
	}
	return [...missing];
}
