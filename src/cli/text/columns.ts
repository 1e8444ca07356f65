// Counts the terminal columns of a text, and cuts it to fit. Titles and notes may hold anything: a line that is wider than
// counted wraps, and then tables and the live view are out of line.

// Colours are separate parts, which take no columns.
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with a control character
const PART = /\u001b\[[0-9;]*m|[\s\S]/gu;

/** Wide blocks of East Asian scripts; a Unicode property covers all emoji. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
	[0x1100, 0x115f],
	[0x2e80, 0x303e],
	[0x3041, 0xa4cf],
	[0xa960, 0xa97f],
	[0xac00, 0xd7a3],
	[0xf900, 0xfaff],
	[0xfe30, 0xfe6f],
	[0xff01, 0xff60],
	[0xffe0, 0xffe6],
	[0x16fe0, 0x18aff],
	[0x1b000, 0x1b2ff],
	[0x1f200, 0x1f2ff],
	[0x20000, 0x3fffd],
];

const PLAIN = /^[ -~]*$/;

function columnsOfPart(part: string): number {
	if (part.length > 2) return 0;
	const code = part.codePointAt(0) ?? 0;
	if (code < 0x300) return 1;
	// U+FE0F asks for the emoji form of the character before it, which is one column wider on terminals that support it.
	if (code === 0xfe0f) return 1;
	if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(part)) return 0;
	return WIDE.some(([from, to]) => code >= from && code <= to) || /^\p{Emoji_Presentation}$/u.test(part) ? 2 : 1;
}

/** Never fewer than a terminal uses: joined emoji are counted one by one. */
export function columnsOf(text: string): number {
	if (PLAIN.test(text)) return text.length;
	let sum = 0;
	for (const [part] of text.matchAll(PART)) sum += columnsOfPart(part);
	return sum;
}

/** At most this many columns, with an ellipsis if something was cut. Keeps all colour codes, so that each colour is also switched off again. */
export function cutTo(text: string, columns: number): string {
	if (columnsOf(text) <= columns) return text;
	let left = Math.max(0, columns - 1);
	let out = "";
	let cut = false;
	for (const [part] of text.matchAll(PART)) {
		const wide = columnsOfPart(part);
		if (part.length > 2) out += part;
		else if (!cut && wide <= left) {
			out += part;
			left -= wide;
		} else {
			if (!cut && columns > 0) out += "…";
			cut = true;
		}
	}
	return out;
}

export const padTo = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - columnsOf(text)));

/** Wraps between words into at most `most` lines, indented by `indent` columns after the first; the rest is cut. */
export function foldTo(text: string, columns: number, indent: number, most: number): string[] {
	const lines: string[] = [];
	const [first = "", ...words] = text.split(" ");
	let line = first;
	// A line of only spaces needs no line of its own.
	let isBlank = line.trim() === "";
	for (const word of words) {
		// More of them would be cut, and a megabyte of them would be measured each time.
		if (isBlank && word === "" && line.length >= columns) continue;
		const longer = `${line} ${word}`;
		// The last line takes the rest, of which the end is cut: more than fits is not measured.
		if (lines.length === most - 1) line = columnsOf(line) > columns ? line : longer;
		else if (isBlank || columnsOf(longer) <= columns) line = longer;
		else {
			lines.push(line);
			line = " ".repeat(Math.min(indent, columns >> 1)) + word;
			isBlank = true;
		}
		isBlank &&= word === "";
	}
	return [...lines, line].map((one) => cutTo(one, columns));
}

/** Breaks between words into as many lines as needed, indented by `indent` columns after the first. Cuts nothing; breaks a word that is
 * longer than a line. */
export function fold(text: string, columns: number, indent: number): string[] {
	const width = Math.max(columns, 10);
	const begin = " ".repeat(Math.min(indent, width >> 1));
	const lines: string[] = [];
	let line = "";
	const breakUp = (): void => {
		if (columnsOf(line) <= width) return;
		const parts = splitInto(line, width, begin);
		line = parts.pop() ?? "";
		for (const part of parts) lines.push(part);
	};
	for (const [i, word] of text.split(" ").entries()) {
		const longer = i === 0 ? word : `${line} ${word}`;
		// Only spaces so far, which need no line.
		if (columnsOf(longer) <= width || line.trim() === "") line = longer;
		else {
			lines.push(line);
			line = begin + word;
		}
		breakUp();
	}
	return [...lines, line].map((one) => one.trimEnd()).filter((one, i) => i === 0 || one !== "");
}

/** Lines of as many parts as the columns hold, at least one; each after the first begins with `begin`. */
function splitInto(text: string, columns: number, begin: string): string[] {
	const lines: string[] = [];
	let line = "";
	let used = 0;
	let held = 0;
	for (const [part] of text.matchAll(PART)) {
		const wide = columnsOfPart(part);
		if (held > 0 && used + wide > columns) {
			lines.push(line);
			line = begin;
			used = begin.length;
			held = 0;
		}
		line += part;
		used += wide;
		held++;
	}
	return [...lines, line];
}
