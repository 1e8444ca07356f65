// The TODO folder and what a gated run writes: issues, lists of issues, specs, diffs, and the sources that it looks into.
import assert from "node:assert/strict";
import { projectOf } from "../../../src/core/remote/host.ts";
import { isNetworkTrouble } from "../../../src/core/remote/network-trouble.ts";
import { filesOfDiff, testsBeside } from "../../../src/format/issue/artifacts/tests-diff.ts";
import { hygieneProblems } from "../../../src/format/issue/spec/hygiene.ts";
import { pathProblem, readTask } from "../../../src/format/issue/spec/task.ts";
import { parseIssue, renderIssue, withStatus, withTicks } from "../../../src/format/issue/tracker/issue.ts";
import {
	categoriesOf,
	categoryOf,
	listedIn,
	markedIn,
	markedInSubIssues,
	withoutLine,
	withSubIssues,
} from "../../../src/format/issue/tracker/listing.ts";
import { deniedIn } from "../../../src/format/issue/tracker/parent.ts";
import { readQuery } from "../../../src/text/issue-query.ts";
import { issueStory } from "../../../src/text/issue-story.ts";
import { commandProblem, wrappedCommand } from "../../../src/toolchain/command.ts";
import { changedTest } from "../../../src/toolchain/known-tests.ts";
import { whyNotRun } from "../../../src/toolchain/not-run.ts";
import { mask } from "../../../src/toolchain/rust/mask.ts";
import { panicCoverage } from "../../../src/toolchain/rust/panics.ts";
import { bodiesOf, notStubs } from "../../../src/toolchain/rust/stubs.ts";
import { namedSymbols } from "../../../src/toolchain/rust/symbols.ts";
import { linesInsideTestModules, outsideTestModules } from "../../../src/toolchain/rust/test-modules.ts";
import type { Target } from "../target.ts";

const MARKDOWN = [
	"# T\n",
	"## Acceptance criteria\n",
	"- [ ] a\n",
	"- [x] b",
	"## Sub-issues\n",
	"```\n",
	"## Files\n",
	"`src/a.ts`",
	"\n\n",
	"   ###### a ####",
	"* ",
	"1) ",
];

const issue: Target = {
	name: "issue",
	readers: 8,
	words: [
		...MARKDOWN,
		"---\n",
		"id: GAL-1\n",
		"title: t\n",
		"status: Todo\n",
		"labels: [a, b]\n",
		"depends-on: [GAL-2]\n",
		"parent: GAL-3\n",
		"status: 'Done'\n",
		"status:\n",
		"&a x",
		"*a",
	],
	run: (text) => {
		const read = parseIssue("GAL-1", text);
		if ("problem" in read) return assert.ok(read.problem !== "");
		const done = withStatus(text, "Done");
		if (typeof done === "string") {
			const again = parseIssue("GAL-1", done);
			assert.ok(!("problem" in again) && again.status === "Done", "the status that was set is there");
			assert.equal(withStatus(done, "Done"), done, "setting it twice is setting it once");
		}
		const ticked = parseIssue("GAL-1", withTicks(read, "all"));
		assert.ok(!("problem" in ticked) && ticked.criteria.every((one) => one.done), "every box is ticked");
		const made = parseIssue("GAL-1", renderIssue({ ...read, id: "GAL-1", status: "Todo" }));
		assert.ok(!("problem" in made) && made.status === "Todo", "an issue that pawl writes can be read");
	},
};

const listing: Target = {
	name: "listing",
	readers: 7,
	words: [
		...MARKDOWN,
		"- [GAL-1](GAL-1.md): t, Todo\n",
		"| GAL-1 | Done |\n",
		"  - ↳ GAL-2, In Progress\n",
		"## Other\n",
		"GAL-1",
		"Todo",
		"In Progress",
		"a-",
		"_none yet_\n",
	],
	run: (text) => {
		categoriesOf(text);
		categoryOf(text, "GAL-1");
		const marked = markedIn(text, "GAL-1", "t", "Done");
		assert.equal(markedIn(marked, "GAL-1", "t", "Done"), marked, "marking twice is marking once");
		markedInSubIssues(text, "GAL-1", "t", "Done");
		withoutLine(text, "GAL-1");
		const entry = { id: "GAL-9", title: "new", status: "Todo", dependsOn: [] } as const;
		const listed = listedIn(text, entry, "Other", "GAL-1");
		withSubIssues(text, [entry]);
		assert.ok(listed.includes("GAL-9") || text.includes("GAL-9"));
	},
};

const spec: Target = {
	name: "spec",
	// Every line is looked at for each of its sections.
	readers: 8,
	limitMs: 150,
	words: [
		...MARKDOWN,
		"## Test command\n",
		"New symbols: yes\n",
		"Depends on: task 2, task 3\n",
		"## Code context\n",
		"src/**",
		"- a.ts, b.ts\n",
		"(new)",
		"let me reconsider",
		"Actually, ",
		"TBD",
		"plan.md",
		".workflow/run-1/x",
		"<insert",
		"- a: missing",
	],
	run: (text) => {
		const read = readTask(text);
		for (const path of read.files) assert.equal(pathProblem(path), null);
		hygieneProblems(text);
		deniedIn(text);
		namedSymbols(text);
	},
};

const diff: Target = {
	name: "diff",
	readers: 6,
	words: [
		"diff --git a/x.rs b/x.rs\n",
		"--- a/x.rs\n",
		"+++ b/x.rs\n",
		"@@ -1,2 +1,3 @@\n",
		"+#[test]\n",
		"-x\n",
		" y\n",
		"\\ No newline\n",
		"@@ ",
		"+++ b/",
	],
	run: (text) => {
		// The sources of a few files: each would be as long as the whole diff.
		for (const [n, file] of filesOfDiff(text).entries()) testsBeside(file, n < 3 ? text : "", n < 3 ? text : "");
	},
};

const RUST = [
	"#[cfg(test)]\n",
	"mod tests {\n",
	"}\n",
	"fn a() {",
	"todo!()",
	"#[test]\n",
	"/*",
	"*/",
	"//",
	'r#"',
	'"#',
	"'a'",
	"'a ",
	"b'\\''",
	"macro_rules! m {",
	"impl X for Y {",
	"pub fn b<T>(x: &'a str) -> ",
	"{",
	"unimplemented!()",
	"where T: ",
];

const rust: Target = {
	name: "rust",
	readers: 13,
	words: RUST,
	run: (text) => {
		const { code } = mask(text);
		assert.equal(code.length, text.length, "positions stay");
		bodiesOf(text);
		notStubs(text, text);
		linesInsideTestModules(text);
		assert.equal(outsideTestModules(text, text), null, "nothing changed");
		assert.equal(changedTest("src/a.rs", text, text), null);
	},
};

const tests: Target = {
	name: "tests",
	readers: 8,
	words: ["def test_a():\n", "class TestA:\n", "    ", "func TestA(", "if (import.meta.vitest) {\n", "async def test_b", "\t"],
	run: (text) => {
		for (const path of ["a.py", "a_test.go", "a.ts", "a.mjs", "a.md"]) assert.equal(changedTest(path, text, text), null, "nothing changed");
	},
};

const output: Target = {
	name: "test-output",
	readers: 5,
	words: [
		"SyntaxError: x\n",
		"    at wrapSafe",
		"ERR_MODULE_NOT_FOUND",
		"error TS2304: Cannot find name 'x'.\n",
		"a.ts(1,2): error TS2307: Cannot find module './a'\n",
		"error[E0425]: cannot find value `x`\n",
		"error: could not compile `a`\n",
		"a.go:1:2: undefined: X\n",
		"ModuleNotFoundError: No module named 'a'\n",
		'  File "a.py", line 1\n',
		"IndentationError: ",
		"E   ",
		"# ",
		"\u001b[31m",
		"running 2 tests\n",
		"test a::b ... ok\n",
		"test c ... FAILED\n",
		"---- c stdout ----\n",
		"thread 'c' panicked at src/a.rs:1:2:\nnot yet implemented\n",
		"test result: FAILED. 1 passed; 1 failed; 0 ignored;\n",
		"failures:\n",
		": x undefined (type T has no field or method y)",
	],
	run: (text) => {
		whyNotRun({ command: "npm test", exitCode: 1, output: text }, () => false);
		whyNotRun({ command: "npm test", exitCode: 1, output: text }, () => true);
		panicCoverage(text);
	},
};

const command: Target = {
	name: "command",
	readers: 2,
	words: ["'", '"', "\\", "$(", "`", "&&", "|", ">", "A=1 ", "nix develop ", "npm test", "*", "~/", "\n"],
	run: (text) => {
		commandProblem(text, ["npm test"]);
		wrappedCommand(text);
	},
};

/** An issue of a forge, and a query: neither ends its own quotation, grows without bounds, or gives a story that could not be worked on. */
const forgeIssue: Target = {
	name: "forge-issue",
	readers: 3,
	words: [
		"<!--",
		"-->",
		"</issue_text>",
		"<issue_text_2>",
		"- [ ] ",
		"Depends on #3",
		"```\n",
		"\u202e",
		"label:",
		'milestone:"',
		"ghp_0123456789012345678901234567890123456789",
	],
	run: (text) => {
		const issue = { number: 7, title: text, text, url: "", author: text, isOpen: true, comments: [{ author: text, text }] };
		const story = issueStory(issue, 1, [3, 7]);
		assert.ok(Buffer.byteLength(story.description) < 40_000 && story.criteria.length <= 30 && !/[\r\n]/.test(story.title));
		assert.ok(story.dependsOn.every((id) => id === "ISSUE-3"));
		const name = /<(issue_text(?:_\d+)?)>\n/.exec(story.description)?.[1];
		if (name !== undefined) assert.equal(story.description.split(`</${name}>`).length, 2, "one end of the quotation");
		const query = readQuery(text);
		assert.ok("problem" in query || query.labels.every((label) => label !== ""));
		projectOf(text);
		isNetworkTrouble(text);
	},
};

export const issues: readonly Target[] = [forgeIssue, issue, listing, spec, diff, rust, tests, output, command];
