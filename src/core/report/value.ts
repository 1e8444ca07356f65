// Normalises values for comparison: NEEDS_WORK, `needs work`, "Needs work." and ✅ NEEDS WORK (see below) are equal.
import { isFence } from "./lines.ts";

/** Key and wanted value: case-insensitive; a trailing * is a prefix; `a|b` is either. */
export function fits(said: string, wanted: string): boolean {
	if (wanted.includes("|")) return wanted.split("|").some((one) => fits(said, one));
	const value = plain(said);
	if (value === "") return false;
	if (wanted.endsWith("*")) return value.startsWith(plain(wanted));
	return value === plain(wanted) || plain(withoutRemark(firstLine(said))) === plain(wanted);
}

/** Whether two values of a deciding key mean the same: they are equal, or the same rules accept both. */
export function isSame(one: string, other: string, wanted: readonly string[]): boolean {
	if (plain(withoutRemark(firstLine(one))) === plain(withoutRemark(firstLine(other)))) return true;
	const fitting = (value: string): string => wanted.filter((want) => fits(value, want)).join("|");
	return fitting(one) !== "" && fitting(one) === fitting(other);
}

/** The first line that is not empty. */
export const firstLine = (value: string): string => value.split("\n", 50).find((part) => part.trim() !== "" && !isFence(part)) ?? "";

const REMARK = /^(\s*[*_`"'✅✔]*\s*[\w ]{1,40}?[*_`"']*)\s*(?:\s[-–—]\s|[(,;!✅✔])(.*)$/su;
const TAKES_BACK = /\b(?:but|except|however|unless|provided|once|not yet)\b/i;

/** The words take back what stands before them. */
export const takesBack = (text: string): boolean => TAKES_BACK.test(text);

/** "done - all green" and "done (see below)" say done; "done, but the tests fail" does not. */
function withoutRemark(value: string): string {
	const match = REMARK.exec(value);
	return match && !takesBack(match[2] ?? "") ? (match[1] ?? "") : value;
}

const AROUND = "[ \"'`*\\p{Extended_Pictographic}\\uFE0F\\u200D]";
const START = new RegExp(`^${AROUND}+`, "u");
const END = new RegExp(`(?:${AROUND}|\\.){1,500}$`, "u");

export function plain(value: string): string {
	return firstLine(value)
		.slice(0, 500)
		.toLowerCase()
		.replace(/[\s_-]+/g, " ")
		.replace(START, "")
		.replace(END, "");
}

/** A value in a message to an agent: one line, never long. */
export const shown = (value: string): string => {
	const line = firstLine(value).replace(/\s+/g, " ").trim();
	return line.length > 80 ? `${line.slice(0, 80)}…` : line;
};

const NOTHING =
	/^(?:none|nothing|nil|no|n ?\/ ?a|0|(?:none|nothing)(?: (?:found|remaining|left|so far|at all))|(?:no|0) (?:\w+ )?(?:issues?|failures?|problems?|feedback|findings?|errors?|changes?|concerns?|blockers?)(?: (?:found|remain|remaining|left|requested|needed|required))?)$/;
/** `plain` takes hyphens for spaces. */
const DASHES = /^[-–—]+$/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/** Empty, "none", "n/a", "No issues found.": nothing is named. */
export function isNothing(value: string): boolean {
	const lines = value.split("\n").filter((line) => line.trim() !== "" && !isFence(line));
	const [first = "", ...others] = lines;
	if (first === "") return true;
	const text = first.replace(ITEM, "").replace(/^\((.*)\)\.?$/, "$1");
	return (
		[text, withoutRemark(text)].some((one) => NOTHING.test(plain(one)) || DASHES.test(one.trim())) &&
		!others.some((line) => ITEM.test(line))
	);
}
