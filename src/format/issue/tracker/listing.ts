// Lists of issues in Markdown: the README by categories, and a parent's `## Sub-issues`. A line belongs to the issue that
// it names first; the rest of the line, and all other lines, stay as a person wrote them.

import { eolOf, headingOf, type Line, linesOf, oneLine, sectionsOf } from "../../../text/markdown.ts";
import { byId, type Issue, type IssueStatus, isIssueId, STATUSES, SUB_ISSUES } from "./issue.ts";

export interface Entry {
	readonly id: string;
	readonly title: string;
	readonly status: IssueStatus | null;
	readonly dependsOn: readonly string[];
}

const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(?:↳\s*)?(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const NAME = /(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9_-]*-\d{1,9}(?![A-Za-z0-9_-])/;

/** The issue that a line belongs to: the first one that a list item or a table row names. */
export function idOfLine(line: Line): string | null {
	if (line.fenced || !(ITEM.test(line.text) || ROW.test(line.text))) return null;
	const id = NAME.exec(line.text)?.[0] ?? null;
	return id !== null && isIssueId(id) ? id : null;
}

export const linkOf = ({ id, title, status }: Entry): string => `[${id}](${id}.md): ${escaped(title)}, ${status ?? "Todo"}`;
// A title is text; it must not begin a comment, a link or a code span that swallows the status.
const escaped = (title: string): string => oneLine(title).replace(/[<[\]\\]/g, (mark) => `\\${mark}`);

/** The status in a line, not counting the words of the title. */
export function statusOfLine(text: string, title: string): IssueStatus | null {
	return lastStatus(text, title)?.status ?? null;
}

function lastStatus(text: string, title: string): { readonly status: IssueStatus; readonly at: number } | null {
	const hidden = [escaped(title), title].find((one) => one !== "" && text.includes(one));
	const masked = hidden === undefined ? text : text.replace(hidden, () => "\0".repeat(hidden.length));
	const all = [...masked.matchAll(/(?<![\w-])(Todo|In Progress|Done)(?![\w-])/g)];
	// In brackets, in a cell or at the end it is a status; elsewhere it may be a word of the sentence.
	const set = all.filter(({ index, 0: word }) => {
		const before = nearest(masked, index - 1, -1);
		const after = nearest(masked, index + word.length, 1);
		return after === "" || ("([|*`_".includes(before || " ") && ")]|*`_".includes(after));
	});
	const found = set.at(-1) ?? all.at(-1);
	const status = STATUSES.find((one) => one === found?.[1]);
	return found === undefined || status === undefined ? null : { status, at: found.index };
}

/** The first character from here on that is no space; empty if there is none. */
function nearest(text: string, from: number, step: 1 | -1): string {
	let at = from;
	while (/\s/.test(text.charAt(at))) at += step;
	return text.charAt(at);
}

function lineWithStatus(text: string, title: string, status: IssueStatus): string {
	const boxed = text.replace(/^(\s*(?:[-*+]|\d+[.)])\s+\[)[ xX](\]\s)/, `$1${status === "Done" ? "x" : " "}$2`);
	const old = lastStatus(boxed, title);
	if (old !== null) return boxed.slice(0, old.at) + status + boxed.slice(old.at + old.status.length);
	// In a table the column is unknown.
	return ROW.test(boxed) ? boxed : `${boxed.trimEnd()}, ${status}`;
}

/** Sets this status in every line of the issue. */
export function markedIn(text: string, id: string, title: string, status: IssueStatus): string {
	return edited(text, (lines) => lines.map((line) => (idOfLine(line) === id ? lineWithStatus(line.text, title, status) : line.text)));
}

/** The same, in the list of sub-issues only. */
export function markedInSubIssues(text: string, id: string, title: string, status: IssueStatus): string {
	return edited(text, (lines) => {
		const section = sectionsOf(lines, SUB_ISSUES)[0];
		return lines.map((line, index) => {
			const own = section !== undefined && index > section.heading && index < section.end && idOfLine(line) === id;
			return own ? lineWithStatus(line.text, title, status) : line.text;
		});
	});
}

/** Without the lines of this issue. */
export function withoutLine(text: string, id: string): string {
	return edited(text, (lines) => lines.filter((line) => idOfLine(line) !== id).map((line) => line.text));
}

/** A text in which no line changes keeps its line ends, mixed ones too. */
function edited(text: string, edit: (lines: readonly Line[]) => readonly string[]): string {
	const before = linesOf(text);
	const after = edit(before);
	const isSame = after.length === before.length && after.every((line, index) => line === before[index]?.text);
	return isSame ? text : after.join(eolOf(text));
}

/** A README with a line for this issue: below its parent's line, else at the end of its category, which is added if it is missing. */
export function listedIn(readme: string, entry: Entry, category: string, parent: string | null): string {
	return edited(readme, (all) => {
		const lines = all.map((line) => line.text);
		if (all.some((line) => idOfLine(line) === entry.id)) return lines;
		const above = parent === null ? -1 : all.findIndex((line) => idOfLine(line) === parent);
		if (above !== -1 && ITEM.test(lines[above] ?? "")) {
			const indent = /^\s*/.exec(lines[above] ?? "")?.[0].length ?? 0;
			let last = above;
			while (deeper(all[last + 1], indent)) last++;
			lines.splice(last + 1, 0, `${" ".repeat(indent + 2)}- ${linkOf(entry)}`);
			return lines;
		}
		const section = sectionsOf(all, new RegExp(`^${category.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, "i"))[0];
		const end = lastFilled(lines, 0, lines.length);
		if (section === undefined) return [...lines.slice(0, end), "", `## ${category}`, "", `- ${linkOf(entry)}`, ""];
		const last = lastFilled(lines, section.heading, section.end);
		const space = last === section.heading + 1 || !ITEM.test(lines[last - 1] ?? "") ? [""] : [];
		const after = last === lines.length ? [""] : [];
		return [...lines.slice(0, last), ...space, `- ${linkOf(entry)}`, ...after, ...lines.slice(last)];
	});
}

const deeper = (line: Line | undefined, indent: number): boolean =>
	line !== undefined && line.text.trim() !== "" && (/^\s*/.exec(line.text)?.[0].length ?? 0) > indent;

/** The index after the last line that is not empty. */
function lastFilled(lines: readonly string[], from: number, to: number): number {
	let end = to;
	while (end > from && (lines[end - 1] ?? "").trim() === "") end--;
	return end;
}

/** The titles of the README's categories. */
export const categoriesOf = (readme: string): string[] => linesOf(readme).flatMap((line) => categoryIn(line) ?? []);

function categoryIn(line: Line): string | null {
	const heading = headingOf(line);
	return heading?.level === 2 && heading.title !== "" ? heading.title : null;
}

/** The category of an issue's line. */
export function categoryOf(readme: string, id: string): string | null {
	let category: string | null = null;
	for (const line of linesOf(readme)) {
		category = categoryIn(line) ?? category;
		if (idOfLine(line) === id) return category;
	}
	return null;
}

/** A README for a folder that has none. */
export function renderReadme(issues: readonly Issue[]): string {
	let text = "# TODO\n";
	const ids = new Set(issues.map((issue) => issue.id));
	const roots = issues.filter(({ parent }) => parent === null || !ids.has(parent));
	const add = (issue: Issue, seen: ReadonlySet<string>): void => {
		if (seen.has(issue.id)) return;
		text = listedIn(text, issue, issue.category ?? OTHER, issue.parent);
		for (const child of issues) if (child.parent === issue.id) add(child, new Set([...seen, issue.id]));
	};
	for (const issue of [...roots, ...issues]) add(issue, new Set());
	return text;
}

export const OTHER = "Other";

/** Puts each issue after all that it depends on, right below the last of these, indented by the depth of the chain; cycles come last, without indentation. */
export function inOrder(entries: readonly Entry[]): { readonly entry: Entry; readonly depth: number }[] {
	const ids = new Set(entries.map((entry) => entry.id));
	const left = new Map([...entries].sort((a, b) => byId(a.id, b.id)).map((entry) => [entry.id, entry]));
	const out: { readonly entry: Entry; readonly depth: number }[] = [];
	const needs = (entry: Entry) => entry.dependsOn.filter((id) => ids.has(id) && id !== entry.id);
	const take = (entry: Entry, depth: number): void => {
		left.delete(entry.id);
		out.push({ entry, depth });
		for (const next of [...left.values()])
			if (left.has(next.id) && needs(next).includes(entry.id) && needs(next).every((id) => !left.has(id))) take(next, depth + 1);
	};
	for (const entry of [...left.values()]) if (left.has(entry.id) && needs(entry).length === 0) take(entry, 0);
	for (const entry of left.values()) out.push({ entry, depth: 0 });
	return out;
}

const NOBODY = /^\s*(?:[-*+]\s+)?[_(]*none(?: yet)?[)_.]*\s*$/i;

/** A parent's text with exactly these issues under `## Sub-issues`, in the order of their dependencies. */
export function withSubIssues(text: string, entries: readonly Entry[]): string {
	return edited(text, (all) => {
		const lines = all.map((line) => line.text);
		const section = sectionsOf(all, SUB_ISSUES)[0];
		if (section === undefined && entries.length === 0) return lines;
		const from = section === undefined ? lines.length : section.heading + 1;
		const to = section?.end ?? lines.length;
		const { kept, own } = partsOf(all.slice(from, to));
		const made = inOrder(entries).flatMap(({ entry, depth }) => {
			const [first = linkOf(entry), ...more] = own.get(entry.id) ?? [];
			const title = entry.status === null ? first : lineWithStatus(first, entry.title, entry.status);
			return [`${"  ".repeat(depth)}- ${depth > 0 ? "↳ " : ""}${title}`, ...more];
		});
		const before =
			section === undefined ? [...lines.slice(0, lastFilled(lines, 0, lines.length)), "", "## Sub-issues"] : lines.slice(0, from);
		const notes = made.length > 0 ? kept.filter((line) => !NOBODY.test(line)) : kept;
		const rest = lastFilled(notes, 0, notes.length);
		const said = notes.slice(
			notes.findIndex((line) => line.trim() !== ""),
			rest,
		);
		return [...before, ...(made.length > 0 ? ["", ...made] : []), ...(rest > 0 ? ["", ...said] : []), "", ...lines.slice(to)];
	});
}

/** The lines of each issue (its text without mark and indentation, then what is indented below it), and all others. */
function partsOf(lines: readonly Line[]): { readonly kept: readonly string[]; readonly own: ReadonlyMap<string, readonly string[]> } {
	const kept: string[] = [];
	const own = new Map<string, string[]>();
	let current: { readonly indent: number; readonly lines: string[] } | null = null;
	for (const line of lines) {
		const id = idOfLine(line);
		const item = id === null ? null : ITEM.exec(line.text);
		if (id !== null && item !== null) {
			current = { indent: (item[1] ?? "").length, lines: own.get(id) ?? [item[3] ?? ""] };
			own.set(id, current.lines);
		} else if (current !== null && deeper(line, current.indent)) current.lines.push(line.text);
		else {
			current = null;
			kept.push(line.text);
		}
	}
	return { kept, own };
}
