// When two findings are the same one (G-18): the same key at the same position, or the same words. So a new finding under an old key is new,
// and an old one under a new key is not.
import type { Earlier, Finding } from "./model.ts";

/** `src/a.ts`, `src/a.ts:12`, `README.md`: a name with an ending, perhaps in folders, perhaps with a line. */
const POSITION = /(?:[\p{L}\p{N}_.@-]{1,80}\/){0,20}[\p{L}\p{N}_@-][\p{L}\p{N}_.@-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}(?::(\d{1,7}))?/gu;

interface FilePosition {
	readonly path: string;
	readonly line: string | null;
}

/** What is compared of a finding; made once for each, because every finding of a round is compared with every earlier one. */
interface Compared {
	readonly words: string;
	readonly positions: readonly FilePosition[];
}

const compared = new WeakMap<Finding, Compared>();

function comparedOf(finding: Finding): Compared {
	const known = compared.get(finding) ?? { words: wordsOf(finding.text), positions: positionsIn(finding.text) };
	compared.set(finding, known);
	return known;
}

export function isSameFinding(one: Finding, other: Finding): boolean {
	const [a, b] = [comparedOf(one), comparedOf(other)];
	return a.words === b.words || (one.key === other.key && isSamePosition(a.positions, b.positions));
}

/** If only one of them names a line, they can still be the same. If one names no position, only the words count. */
function isSamePosition(some: readonly FilePosition[], others: readonly FilePosition[]): boolean {
	return some.some((a) => others.some((b) => a.path === b.path && (a.line === null || b.line === null || a.line === b.line)));
}

/** A finding is about a few places; a list of more is no position any longer. */
const MOST_POSITIONS = 20;

const positionsIn = (text: string): readonly FilePosition[] =>
	[...text.slice(0, 4000).matchAll(POSITION)].slice(0, MOST_POSITIONS).map((match) => ({
		path: match[0].replace(/:\d+$/, "").replace(/^\.\//, ""),
		line: match[1] ?? null,
	}));

/** Only the words, without case and punctuation. */
const wordsOf = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text.trim()]).join(" ");

/** The findings of this round that were already in the round before, by comparison or because the reviewer says so. */
export function repeated(before: readonly Finding[], now: readonly Finding[], earlier: readonly Earlier[]): readonly Finding[] {
	const open = new Set(earlier.flatMap((one) => (one.open ? [one.key] : [])));
	const again = now.filter((one) => before.some((old) => isSameFinding(one, old)));
	return [...again, ...before.filter((old) => open.has(old.key) && !again.some((one) => isSameFinding(one, old)))];
}

/** The open findings after a round: its own, and those that it says are still open. */
export const openAfter = (before: readonly Finding[], now: readonly Finding[], earlier: readonly Earlier[]): readonly Finding[] => [
	...now,
	...repeated(before, now, earlier).filter((old) => !now.some((one) => isSameFinding(one, old))),
];

/** Of these earlier findings, those that a round says nothing about. */
export function unansweredBy(before: readonly Finding[], now: readonly Finding[], earlier: readonly Earlier[]): readonly Finding[] {
	const open = openAfter(before, now, earlier);
	const answered = new Set(earlier.map((one) => one.key));
	return before.filter((old) => !answered.has(old.key) && !open.some((one) => isSameFinding(one, old)));
}

export const findingText = ({ key, class: of, text }: Finding): string => `[${key}] ${of === "" ? "" : `${of}: `}${text}`;
