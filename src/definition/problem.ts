// What is wrong with a workflow's text, and where. Every check of this folder reports in this form.
import { closest } from "../core/closest.ts";
import type { Problem } from "../yaml.ts";

export type { Problem };

/** A position in the YAML value: keys and indexes from the top. */
export type Path = readonly (string | number)[];

/** Adds a problem, positioned at the key itself or (by default) at its value. */
export type Report = (path: Path, message: string, where?: "key" | "value") => void;

export const formatProblem = (p: Problem): string => `${p.file}:${p.line}:${p.column}: ${p.message}`;

/** Sorts by file (the workflow's own first) and position, and drops duplicates. */
export function orderProblems(problems: readonly Problem[], first: string): Problem[] {
	const unique = [...new Map(problems.map((p) => [formatProblem(p), p])).values()];
	const rank = (p: Problem): string => (p.file === first ? "" : p.file);
	return unique.sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.line - b.line || a.column - b.column));
}

/** The end of a message about an unknown word: what was probably meant, or else what exists. */
export function suggest(word: string, known: Iterable<string>): string {
	const words = [...known];
	const meant = closest(word, words);
	if (meant !== null) return `; did you mean \`${meant}\`?`;
	return words.length === 0 ? "" : `; there is ${list(words)}`;
}

export const list = (words: readonly string[]): string => words.map((w) => `\`${w}\``).join(", ");
