// Findings of a review: `- [key] class: text` lines. A finding is never dropped for its form: one without a key
// gets one made of its words (no matter how they are set), so that the same complaint in two rounds is still seen to be the same.
import { headOf } from "../cut.ts";
import type { Finding } from "../model.ts";

const ITEM = /^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}(.*)$/s;
/** Without a bullet: the key is enough of one. */
const BARE = /^([*_`]{0,3}\[[^\]\n]{1,120}\][*_`]{0,3}[ \t].*)$/s;
const KEYED = /^[*_`]{0,3}\[[*_`]{0,3}([^\]\n]{1,120}?)[*_`]{0,3}\][*_`]{0,3}[ \t]{0,4}(.*)$/s;
const CLASSED = /^[*_`]{0,3}([a-z][a-z_-]{0,31})[*_`]{0,3}:[*_`]{0,3}[ \t]{1,4}(.*)$/is;
const MOST = 200;
const TEXT_BYTES = 4096;

export function readFindings(value: string): readonly Finding[] {
	const items: string[][] = [];
	let current: string[] | null = null;
	for (const line of value.split("\n")) {
		const item = ITEM.exec(line) ?? BARE.exec(line);
		if (item) {
			current = [item[1] ?? ""];
			items.push(current);
		} else if (line.trim() === "") current = null;
		else current?.push(line.trim());
	}
	const texts = items.length > 0 ? items.map((parts) => parts.join("\n").trim()) : [value.trim()];
	return texts
		.filter((text) => !isNone(text))
		.slice(0, MOST)
		.map(toFinding);
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

function isNone(text: string): boolean {
	return text.length < 40 && /^[*_`("']{0,3}(?:none|no findings|n\/a|\[\])?[*_`)"'.]{0,3}$/i.test(text.trim());
}
