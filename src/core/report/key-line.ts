// Does a key of the report begin on this line? Agents write keys in upper or lower case, in bold, in backticks, as headings, after bullets,
// numbers, checkboxes and emoji. A key inside a sentence or behind `>` does not count.

const EMOJI = "(?:[\\p{Extended_Pictographic}\\u200D\\uFE0F]{1,4}[ \\t]{0,2}){0,3}";
const BULLET = "(?:(?:[-*+•]|\\d{1,3}[.)]|#{1,6})[ \\t]{1,4})?(?:\\[[ xX✓✔]?\\][ \\t]{1,4})?";
const MARKS = "[*_`]{0,4}";
const NAME = "[a-z][a-z0-9]{0,30}(?:[ _-][a-z0-9]{1,30}){0,5}";
const LINE = new RegExp(`^[ \\t]{0,12}${BULLET}${EMOJI}(${MARKS})(${NAME})(${MARKS})[ \\t]{0,4}[:：](${MARKS})(.*)$`, "isu");
const HEADING = new RegExp(`^[ \\t]{0,3}(?:#{1,6}[ \\t]{1,4}${EMOJI}${MARKS}|\\*\\*|__)(${NAME})${MARKS}[ \\t]{0,4}#{0,6}[ \\t]*$`, "iu");

// Undeclared keys must be in capitals at the very start of a line, with a space after the colon, so that neither an
// address nor a list item counts as one.
const FOREIGN = /^[*_`]{0,4}([A-Z][A-Z0-9_]{1,63})[*_`]{0,4}:[*_`]{0,4}(?:[ \t]|$)/;
const LISTED = /^[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]/;

export interface KeyLine {
	readonly key: string;
	/** It is spelled as the report declares it. */
	readonly exact: boolean;
	readonly rest: string;
	/** It is in a list. */
	readonly listed: boolean;
	/** It is in bold. */
	readonly bold: boolean;
	/** The report does not declare it. */
	readonly foreign: boolean;
}

const spelled = (name: string): string => name.toLowerCase().replace(/[ -]/g, "_");

/** Declared keys by their spelling in lower case. */
export const declared = (keys: Iterable<string>): ReadonlyMap<string, string> => new Map([...keys].map((key) => [spelled(key), key]));

export function keyLine(line: string, known: ReadonlyMap<string, string>, open: boolean): KeyLine | null {
	const match = /[:：]/.test(line) ? LINE.exec(line) : null;
	if (!match) return heading(line, known);
	const [, opening = "", name = "", closing = "", after = "", rest = ""] = match;
	const own = known.get(spelled(name));
	const key = own ?? (open ? FOREIGN.exec(line)?.[1] : undefined);
	if (key === undefined) return null;
	const value = closing === "" && after === "" && opening !== "" ? within(opening, rest) : rest;
	if (value === null) return null;
	const bold = opening.includes("**") || opening.includes("__");
	return { key, exact: name === key, rest: value, listed: LISTED.test(line), bold, foreign: own === undefined };
}

function heading(line: string, known: ReadonlyMap<string, string>): KeyLine | null {
	const name = line.length < 200 ? HEADING.exec(line)?.[1] : undefined;
	const key = name === undefined ? undefined : known.get(spelled(name));
	return name === undefined || key === undefined ? null : { key, exact: name === key, rest: "", listed: false, bold: true, foreign: false };
}

/** `**VERDICT: BLOCK** (see below)` is a report line; `` `VERDICT: BLOCK` is what I would say `` is a sentence. */
function within(mark: string, rest: string): string | null {
	const end = rest.indexOf(mark);
	if (end < 0) return rest;
	const tail = rest.slice(end + mark.length);
	if (/^[\s.!]*$/.test(tail)) return rest.slice(0, end);
	return mark.includes("`") && /^[ \t]*[\p{L}\p{N}]/u.test(tail) ? null : `${rest.slice(0, end)}${tail}`;
}
