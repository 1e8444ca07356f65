// An issue's file as text: reads it, and edits it without changing any other byte.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, stringify } from "yaml";
import { eolOf, linesOf, oneLine, type Section, sectionsOf, titleOf } from "../../../text/markdown.ts";

export const STATUSES = ["Todo", "In Progress", "Done"] as const;
export type IssueStatus = (typeof STATUSES)[number];

export interface Criterion {
	readonly text: string;
	readonly done: boolean;
	/** Of the file, from 1. */
	readonly line: number;
}

export interface Issue {
	readonly id: string;
	readonly title: string;
	/** null: none of the three. */
	readonly status: IssueStatus | null;
	readonly parent: string | null;
	readonly labels: readonly string[];
	readonly dependsOn: readonly string[];
	readonly category: string | null;
	/** Who filed it, for issues that a run filed: `RUN/KEY`. */
	readonly filedBy: string | null;
	readonly criteria: readonly Criterion[];
	/** What follows the front matter. */
	readonly body: string;
	readonly text: string;
	/** Each key of the front matter → its line in the file, from 1. */
	readonly lines: Readonly<Record<string, number>>;
}

export interface Refused {
	readonly problem: string;
	/** There is no such file. */
	readonly missing?: true;
}

/** Letters, digits and single `-` or `_` between them, then `-` and a number: GAL-39. */
const ID = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*-\d{1,9}$/;

export const isIssueId = (text: string): boolean => text.length <= 64 && ID.test(text);
export const isStatus = (text: string): text is IssueStatus => (STATUSES as readonly string[]).includes(text);
export const prefixOf = (id: string): string => id.slice(0, id.lastIndexOf("-"));
export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf("-") + 1));
/** By prefix, then by number. */
export const byId = (a: string, b: string): number =>
	prefixOf(a) === prefixOf(b) ? numberOf(a) - numberOf(b) : prefixOf(a) < prefixOf(b) ? -1 : 1;

interface Parts {
	/** With the line of dashes before it. */
	readonly before: string;
	readonly front: string;
	readonly body: string;
}

const FRONT = /^(\uFEFF?---[ \t]*\r?\n)((?:[\s\S]*?\r?\n)??)(---[ \t]*(?:\r?\n|$))/;

function split(text: string): Parts | null {
	const found = FRONT.exec(text);
	if (found === null) return null;
	return { before: found[1] ?? "", front: found[2] ?? "", body: text.slice(found[0].length) };
}

interface Field {
	readonly value: ParsedNode | null;
	readonly line: number;
}

/** A dozen short fields. */
const LONGEST_FRONT = 64 * 1024;

function fieldsOf(front: string): ReadonlyMap<string, Field> | Refused {
	if (front.length > LONGEST_FRONT) return { problem: `its front matter is longer than ${LONGEST_FRONT} characters` };
	const counter = new LineCounter();
	const document = parseDocument(front, { uniqueKeys: true, logLevel: "silent", lineCounter: counter });
	const [error] = document.errors;
	if (error !== undefined) return { problem: `its front matter cannot be read: ${error.message.split("\n")[0]}` };
	if (document.contents === null) return new Map();
	if (!isMap(document.contents)) return { problem: "its front matter is not a list of `key: value`" };
	const fields = new Map<string, Field>();
	for (const { key, value } of document.contents.items) {
		if (!isScalar(key)) continue;
		if (isAlias(value)) return { problem: `its front matter refers to another place (\`${String(key.value)}\`)` };
		const line = counter.linePos(key.range?.[0] ?? 0).line + 1;
		fields.set(String(key.value), { value, line });
	}
	return fields;
}

const textOf = (field: Field | undefined): string | null => {
	const value = isScalar(field?.value) ? field.value.value : null;
	return value === null || value === "" ? null : oneLine(String(value));
};

const listOf = (field: Field | undefined): string[] => {
	const items = isSeq(field?.value)
		? field.value.items.map((item) => (isScalar(item) ? String(item.value ?? "") : ""))
		: (textOf(field) ?? "").split(",");
	return items.map(oneLine).filter((item) => item !== "");
};

export function parseIssue(id: string, text: string): Issue | Refused {
	const parts = split(text);
	if (parts === null) return { problem: "it has no front matter: it must begin with a line `---`, fields, and a line `---`" };
	const fields = fieldsOf(parts.front);
	if ("problem" in fields) return fields;
	const status = textOf(fields.get("status"));
	const lines = linesOf(parts.body);
	const heading = titleOf(lines);
	return {
		id,
		title: textOf(fields.get("title")) ?? (heading?.startsWith(`${id}:`) ? heading.slice(id.length + 1).trim() : heading) ?? id,
		status: status !== null && isStatus(status) ? status : null,
		parent: textOf(fields.get("parent")),
		labels: [...new Set([...listOf(fields.get("labels")), ...listOf(fields.get("label"))])],
		dependsOn: [...new Set(listOf(fields.get("depends-on")))],
		category: textOf(fields.get("category")),
		filedBy: textOf(fields.get("filed-by")),
		criteria: criteriaOf(parts),
		body: parts.body,
		text,
		lines: Object.fromEntries([...fields].map(([key, { line }]) => [key, line])),
	};
}

const BOX = /^(\s*[-*+] \[)([ xX])(\][ \t]+)(.*)$/;
export const SUB_ISSUES = /^sub-?issues:?$/i;
const CRITERIA = /^(?:acceptance criteria|ac)\b/i;

/** The boxes under `## Acceptance criteria`; without that heading, all boxes that are not under `## Sub-issues`. */
function criteriaOf({ before, front, body }: Parts): Criterion[] {
	const lines = linesOf(body);
	const offset = `${before}${front}---\n`.split("\n").length;
	const sections = sectionsOf(lines, CRITERIA);
	const [wanted, left] = [linesIn(sections), linesIn(sectionsOf(lines, SUB_ISSUES))];
	return lines.flatMap((line, index) => {
		const found = line.fenced ? null : BOX.exec(line.text);
		if (found === null || left.has(index) || (sections.length > 0 && !wanted.has(index))) return [];
		return [{ text: (found[4] ?? "").trim(), done: found[2] !== " ", line: index + offset }];
	});
}

/** The lines below these headings. */
function linesIn(sections: readonly Section[]): ReadonlySet<number> {
	const lines = new Set<number>();
	let from = 0;
	for (const { heading, end } of sections) {
		for (let at = Math.max(from, heading + 1); at < end; at++) lines.add(at);
		from = Math.max(from, end);
	}
	return lines;
}

/** The text with this status; the rest of the file stays as it is, including comments and quotes. Refuses where the new text could not be read. */
export function withStatus(text: string, status: IssueStatus): string | Refused {
	const changed = changedStatus(text, status);
	if (typeof changed !== "string") return changed;
	const parts = split(changed);
	const fields = parts === null ? null : fieldsOf(parts.front);
	const isSet = fields !== null && !("problem" in fields) && textOf(fields.get("status")) === status;
	return isSet ? changed : { problem: `its front matter has no place for \`status: ${status}\`` };
}

function changedStatus(text: string, status: IssueStatus): string | Refused {
	const parts = split(text);
	if (parts === null) return { problem: "it has no front matter" };
	const fields = fieldsOf(parts.front);
	if ("problem" in fields) return fields;
	const node = fields.get("status")?.value ?? null;
	const start = parts.before.length;
	if (isScalar(node) && node.range && node.value !== null) {
		const quote = node.type === "QUOTE_DOUBLE" ? '"' : node.type === "QUOTE_SINGLE" ? "'" : "";
		return `${text.slice(0, start + node.range[0])}${quote}${status}${quote}${text.slice(start + node.range[1])}`;
	}
	const indent = /^ */.exec(parts.front)?.[0] ?? "";
	if (!fields.has("status")) return `${text.slice(0, start)}${indent}status: ${status}${eolOf(text)}${text.slice(start)}`;
	const front = parts.front.replace(/^((?:status|"status"|'status')[ \t]*:)[ \t]*/m, `$1 ${status} `).replace(/(?<! ) +(?=\r?\n)/, "");
	return front === parts.front
		? { problem: "its status is not a plain word" }
		: `${parts.before}${front}${text.slice(start + parts.front.length)}`;
}

/** Ticks these criteria, by their texts, or all; ignores texts that are not criteria of the issue. */
export function withTicks(issue: Issue, which: "all" | readonly string[]): string {
	const ticked = new Set((which === "all" ? issue.criteria : namedCriteria(issue, which)).map((c) => c.line));
	return issue.text
		.split("\n")
		.map((line, index) => (ticked.has(index + 1) ? line.replace(/^(\s*[-*+] \[)[ xX]/, "$1x") : line))
		.join("\n");
}

/** The criteria of the issue that these texts name. */
export function namedCriteria({ criteria }: Issue, texts: readonly string[]): readonly Criterion[] {
	const wanted = new Set(texts.map(plain));
	return criteria.filter((c) => wanted.has(plain(c.text)));
}

/** For comparing texts of two files: ignores marks, spaces and a full stop at the end. */
const plain = (text: string): string =>
	text
		.replace(/^\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?/, "")
		.replace(/[`*_]/g, "")
		.replace(/\s+/g, " ")
		.replace(/\.$/, "")
		.trim();

export interface NewIssue {
	readonly id: string;
	readonly title: string;
	readonly status: IssueStatus;
	readonly category: string | null;
	readonly parent: string | null;
	readonly labels: readonly string[];
	readonly dependsOn: readonly string[];
	readonly filedBy: string | null;
	readonly body: string;
}

/** A whole file. */
export function renderIssue(issue: NewIssue): string {
	const value = (text: string) => stringify(oneLine(text), { lineWidth: 0 }).trim();
	const list = (items: readonly string[]) =>
		`[${items.map((item) => (/^[\w-]+$/.test(item) ? item : JSON.stringify(oneLine(item)))).join(", ")}]`;
	const front = [
		`id: ${issue.id}`,
		`title: ${value(issue.title)}`,
		`status: ${issue.status}`,
		...(issue.category === null ? [] : [`category: ${value(issue.category)}`]),
		...(issue.parent === null ? [] : [`parent: ${value(issue.parent)}`]),
		`labels: ${list(issue.labels)}`,
		`depends-on: ${list(issue.dependsOn)}`,
		...(issue.filedBy === null ? [] : [`filed-by: ${value(issue.filedBy)}`]),
	];
	const body = issue.body.replace(/\r\n/g, "\n").trim();
	const more = sectionsOf(linesOf(body), SUB_ISSUES).length > 0 ? "" : "\n\n## Sub-issues";
	return `---\n${front.join("\n")}\n---\n\n# ${issue.id}: ${oneLine(issue.title)}\n\n${body}${more}\n`;
}
