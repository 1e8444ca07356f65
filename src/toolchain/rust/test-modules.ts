// Which parts of a Rust source are unit tests (what is strictly inside the braces of a `#[cfg(test)] mod NAME { … }`), and whether a
// change of a file stayed inside them. As for the compiler, the name does not matter: only items of a file or of its modules count, not
// those in functions or macros. A source that cannot be read has no tests at all.
import { mask } from "./mask.ts";

export interface TestModule {
	/** With the modules around it: `a::tests`. */
	readonly path: string;
	/** Where its first attribute begins. */
	readonly start: number;
	/** The position after its `{`. */
	readonly open: number;
	/** The position of its `}`. */
	readonly close: number;
}

export interface Drift {
	/** Of the source after the change, from 1; of the source before it, where the file is gone. */
	readonly line: number;
	readonly text: string;
	readonly why: string;
}

interface Open {
	readonly close: string;
	readonly kind: "module" | "test" | "other";
	readonly name: string;
	readonly start: number;
	readonly open: number;
}

const CLOSES: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };
const MODULE = /(?:pub(?:\s*\([^()]*\)\s*|\s+))?(?:unsafe\s+)?mod\s+((?:r#)?[\p{ID_Start}_][\p{ID_Continue}]*)\s*([{;])/uy;
const WORD = /[\p{ID_Continue}]+/uy;

/** All test modules in order; null if the braces of the source do not match. */
export function testModules(source: string): readonly TestModule[] | null {
	const { code, broken } = mask(source);
	if (broken) return null;
	const found: TestModule[] = [];
	const stack: Open[] = [];
	let attributes = null as { readonly start: number; readonly tests: boolean } | null;
	/** How many of them hold no items of the file. */
	let inner = 0;
	const itemsHere = () => inner === 0;
	for (let at = 0; at < code.length; ) {
		const char = code.charAt(at);
		if (/\s/.test(char)) {
			at++;
			continue;
		}
		const attribute = char === "#" && itemsHere() ? attributeAt(code, at) : null;
		if (attribute !== null) {
			if (!attribute.inner) attributes = { start: attributes?.start ?? at, tests: (attributes?.tests ?? false) || isTest(attribute.text) };
			at = attribute.end;
			continue;
		}
		const module = itemsHere() ? matchAt(MODULE, code, at) : null;
		if (module !== null && module[2] === "{") {
			const open = at + module[0].length;
			const kind = attributes?.tests ? "test" : "module";
			if (kind === "test") inner++;
			stack.push({ close: "}", kind, name: module[1] ?? "", start: attributes?.start ?? at, open });
			at = open;
		} else if (char in CLOSES) {
			stack.push({ close: CLOSES[char] ?? "", kind: "other", name: "", start: at, open: at + 1 });
			inner++;
			at++;
		} else if ("})]".includes(char)) {
			const last = stack.pop();
			if (last?.close !== char) return null;
			if (last.kind !== "module") inner--;
			if (last.kind === "test") {
				const path = [...stack.map(({ name }) => name), last.name].join("::");
				found.push({ path, start: last.start, open: last.open, close: at });
			}
			at++;
		} else at += module?.[0].length ?? matchAt(WORD, code, at)?.[0].length ?? 1;
		attributes = null;
	}
	return stack.length === 0 ? found : null;
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(code);
}

/** `#[…]` or `#![…]` with its brackets in pairs. */
function attributeAt(code: string, at: number): { readonly text: string; readonly inner: boolean; readonly end: number } | null {
	const head = matchAt(/#\s*(!?)\s*\[/y, code, at);
	if (head === null) return null;
	const from = at + head[0].length;
	let depth = 1;
	for (let end = from; end < code.length; end++) {
		const char = code.charAt(end);
		if ("([{".includes(char)) depth++;
		else if (")]}".includes(char)) depth--;
		if (depth === 0) return { text: code.slice(from, end), inner: head[1] === "!", end: end + 1 };
	}
	return null;
}

/** `cfg(test)`, or `cfg(all(…))` with `test` as one of its parts; `any` and `not` do not guarantee it. */
function isTest(attribute: string): boolean {
	const text = attribute.replace(/\s+/g, "");
	if (text === "cfg(test)" || text === "cfg(test,)") return true;
	const parts = /^cfg\(all\((.*)\),?\)$/.exec(text)?.[1];
	if (parts === undefined) return false;
	let depth = 0;
	let part = "";
	for (const char of `${parts},`) {
		if (char === "(") depth++;
		if (char === ")") depth--;
		if (depth < 0) return false;
		if (char === "," && depth === 0) {
			if (part === "test") return true;
			part = "";
		} else part += char;
	}
	return false;
}

/** The lines, from 1, that are entirely inside a test module's braces. */
export function linesInsideTestModules(source: string): ReadonlySet<number> {
	const lines = new Set<number>();
	let line = 1;
	let at = 0;
	const advance = (to: number): number => {
		for (; at < to; at++) if (source.charAt(at) === "\n") line++;
		return line;
	};
	// One after the other: a test module inside of another one is no item of the file.
	for (const { open, close } of testModules(source) ?? []) {
		const first = advance(open) + 1;
		for (let inside = first, last = advance(close); inside < last; inside++) lines.add(inside);
	}
	return lines;
}

/**
 * Whether a change stayed inside of test modules; null: it did. What stands outside must be the same before and after, but for blank
 * lines, which formatters add and remove. A test module that was not there before may be added anywhere, with blank lines and its own comment: nothing that was
 * there changes by it. One that was there may be emptied but not removed: its head is a line outside. A `null` source is no file.
 */
export function outsideTestModules(before: string | null, after: string | null): Drift | null {
	if (before === after) return null;
	if (after === null) return { line: 1, text: before?.split("\n")[0] ?? "", why: "the file was removed" };
	const old = testModules(before ?? "");
	const now = testModules(after);
	if (old === null) return { line: 1, text: "", why: "the file could not be read before, so that nothing in it counts as a test" };
	if (now === null)
		return { line: 1, text: "", why: "the file cannot be read any more: its braces, quotes or comments do not come in pairs" };
	const known = new Set(old.map(({ path }) => path));
	const added = now.filter(({ path }) => !known.has(path));
	const kept = now.filter(({ path }) => known.has(path));
	const left = filled(outside(before ?? "", old, [], false));
	const tries = [false, true].map((comments) => difference(left, filled(outside(after, kept, added, comments)), after));
	return tries.includes(null) ? null : (tries[0] ?? null);
}

interface Piece {
	readonly text: string;
	/** Of the source that it is from. */
	readonly line: number;
	readonly inLiteral: boolean;
}

/** The source line by line, without what is inside of these modules and without the whole of those. */
function outside(source: string, inside: readonly TestModule[], whole: readonly TestModule[], comments: boolean): Piece[] {
	const cuts = [
		...inside.map(({ open, close }) => [open, close] as const),
		...whole.map(({ start, close }) => [comments ? commentsAbove(source, start) : start, close + 1] as const),
	].sort(([a], [b]) => a - b);
	const { inLiteral } = mask(source);
	const pieces: Piece[] = [];
	let text = "";
	let line = 1;
	let from = 1;
	let cut = 0;
	for (let at = 0; at <= source.length; at++) {
		const [start, end] = cuts[cut] ?? [source.length + 1, source.length + 1];
		if (at === start) {
			line += source.slice(start, end).split("\n").length - 1;
			cut++;
			if (end > start) {
				at = end - 1;
				continue;
			}
		}
		const char = source.charAt(at);
		if (char === "\n" || at === source.length) {
			pieces.push({ text: `${text}${char}`, line: from, inLiteral: inLiteral.has(from) });
			text = "";
			line++;
			from = line;
		} else text += char;
	}
	return pieces;
}

/** Where the comment lines directly above a position begin. */
function commentsAbove(source: string, start: number): number {
	let at = source.lastIndexOf("\n", start - 1) + 1;
	for (;;) {
		const above = source.lastIndexOf("\n", at - 2) + 1;
		if (at === 0 || !/^\s*\/\//.test(source.slice(above, at))) return at;
		at = above;
	}
}

/** Without blank lines, except those inside a string. */
const filled = (pieces: readonly Piece[]): Piece[] =>
	pieces.flatMap((piece) => (piece.text.trim() === "" && !piece.inLiteral ? [] : [{ ...piece, text: piece.text.replace(/\r?\n$/, "") }]));

function difference(before: readonly Piece[], after: readonly Piece[], source: string): Drift | null {
	for (let i = 0; i < Math.max(before.length, after.length); i++) {
		const [old, now] = [before[i], after[i]];
		if (old?.text === now?.text) continue;
		const line = now?.line ?? source.split("\n").length;
		return { line, text: (now?.text ?? old?.text ?? "").trim(), why: "a line outside of the test modules was changed" };
	}
	return null;
}

/** Whether a change left all test modules that were there as they are; the path of the first that differs, or null. */
export function changedTestModule(before: string | null, after: string | null): string | null {
	const [old, now] = [textsByPath(before ?? ""), textsByPath(after ?? "")];
	for (const [path, texts] of old) if (texts.join("\0") !== now.get(path)?.join("\0")) return path;
	return null;
}

/** Several modules of one name exclude each other by other attributes. */
function textsByPath(source: string): ReadonlyMap<string, readonly string[]> {
	const found = new Map<string, string[]>();
	for (const { path, open, close } of testModules(source) ?? []) {
		const texts = found.get(path) ?? [];
		texts.push(source.slice(open, close).trim());
		found.set(path, texts);
	}
	return found;
}
