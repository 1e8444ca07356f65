// Tests that live in the same file as the code that they test. An implementer may change the code around them, not the tests. This file finds
// which tests of a file were changed or removed.
import { changedTestModule } from "./rust/test-modules.ts";

/** For languages with such files: where a test begins, with its name. It ends before the next line that is not indented deeper. */
const TESTS: Readonly<Record<string, RegExp>> = {
	py: /^([ \t]*)(?:async +)?(?:def +(test_\w*)|class +(Test\w*))\b/,
	go: /^()func +((?:Test|Benchmark|Fuzz)\w*)\(/,
	ts: /^([ \t]*)(if *\(import\.meta\.vitest\))/,
	js: /^([ \t]*)(if *\(import\.meta\.vitest\))/,
};

/** The name of the first test of `before` that `after` changed or removed; null if all are unchanged. */
export function changedTest(path: string, before: string | null, after: string | null): string | null {
	if (before === null) return null;
	const ending = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
	if (ending === "rs") return changedTestModule(before, after);
	const pattern = TESTS[ending.replace(/^[cm]?([jt]s)x?$/, "$1")];
	if (pattern === undefined) return null;
	const now = testsIn(after ?? "", pattern);
	for (const [name, text] of testsIn(before, pattern)) if (now.get(name) !== text) return name;
	return null;
}

/** A test inside of another one is part of that one's text. */
function testsIn(source: string, pattern: RegExp): ReadonlyMap<string, string> {
	const lines = source.split(/\r?\n/);
	const found = new Map<string, string>();
	for (let at = 0; at < lines.length; at++) {
		const match = pattern.exec(lines[at] ?? "");
		if (match === null) continue;
		const depth = match[1]?.length ?? 0;
		const from = at;
		while (at + 1 < lines.length && (lines[at + 1]?.trim() === "" || indentOf(lines[at + 1] ?? "") > depth)) at++;
		found.set(
			match[2] ?? match[3] ?? "",
			lines
				.slice(from, at + 1)
				.join("\n")
				.trimEnd(),
		);
	}
	return found;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
