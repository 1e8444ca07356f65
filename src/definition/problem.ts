// What is wrong with a workflow's text, and where: the one shape in which every check of this folder reports.

export interface Problem {
	readonly file: string;
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

/** A place in the YAML value: keys and indexes from the top. */
export type Path = readonly (string | number)[];

/** Collects a problem. `key` points at the key itself, `value` (the default) at what stands behind it. */
export type Report = (path: Path, message: string, where?: "key" | "value") => void;

export const formatProblem = (p: Problem): string => `${p.file}:${p.line}:${p.column}: ${p.message}`;

/** In the order of the files (the workflow's own first), then of the text; one that several checks found is kept once. */
export function orderProblems(problems: readonly Problem[], first: string): Problem[] {
	const unique = [...new Map(problems.map((p) => [formatProblem(p), p])).values()];
	const rank = (p: Problem): string => (p.file === first ? "" : p.file);
	return unique.sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.line - b.line || a.column - b.column));
}

/** The end of a message about a word that is not known: what was probably meant, else what there is. */
export function suggest(word: string, known: Iterable<string>): string {
	const words = [...known];
	const limit = Math.max(1, Math.floor(word.length / 3));
	let best: string | null = null;
	let least = limit + 1;
	for (const candidate of words) {
		const d = distance(word.toLowerCase(), candidate.toLowerCase());
		if (d < least) {
			least = d;
			best = candidate;
		}
	}
	if (best !== null) return `; did you mean \`${best}\`?`;
	return words.length === 0 ? "" : `; there is ${list(words)}`;
}

export const list = (words: readonly string[]): string => words.map((w) => `\`${w}\``).join(", ");

/** Letters to change, put in, take out or swap. */
function distance(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 20) return Number.POSITIVE_INFINITY;
	let before: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1];
			let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
			row.push(least);
		}
		before = last;
		last = row;
	}
	return last[b.length] ?? 0;
}
