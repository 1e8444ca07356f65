// The keys of a report and their values. A value continues until the next declared key. Other keys are part of the value;
// in an open report they also have their own values.
import { declared, type KeyLine, keyLine } from "./key-line.ts";
import { isFence, type Lines } from "./lines.ts";

export interface Reading {
	readonly keys: readonly string[];
	/** Reads undeclared keys too. */
	readonly open: boolean;
	/** Their values are one line; the lines after it belong to no key. */
	readonly single: ReadonlySet<string>;
	/** All their values count. Of other keys only the last uninterrupted series counts, because models restate their reports. */
	readonly every: ReadonlySet<string>;
	/** Keys that also count in bold in a list, where they appear nowhere else: `- **PLAN**: round up` among keys that are headings. */
	readonly inLists?: ReadonlySet<string>;
	/** Lines on which keys may appear. */
	readonly counts: (line: number) => boolean;
}

/** The key lines that count, by line. */
export function findKeys({ texts }: Lines, { keys, open, counts, inLists = new Set() }: Reading): readonly (KeyLine | null)[] {
	const known = declared(keys);
	const found = texts.map((line, at) => (counts(at) ? keyLine(line, known, open) : null));
	// If a key appears in its declared spelling, other spellings of it are text: "- status: a new column" is not a STATUS. And if it appears at the
	// start of a line, the same key in a list is text; in an open report this holds for all keys.
	const exact = new Set(found.flatMap((line) => (line?.exact ? [line.key] : [])));
	const free = new Set(found.flatMap((line) => (line && !line.listed && (line.exact || !exact.has(line.key)) ? [line.key] : [])));
	return found.map((line) => {
		if (!line || (!line.exact && exact.has(line.key))) return null;
		if (line.listed && line.bold && line.exact && inLists.has(line.key) && !free.has(line.key)) return line;
		return line.listed && (open ? free.size > 0 : free.has(line.key)) ? null : line;
	});
}

interface Value {
	readonly key: string;
	readonly parts: string[];
	readonly depth: number;
	/** It has a line that is not empty. */
	said: boolean;
}

const says = (text: string): boolean => text.trim() !== "" && !isFence(text);
const begin = ({ key, rest }: KeyLine, depth: number): Value => ({ key, parts: [rest], depth, said: says(rest) });

function add(value: Value | null, text: string): void {
	value?.parts.push(text);
	if (value && !value.said) value.said = says(text);
}

export function readKeys(lines: Lines, reading: Reading): ReadonlyMap<string, readonly string[]> {
	const found = findKeys(lines, reading);
	const { single, every } = reading;
	const series = new Map<string, string[]>();
	// An undeclared key is part of the declared value around it and also has its own value.
	let outer: Value | null = null;
	let foreign: Value | null = null;
	let last = "";
	const close = (value: Value | null): null => {
		if (!value) return null;
		const values = last === value.key || every.has(value.key) ? (series.get(value.key) ?? []) : [];
		values.push(unwrap(withoutBlockSign(value.parts.join("\n").trim())));
		series.set(value.key, values);
		last = value.key;
		return null;
	};
	const ends = new Set(lines.fences.map((fence) => fence.to));
	for (const [at, text] of lines.texts.entries()) {
		const depth = lines.depths[at] ?? 0;
		// The end of the fence that holds the report ends its last value; a fence inside a value belongs to it.
		if (outer && depth < outer.depth) outer = close(outer);
		if (foreign && depth < foreign.depth) foreign = close(foreign);
		const here = found[at];
		if (outer?.said && single.has(outer.key)) outer = close(outer);
		if (here?.foreign) {
			foreign = close(foreign);
			add(outer, text);
			foreign = begin(here, depth);
		} else if (here) {
			foreign = close(foreign);
			outer = close(outer);
			outer = begin(here, depth);
		} else if (!(ends.has(at) && (outer ?? foreign)?.depth === depth)) {
			add(outer, text);
			add(foreign, text);
		}
	}
	close(foreign);
	close(outer);
	return series;
}

/** The text after each line with this key, up to the next such line. */
export function textsAfter({ texts }: Lines, key: string, counts: (line: number) => boolean): string[] {
	const known = declared([key]);
	const found: string[][] = [];
	for (const [at, line] of texts.entries()) {
		const here = counts(at) ? keyLine(line, known, false) : null;
		if (here) found.push([here.rest]);
		else found.at(-1)?.push(line);
	}
	return found.map((parts) => parts.join("\n"));
}

/** `PR_BODY: |` begins a block as in YAML: the sign is not part of the text. */
const BLOCK = /^[|>][-+]?\d?[ \t]*(?:\n|$)/;

function withoutBlockSign(value: string): string {
	const lines = value.replace(BLOCK, "").split("\n");
	const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
	const indent = indents.reduce((least, one) => Math.min(least, one), indents[0] ?? 0);
	return lines
		.map((line) => line.slice(indent))
		.join("\n")
		.trim();
}

/** `feature/x` in backticks or quotes is the value without them; so is a value that is one whole fence. */
function unwrap(value: string): string {
	if (!value.includes("\n")) {
		const mark = value[0] ?? "";
		const inner = value.slice(1, -1);
		return value.length > 2 && "`\"'".includes(mark) && value.endsWith(mark) && !inner.includes(mark) ? inner : value;
	}
	const lines = value.split("\n");
	const whole = isFence(lines[0] ?? "") && isFence(lines.at(-1) ?? "") && !lines.slice(1, -1).some(isFence);
	return whole ? lines.slice(1, -1).join("\n").trim() : value;
}
