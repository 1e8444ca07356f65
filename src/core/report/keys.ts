// `KEY: value` lines as agents really write them: any case, bold, in backticks, behind a list dash, in a fence.
// A value runs on until the next key of the grammar. What stands in prose or in a quotation is never a key.

const LINE =
	/^[ \t]{0,12}(?:(?:[-*+]|\d{1,3}[.)]|#{1,6})[ \t]{1,4})?([*_`]{0,4})([a-z][a-z0-9_]{0,63}?)([*_`]{0,4})[ \t]{0,4}:([*_`]{0,4})(.*)$/is;
const FENCE = /^[ \t]{0,12}(?:```|~~~)/;

// Keys that nobody announced: in capitals at the very start of a line, with a space behind the colon, so that neither an
// address nor an entry of a list is taken for one.
const OPEN = /^[*_`]{0,4}([A-Z][A-Z0-9_]{1,63})[*_`]{0,4}:[*_`]{0,4}(?:[ \t]|$)/;
const DASHED = /^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]/;

interface KeyLine {
	readonly key: string;
	readonly exact: boolean;
	readonly rest: string;
	/** It stands as an entry of a list. */
	readonly dashed: boolean;
}

/**
 * The values of each key, in order. Only the last uninterrupted series of a key is kept: models restate their report,
 * and the last word counts; but lines that repeat a key one after the other (`LEARNING: …`) are a list. Of the keys in
 * `every` all values count, wherever they stand.
 */
export function readKeys(
	lines: readonly string[],
	keys: readonly string[],
	open = false,
	every: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, readonly string[]> {
	const known = new Map(keys.map((key) => [key.toLowerCase(), key]));
	const found = lines.map((line) => keyLine(line, known, open));
	// A report that has its keys at the start of lines has no keys in lists: there they belong to what is being said.
	if (open && found.some((line) => line && !line.dashed)) found.forEach((line, at) => line?.dashed && found.splice(at, 1, null));
	// Where a key stands in its own spelling, others of it are text: "- status: a new column" is no STATUS.
	const exact = new Set(found.filter((line) => line?.exact).map((line) => line?.key));
	const series = new Map<string, string[]>();
	let current: { key: string; parts: string[]; fenced: boolean } | null = null;
	let last = "";
	let fenced = false;
	const close = (): void => {
		if (!current) return;
		const values = last === current.key || every.has(current.key) ? (series.get(current.key) ?? []) : [];
		values.push(unwrap(current.parts.join("\n").trim()));
		series.set(current.key, values);
		last = current.key;
		current = null;
	};
	for (const [index, line] of lines.entries()) {
		if (isFence(line)) {
			// The end of the fence that holds the report ends its last value; a fence inside a value belongs to it.
			if (fenced && current?.fenced) close();
			fenced = !fenced;
		}
		const here = found[index];
		if (here && (here.exact || !exact.has(here.key))) {
			close();
			current = { key: here.key, parts: [here.rest], fenced };
		} else current?.parts.push(line);
	}
	close();
	return series;
}

export function isFence(line: string): boolean {
	return FENCE.test(line);
}

/** What follows each line that has this key, up to the next such line. */
export function textsAfter(lines: readonly string[], key: string): string[] {
	const known = new Map([[key.toLowerCase(), key]]);
	const texts: string[][] = [];
	for (const line of lines) {
		const here = keyLine(line, known, false);
		if (here) texts.push([here.rest]);
		else texts.at(-1)?.push(line);
	}
	return texts.map((parts) => parts.join("\n"));
}

function keyLine(line: string, known: ReadonlyMap<string, string>, open: boolean): KeyLine | null {
	const match = line.includes(":") ? LINE.exec(line) : null;
	if (!match) return null;
	const [, opening = "", name = "", closing = "", after = "", rest = ""] = match;
	const key = known.get(name.toLowerCase()) ?? (open ? OPEN.exec(line)?.[1] : undefined);
	if (key === undefined) return null;
	const around = opening !== "" && closing === "" && after === "" && rest.trimEnd().endsWith(opening);
	return { key, exact: name === key, dashed: DASHED.test(line), rest: around ? rest.trimEnd().slice(0, -opening.length) : rest };
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
