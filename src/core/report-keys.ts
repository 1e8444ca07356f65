// `KEY: value` lines as agents really write them: any case, bold, in backticks, behind a list dash, in a fence.
// A value runs on until the next key of the grammar. What stands in prose or in a quotation is never a key.

const LINE =
	/^[ \t]{0,12}(?:(?:[-*+]|\d{1,3}[.)]|#{1,6})[ \t]{1,4})?([*_`]{0,4})([a-z][a-z0-9_]{0,63}?)([*_`]{0,4})[ \t]{0,4}:([*_`]{0,4})(.*)$/is;
const FENCE = /^[ \t]{0,12}(?:```|~~~)/;

interface KeyLine {
	readonly key: string;
	readonly exact: boolean;
	readonly rest: string;
}

/**
 * The values of each key, in order. Only the last uninterrupted series of a key is kept: models restate their report,
 * and the last word counts; but lines that repeat a key one after the other (`LEARNING: …`) are a list.
 */
export function readKeys(lines: readonly string[], keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
	const known = new Map(keys.map((key) => [key.toLowerCase(), key]));
	const found = lines.map((line) => keyLine(line, known));
	// Where a key stands in its own spelling, others of it are text: "- status: a new column" is no STATUS.
	const exact = new Set(found.filter((line) => line?.exact).map((line) => line?.key));
	const series = new Map<string, string[]>();
	let open: { key: string; parts: string[]; fenced: boolean } | null = null;
	let last = "";
	let fenced = false;
	const close = (): void => {
		if (!open) return;
		const values = last === open.key ? (series.get(open.key) ?? []) : [];
		values.push(unwrap(open.parts.join("\n").trim()));
		series.set(open.key, values);
		last = open.key;
		open = null;
	};
	for (const [index, line] of lines.entries()) {
		if (isFence(line)) {
			// The end of the fence that holds the report ends its last value; a fence inside a value belongs to it.
			if (fenced && open?.fenced) close();
			fenced = !fenced;
		}
		const here = found[index];
		if (here && (here.exact || !exact.has(here.key))) {
			close();
			open = { key: here.key, parts: [here.rest], fenced };
		} else open?.parts.push(line);
	}
	close();
	return series;
}

export function isFence(line: string): boolean {
	return FENCE.test(line);
}

function keyLine(line: string, known: ReadonlyMap<string, string>): KeyLine | null {
	const match = line.includes(":") ? LINE.exec(line) : null;
	if (!match) return null;
	const [, opening = "", name = "", closing = "", after = "", rest = ""] = match;
	const key = known.get(name.toLowerCase());
	if (key === undefined) return null;
	const around = opening !== "" && closing === "" && after === "" && rest.trimEnd().endsWith(opening);
	return { key, exact: name === key, rest: around ? rest.trimEnd().slice(0, -opening.length) : rest };
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
