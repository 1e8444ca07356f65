// A task's spec, `task-N.md`, as an agent wrote it: which files may change, how it is tested, which criteria it has. Lenient about
// bullets, fences and backticks, strict about paths, because the spec is the next agent's boundary.
import { type Line, linesOf, sectionsOf, titleOf } from "../../../text/markdown.ts";

export interface SpecProblem {
	/** From 1; 0 if something is missing. */
	readonly line: number;
	readonly text: string;
}

export interface TaskSpec {
	readonly title: string;
	/** The text before the first section. */
	readonly description: string;
	/** Paths and globs, relative to the worktree, without `./`. */
	readonly files: readonly string[];
	readonly testCommand: string | null;
	/** Whether it introduces new names; null if it does not say. */
	readonly newSymbols: boolean | null;
	/** The numbers of the tasks that have to be done first: what its line `Depends on:` says, and nothing else. */
	readonly dependsOn: readonly number[];
	readonly criteria: readonly string[];
	readonly codeContext: string;
	readonly contracts: string;
	readonly testDesign: string | null;
	/** If there are none, it can be worked on. */
	readonly problems: readonly SpecProblem[];
}

const MAX_FILES = 500;
const FILES = /^files(?: to (?:change|modify))?:?$/i;
const COMMAND = /^test commands?:?$/i;
const CRITERIA = /^(?:acceptance criteria|ac):?$/i;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

export function readTask(text: string): TaskSpec {
	const lines = linesOf(text.replace(/^\uFEFF/, ""));
	const files = filesIn(lines);
	const command = commandIn(lines);
	const symbols = symbolsIn(lines);
	const depends = dependsIn(lines);
	return {
		title: titleOf(lines) ?? "",
		description: descriptionOf(lines),
		files: files.value,
		testCommand: command.value,
		newSymbols: symbols.value,
		dependsOn: depends.value,
		criteria: criteriaIn(lines),
		codeContext: bodyOf(lines, /^code context:?$/i) ?? "",
		contracts: bodyOf(lines, /^integration contracts?:?$/i) ?? "",
		testDesign: bodyOf(lines, /^test design:?$/i),
		problems: [...files.problems, ...command.problems, ...symbols.problems, ...depends.problems].sort((a, b) => a.line - b.line),
	};
}

interface SpecPart<T> {
	readonly value: T;
	readonly problems: readonly SpecProblem[];
}

interface Numbered {
	readonly text: string;
	readonly line: number;
}

/** The lines of the sections with such a title that say something; fences are only marks. */
const contentOf = (lines: readonly Line[], title: RegExp): Numbered[] =>
	sectionsOf(lines, title).flatMap(({ heading, end }) =>
		lines
			.slice(heading + 1, end)
			.map(({ text }, index) => ({ text: text.trim(), line: heading + 2 + index }))
			.filter(({ text }) => text !== "" && !FENCE.test(text) && !isSymbols(text)),
	);

function filesIn(lines: readonly Line[]): SpecPart<readonly string[]> {
	const found = new Set<string>();
	const problems: SpecProblem[] = [];
	for (const { text, line } of contentOf(lines, FILES)) {
		if (isRemark(text)) continue;
		for (const path of pathsIn(text)) {
			const problem = pathProblem(path);
			if (problem !== null) problems.push({ line, text: `${JSON.stringify(text.slice(0, 200))} under ## Files ${problem}` });
			else found.add(path);
		}
	}
	const value = [...found];
	if (value.length === 0 && problems.length === 0) problems.push({ line: 0, text: "there is no file under ## Files" });
	if (value.length > MAX_FILES) problems.push({ line: 0, text: `there are more than ${MAX_FILES} files under ## Files` });
	return { value, problems };
}

const BULLET = /^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;

/** Several words, none of which looks like a path: it allows nothing, so it can be ignored. */
const isRemark = (text: string): boolean => {
	const words = text.replace(BULLET, "").split(/\s+/);
	return words.length > 1 && !words.some((word) => /[`/*\\~]|\w\.\w/.test(word));
};

/** The paths in a line such as "- `src/a.ts` (new)", "src/a.ts: the parser" or "a.ts, b.ts". */
function pathsIn(text: string): string[] {
	const item = text.replace(BULLET, "").replace(/^\*\*(.+?)\*\*/, "$1");
	const several = item.split(/,\s+/).map((one) => one.replace(/^`([^`]+)`$/, "$1"));
	const all = several.every((one) => /^\S+$/.test(one) && /[/.]/.test(one)) ? several : [pathIn(item)];
	return all.map((path) =>
		path
			.replace(/[:,;]$/, "")
			.trim()
			.replace(/^(?:\.\/)+/, ""),
	);
}

const pathIn = (item: string): string => /^`([^`]+)`/.exec(item)?.[1] ?? item.replace(/(?:\s[—–(#-]|:\s).*$/, "").trimEnd();

/** Why an agent may not be allowed to write this path. */
export function pathProblem(path: string): string | null {
	if (path === "" || path === ".") return "is no path";
	if (/\s/.test(path) || /\p{Cc}/u.test(path)) return "is not a path (one path or glob per line)";
	if (path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:/.test(path)) return "is absolute; paths are relative to the worktree";
	if (path.includes("\\")) return "has a backslash";
	const parts = path.split("/");
	if (parts.includes("..") || /\{[^}]*\.\./.test(path)) return "leads out of the worktree";
	if (parts.some((part) => part.toLowerCase() === ".git")) return "is git's own";
	if (/^[*/]*$/.test(path)) return "is everything; it must say what";
	return null;
}

function commandIn(lines: readonly Line[]): SpecPart<string | null> {
	const said = firstParagraph(contentOf(lines, COMMAND)).map(({ text, line }) => ({ text: plainCommand(text), line }));
	const [first, second] = [...new Map(said.map((one) => [one.text, one])).values()];
	if (first === undefined) return { value: null, problems: [] };
	if (second !== undefined)
		return { value: null, problems: [{ line: second.line, text: "there is more than one line under ## Test command" }] };
	if (/\p{Cc}/u.test(first.text))
		return { value: null, problems: [{ line: first.line, text: "the test command has a control character" }] };
	return { value: first.text, problems: [] };
}

/** Up to the first blank line: the rest of the section is prose. */
function firstParagraph(content: readonly Numbered[]): Numbered[] {
	const end = content.findIndex(({ line }, i) => i > 0 && line > (content[i - 1]?.line ?? 0) + 1);
	return content.slice(0, end === -1 ? content.length : end);
}

const plainCommand = (text: string): string =>
	text
		.replace(/^[-*+]\s+(?=\S)/, "")
		.replace(/^`([^`]+)`[.]?$/, "$1")
		.replace(/^\$\s+/, "")
		.trim();

const SYMBOLS = /^[-*+\s]*\**new symbols\**\s*:\s*\**\s*`?(yes|no)\b/i;
const DEPENDS = /^[-*+\s]*\**depends on\**\s*:\s*\**\s*(.*)$/i;
/** Lines that stand anywhere and belong to no section. */
const isSymbols = (text: string): boolean => SYMBOLS.test(text) || DEPENDS.test(text);

/** `Depends on: task 2, task 3` or `Depends on: none`, once. */
function dependsIn(lines: readonly Line[]): SpecPart<readonly number[]> {
	const said = lines.flatMap(({ text, fenced }, index) => {
		const value = fenced ? undefined : DEPENDS.exec(text)?.[1];
		return value === undefined ? [] : [{ value: withoutEnd(value), line: index + 1 }];
	});
	const [first, second] = said;
	if (first === undefined) return { value: [], problems: [] };
	if (second !== undefined) return { value: [], problems: [{ line: second.line, text: "there is more than one line `Depends on:`" }] };
	if (/^(?:none|nothing|-|n\/a)?$/i.test(first.value)) return { value: [], problems: [] };
	const parts = first.value
		.split(/[,;&]|\band\b/i)
		.map((part) => part.trim())
		.filter((part) => part !== "");
	const numbers = parts.map((part) => /^(?:tasks?[- ]?)?#?(\d{1,3})(?:\.md)?$/i.exec(part)?.[1]);
	if (numbers.some((n) => n === undefined))
		return {
			value: [],
			problems: [
				{
					line: first.line,
					text: `\`Depends on: ${first.value.slice(0, 200)}\` names something else than tasks (\`task 2, task 3\` or \`none\`)`,
				},
			],
		};
	return { value: [...new Set(numbers.map(Number))], problems: [] };
}

/** Without the marks and spaces at its end. */
function withoutEnd(text: string): string {
	let end = text.length;
	while (/[*`.\s]/.test(text.charAt(end - 1))) end--;
	return text.slice(0, end).trim();
}

function symbolsIn(lines: readonly Line[]): SpecPart<boolean | null> {
	const inLines = lines.flatMap(({ text, fenced }, index) => {
		const answer = fenced ? undefined : SYMBOLS.exec(text)?.[1];
		return answer === undefined ? [] : [{ yes: answer.toLowerCase() === "yes", line: index + 1 }];
	});
	const inSection = contentOf(lines, /^new symbols:?$/i).flatMap(({ text, line }) => {
		const answer = /^[-*+\s]*`?(yes|no)\b/i.exec(text)?.[1];
		return answer === undefined ? [] : [{ yes: answer.toLowerCase() === "yes", line }];
	});
	const [first, ...more] = [...inLines, ...inSection];
	const other = more.find(({ yes }) => yes !== first?.yes);
	if (other) return { value: null, problems: [{ line: other.line, text: "`New symbols` is said to be both yes and no" }] };
	return { value: first?.yes ?? null, problems: [] };
}

/** The items of a list, each with its continuation lines. */
function criteriaIn(lines: readonly Line[]): string[] {
	const items: string[] = [];
	for (const { text } of contentOf(lines, CRITERIA)) {
		const item = /^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(text)?.[1];
		if (item !== undefined) items.push(item.trim());
		else if (items.length > 0) items.push(`${items.pop()} ${text}`);
	}
	return items.filter((item) => item !== "");
}

function bodyOf(lines: readonly Line[], title: RegExp): string | null {
	const [section] = sectionsOf(lines, title);
	if (section === undefined) return null;
	const text = lines.slice(section.heading + 1, section.end).filter((line) => line.fenced || !isSymbols(line.text));
	return text
		.map((line) => line.text)
		.join("\n")
		.trim();
}

function descriptionOf(lines: readonly Line[]): string {
	const isHeading = ({ text, fenced }: Line) => !fenced && /^ {0,3}#{1,6}(?:\s|$)/.test(text);
	const first = lines.findIndex(isHeading);
	const from = first !== -1 && /^ {0,3}#\s/.test(lines[first]?.text ?? "") ? first + 1 : 0;
	const next = lines.findIndex((line, index) => index >= from && isHeading(line));
	return lines
		.slice(from, next === -1 ? lines.length : next)
		.map(({ text }) => text)
		.join("\n")
		.trim();
}
