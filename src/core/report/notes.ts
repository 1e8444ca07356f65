// The part of an agent's final message that later steps read: the text after its last SUMMARY heading.
import { headOf, tailOf } from "../cut.ts";
import { isFence } from "./lines.ts";

export const NOTES_BYTES = 16 * 1024;
const TAIL = 2000;

// Both are tried on short lines only, so that their optional parts cost nothing on hostile input.
const HEADING = /^[ \t]{0,3}(?:#{1,6}[ \t]*)?[*_`]{0,3}summary[*_`]{0,3}[ \t]*:?[*_`]{0,3}[ \t]*(?:\([^()]*\))?:?[ \t]*#{0,6}[ \t]*$/i;
const INLINE = /^[ \t]{0,3}(?:#{1,6}[ \t]{1,4})?[*_]{0,3}(summary)[*_]{0,3}[ \t]{0,2}:[*_]{0,3}[ \t]{0,8}(\S.*)$/is;
const UNDERLINE = /^[ \t]{0,3}(?:-{3,}|={3,})[ \t]*$/;

/** The summary, or null if there is none. */
export function readSummary(lines: readonly string[]): string | null {
	let best: string | null = null;
	let weak: string | null = null;
	// From the end: the last heading with text after it. "Summary: …" in sentence case may be prose, so
	// it counts only if there is nothing better.
	for (let at = lines.length - 1; at >= 0 && best === null; at--) {
		const line = lines[at] ?? "";
		if (line.length <= 200 && HEADING.test(line)) best = textAfter(lines, at, "");
		else {
			const inline = INLINE.exec(line);
			if (inline?.[1] === "SUMMARY") best = textAfter(lines, at, inline[2] ?? "");
			else if (inline && weak === null) weak = textAfter(lines, at, inline[2] ?? "");
		}
	}
	const summary = best ?? weak;
	return summary === null ? null : bounded(summary);
}

/** The end of a message that has no summary. */
export function lastWords(text: string): string {
	const end = text.trim().slice(-TAIL);
	const code = end.charCodeAt(0);
	return code >= 0xdc00 && code <= 0xdfff ? end.slice(1) : end;
}

/** The end of a message whose notes are the message itself. */
export function wholeText(text: string): string {
	return tailOf(text.trim(), NOTES_BYTES);
}

export function bounded(text: string): string {
	const head = headOf(text, NOTES_BYTES);
	if (head.length === text.length) return text;
	const mark = "\n[cut: too long]";
	return headOf(text, NOTES_BYTES - mark.length) + mark;
}

function textAfter(lines: readonly string[], heading: number, inline: string): string | null {
	let start = heading + 1;
	if (inline === "" && UNDERLINE.test(lines[start] ?? "")) start++;
	// Notes cannot be longer, and a message of headings only must not be joined once per heading.
	const rest = [inline];
	for (let at = start, size = 0; at < lines.length && size <= NOTES_BYTES; at++) {
		rest.push(lines[at] ?? "");
		size += (lines[at]?.length ?? 0) + 1;
	}
	while (rest.at(-1)?.trim() === "") rest.pop();
	// The closing line of a fence that was opened before the heading.
	if (isFence(rest.at(-1) ?? "") && rest.filter(isFence).length % 2 === 1) rest.pop();
	const text = rest.join("\n").trim();
	return text === "" ? null : text;
}
