// The change of the tests alone, out of the diff of a whole change: whole files that are tests, and of other files the lines that are inside
// tests (Rust's `#[cfg(test)]` modules). A reviewer reads it apart from the code.
import { linesInsideTestModules } from "../../../toolchain/rust/test-modules.ts";

export interface FileDiff {
	/** Relative to the worktree. */
	readonly path: string;
	readonly text: string;
}

/** The parts of a diff, one per file. */
export const filesOfDiff = (diff: string): FileDiff[] =>
	diff.split(/^(?=diff --git )/m).flatMap((text) => {
		const path = /^\+\+\+ b\/(.*)$/m.exec(text)?.[1] ?? /^--- a\/(.*)$/m.exec(text)?.[1];
		return path === undefined ? [] : [{ path, text }];
	});

const TEST_LINE = /^[+-].*(?:#\[(?:cfg\(test\)|test)\]|\bdef test_|import\.meta\.vitest)/m;

/** Of the diff of a file that is not a test itself: what it changes in tests; null if it changes none. Where nobody can say which lines are
 * tests, the whole of it. */
export function testsBeside({ path, text }: FileDiff, before: string | null, after: string | null): string | null {
	if (!path.endsWith(".rs")) return TEST_LINE.test(text) ? text : null;
	const [old, now] = [before, after].map((source) => linesInsideTestModules(source ?? ""));
	const at = text.search(/^@@ /m);
	if (at === -1 || old === undefined || now === undefined) return null;
	const hunks = text
		.slice(at)
		.split(/^(?=@@ )/m)
		.flatMap((hunk) => insideOf(hunk, old, now));
	return hunks.length === 0 ? null : `${text.slice(0, at)}${hunks.join("")}`;
}

interface Position {
	old: number;
	now: number;
}

/** The runs of a hunk's lines that are inside of tests and change something, each as a hunk of its own. */
function insideOf(hunk: string, old: ReadonlySet<number>, now: ReadonlySet<number>): string[] {
	const [head = "", ...lines] = hunk.replace(/\n$/, "").split("\n");
	const from = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(head);
	if (from === null) return [];
	const at: Position = { old: Number(from[1]), now: Number(from[2]) };
	const found: string[] = [];
	let run: string[] = [];
	let start: Position = { ...at };
	const end = (): void => {
		if (run.some((line) => /^[+-]/.test(line))) found.push(hunkOf(start, run));
		run = [];
	};
	for (const line of lines) {
		const mark = line.charAt(0);
		const inside = mark === "-" ? old.has(at.old) : mark !== "\\" && now.has(at.now);
		if (!inside) end();
		else if (run.length === 0) start = { ...at };
		if (inside) run.push(line);
		if (mark !== "+" && mark !== "\\") at.old++;
		if (mark !== "-" && mark !== "\\") at.now++;
	}
	end();
	return found;
}

function hunkOf(start: Position, lines: readonly string[]): string {
	const count = (other: string): number => lines.filter((line) => !line.startsWith(other)).length;
	return `@@ -${start.old},${count("+")} +${start.now},${count("-")} @@\n${lines.join("\n")}\n`;
}
