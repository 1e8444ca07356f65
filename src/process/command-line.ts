// From the text that a person writes to the file that is executed: words as a shell splits them, then the look-up.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

export type SplitResult = { readonly ok: true; readonly words: readonly string[] } | { readonly ok: false; readonly error: string };

/** Splits like a POSIX shell (quotes, backslashes) and expands nothing: no variables, no globs, no comments. */
export function splitCommand(text: string): SplitResult {
	const words: string[] = [];
	let word: string | null = null;
	let i = 0;
	while (i < text.length) {
		const char = text.charAt(i);
		if (char === "'") {
			const end = text.indexOf("'", i + 1);
			if (end < 0) return { ok: false, error: `unbalanced ' in: ${text}` };
			word = (word ?? "") + text.slice(i + 1, end);
			i = end + 1;
		} else if (char === '"') {
			const quoted = doubleQuoted(text, i + 1);
			if (quoted === null) return { ok: false, error: `unbalanced " in: ${text}` };
			word = (word ?? "") + quoted.value;
			i = quoted.next;
		} else if (char === "\\") {
			if (i + 1 >= text.length) return { ok: false, error: `nothing after the last \\ in: ${text}` };
			const next = text.charAt(i + 1);
			// A backslash before a line end joins the lines.
			if (next !== "\n") word = (word ?? "") + next;
			i += 2;
		} else if (char === " " || char === "\t" || char === "\n" || char === "\r") {
			if (word !== null) words.push(word);
			word = null;
			i++;
		} else {
			word = (word ?? "") + char;
			i++;
		}
	}
	if (word !== null) words.push(word);
	return { ok: true, words };
}

function doubleQuoted(text: string, start: number): { value: string; next: number } | null {
	let value = "";
	for (let i = start; i < text.length; i++) {
		const char = text.charAt(i);
		if (char === '"') return { value, next: i + 1 };
		if (char === "\\" && i + 1 < text.length && '"\\$`\n'.includes(text.charAt(i + 1))) {
			i++;
			if (text.charAt(i) !== "\n") value += text.charAt(i);
		} else value += char;
	}
	return null;
}

/** The absolute path of what would be executed, or null: a folder or a file without the x bit is not a command. */
export function findExecutable(command: string, cwd: string, path: string): string | null {
	if (command === "") return null;
	if (command.includes("/")) return executable(resolve(cwd, command));
	for (const dir of path.split(delimiter)) {
		const found = executable(resolve(cwd, dir, command));
		if (found !== null) return found;
	}
	return null;
}

function executable(file: string): string | null {
	try {
		if (!statSync(file).isFile()) return null;
		accessSync(file, constants.X_OK);
		return file;
	} catch {
		return null;
	}
}
