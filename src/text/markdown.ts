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

export function linesOf(text: string): Line[] {
	let fence: string | null = null;
	return text.split(/\r?\n/).map((line) => {
		const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
		const [, ticks = "", rest = ""] = mark ?? [];
		if (fence === null) {
			if (mark === null || (ticks.startsWith("`") && rest.includes("`"))) return { text: line, fenced: false };
			fence = ticks;
		} else if (mark !== null && ticks.startsWith(fence) && rest.trim() === "") fence = null;
		return { text: line, fenced: true };
	});
}

const headingOf = (line: Line): { readonly level: number; readonly title: string } | null => {
	const found = line.fenced ? null : /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line.text);
	return found === null ? null : { level: (found[1] ?? "").length, title: (found[2] ?? "").trim() };
};

/** All sections with such a title, in their order; a section ends at the next heading of its level or a higher one. */
export function sectionsOf(lines: readonly Line[], title: RegExp): Section[] {
	return lines.flatMap((line, heading) => {
		const own = headingOf(line);
		if (own === null || !title.test(own.title)) return [];
		const next = lines.findIndex((other, index) => index > heading && (headingOf(other)?.level ?? 7) <= own.level);
		return [{ heading, end: next === -1 ? lines.length : next }];
	});
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
