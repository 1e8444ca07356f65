// Findings of a review: `- [key] class: text` lines, with whatever bullets, numbers, checkboxes and emoji people put before them. A finding
// is never dropped for its form: one without a key gets one made of its words, so that the same complaint in two rounds is recognised.
import { headOf } from "../cut.ts";
import type { Finding } from "../model.ts";
import { firstLine, isNothing, takesBack } from "./value.ts";

const EMOJI = "\\p{Extended_Pictographic}\\uFE0F\\u200D";
const ITEM = new RegExp(
	`^[ \\t]{0,12}(?:[-*+•‣▪▸–—]|\\d{1,3}[.)]|\\(\\d{1,3}\\)|\\d\\uFE0F?\\u20E3|[${EMOJI}]{1,4}|#{1,6}(?=[ \\t]{1,4}[*_\`]{0,3}(?:\\[|\\d)))[ \\t]{1,4}(.*)$`,
	"su",
);
/** Decoration without meaning: a number after heading marks, a checkbox, emoji. */
const LEADING = new RegExp(`^(?:\\d{1,3}[.)][ \\t]{1,4}|\\[[ xX✓✔]?\\][ \\t]{1,4}|[${EMOJI}]{1,4}[ \\t]{0,4}){0,4}`, "u");
/** Needs no bullet: the key marks the line. */
const BARE = /^([*_`]{0,3}\[[^\]\n]{1,120}\][*_`]{0,3}[ \t].*)$/s;
const KEYED = /^[*_`]{0,3}\[[*_`]{0,3}([^\]\n]{1,120}?)[*_`]{0,3}\][*_`]{0,3}[ \t]{0,4}(.*)$/s;
const CLASSED = /^[*_`]{0,3}([a-z][a-z_-]{0,31})[*_`]{0,3}:[*_`]{0,3}[ \t]{1,4}(.*)$/is;
const MOST = 200;
const TEXT_BYTES = 4096;

export function readFindings(value: string): readonly Finding[] {
	const items = saysNone(value) ? itemsDespite(value) : itemsOf(value);
	const texts = items.length > 0 || saysNone(value) ? items : [value.trim()];
	return texts
		.filter((text) => !isNone(text))
		.slice(0, MOST)
		.map(toFinding);
}

/** It says that there is nothing, whatever follows. */
export function saysNone(value: string): boolean {
	const [words = ""] = /^[^.!]{0,80}/.exec(firstLine(value)) ?? [];
	return words.trim() !== "" && isNothing(words);
}

/** What follows "none" is a finding if it has a key, if it follows at once, or if words such as "except" lead to it. Other lists say what was looked at. */
function itemsDespite(value: string): string[] {
	const items = itemsOf(value);
	const lines = value.split("\n");
	const first = lines.findIndex((line) => ITEM.test(line));
	const meant = first === 1 || takesBack(lines.slice(0, Math.max(1, first)).join("\n"));
	return items.filter((item) => meant || KEYED.test(item));
}

/** Finds lines of the form `[key] class: text` in a text that also holds other lines. */
export const readKeyedFindings = (text: string): readonly Finding[] =>
	itemsOf(text)
		.filter((item) => {
			const keyed = KEYED.exec(item);
			return keyed !== null && CLASSED.test(keyed[2] ?? "");
		})
		.slice(0, MOST)
		.map(toFinding);

function itemsOf(value: string): string[] {
	const items: string[][] = [];
	let current: string[] | null = null;
	for (const line of value.split("\n")) {
		const item = ITEM.exec(line) ?? BARE.exec(line);
		if (item) {
			current = [(item[1] ?? "").replace(LEADING, "")];
			items.push(current);
		} else if (line.trim() === "") current = null;
		else current?.push(line.trim());
	}
	return items.map((parts) => parts.join("\n").trim());
}

function toFinding(item: string): Finding {
	const keyed = KEYED.exec(item);
	const body = keyed?.[2] ?? item;
	const classed = CLASSED.exec(body);
	const text = headOf((classed?.[2] ?? body).trim(), TEXT_BYTES);
	return { key: keyed?.[1]?.trim() || keyOf(text), class: classed?.[1]?.toLowerCase().replaceAll("-", "_") ?? "", text };
}

function keyOf(text: string): string {
	const words = text
		.slice(0, 400)
		.toLowerCase()
		.match(/[\p{L}\p{N}]+/gu);
	return (words?.join(" ") ?? text.trim()).slice(0, 80);
}

const NONE = new RegExp(`^[*_\`("']{0,3}(?:none|no findings|n/a|\\[\\])?[*_\`)"'.]{0,3}(?:[${EMOJI}]|\\s){0,4}$`, "iu");
const isNone = (text: string): boolean => text.length < 40 && NONE.test(text.trim());
