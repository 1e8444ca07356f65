// Lines and sections of Markdown that people wrote: headings inside code fences do not count, and line ends are kept.

export interface Line {
	/** Without its line end. */
	readonly text: string;
	readonly fenced: boolean;
}

export interface Section {
	/** The index of its heading's line. */
	readonly heading: number;
	/** The index of the first line that is no longer in it. */
	readonly end: number;
}

export const eolOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** Programs that convert twice leave `\r\r\n`. No regular expression: one for many `\r` at an end takes the square of their number. */
function rawLines(text: string): string[] {
	const lines = text.split("\n");
	return lines.map((line, index) => {
		let end = line.length;
		if (index < lines.length - 1) while (line[end - 1] === "\r") end--;
		return line.slice(0, end);
	});
}

export function linesOf(text: string): Line[] {
	let fence: string | null = null;
	return rawLines(text).map((line) => {
		const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
		const [, ticks = "", rest = ""] = mark ?? [];
		if (fence === null) {
			if (mark === null || (ticks.startsWith("`") && rest.includes("`"))) return { text: line, fenced: false };
			fence = ticks;
		} else if (mark !== null && ticks.startsWith(fence) && rest.trim() === "") fence = null;
		return { text: line, fenced: true };
	});
}

/** Without the `#` marks that may close a heading. Only those that stand apart: `# C#` is about C#. */
export function withoutClosing(text: string): string {
	const trimmed = text.trimEnd();
	let end = trimmed.length;
	while (trimmed.charAt(end - 1) === "#") end--;
	const rest = trimmed.slice(0, end);
	return end < trimmed.length && (end === 0 || /[ \t]$/.test(rest)) ? rest.trimEnd() : trimmed;
}

export interface Heading {
	readonly level: number;
	readonly title: string;
}

export function headingOf(line: Line): Heading | null {
	const found = line.fenced ? null : /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line.text);
	return found === null ? null : { level: (found[1] ?? "").length, title: withoutClosing(found[2] ?? "").trim() };
}

const headings = new WeakMap<readonly Line[], readonly (Heading & { readonly at: number })[]>();

/** Once for each text, because a reader asks for many sections. */
function headingsOf(lines: readonly Line[]): readonly (Heading & { readonly at: number })[] {
	const known =
		headings.get(lines) ??
		lines.flatMap((line, at) => {
			const heading = headingOf(line);
			return heading === null ? [] : [{ ...heading, at }];
		});
	headings.set(lines, known);
	return known;
}

/** All sections with such a title, in their order; a section ends at the next heading of its level or a higher one. */
export function sectionsOf(lines: readonly Line[], title: RegExp): Section[] {
	const found: Section[] = [];
	/** By level: where the next heading of it begins. Read from the end, so that each line is looked at once. */
	const next = Array.from({ length: 7 }, () => lines.length);
	for (const { at, ...own } of headingsOf(lines).toReversed()) {
		if (title.test(own.title)) found.push({ heading: at, end: next.slice(0, own.level + 1).reduce((a, b) => Math.min(a, b)) });
		next[own.level] = at;
	}
	return found.reverse();
}

export const titleOf = (lines: readonly Line[]): string | null => {
	for (const line of lines) {
		const heading = headingOf(line);
		if (heading?.level === 1) return heading.title;
	}
	return null;
};

/** The text as one line. */
export const oneLine = (text: string): string =>
	text
		.replace(/\p{Cc}+/gu, " ")
		.replace(/ {2,}/g, " ")
		.trim();
