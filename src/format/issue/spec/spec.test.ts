// Specs as agents write them, well and badly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hygieneProblems } from "./hygiene.ts";
import { pathProblem, readTask } from "./task.ts";

const TASK = `# Task 1: part 1 of the sums

Part 1 makes its criteria hold.

## Acceptance criteria
- \`sum(2, 3)\` gives 5
- [ ] \`sum(-1, 1)\`
  gives 0

## Files
src/sum.mjs

## Code context
src/sum.mjs exports \`sum\`.

## Integration contracts
None.

## Test design
Compare results for small integers.

## Test command
node --test

New symbols: no
`;

test("a task's spec is read", () => {
	assert.deepEqual(readTask(TASK), {
		title: "Task 1: part 1 of the sums",
		description: "Part 1 makes its criteria hold.",
		files: ["src/sum.mjs"],
		testCommand: "node --test",
		newSymbols: false,
		dependsOn: [],
		criteria: ["`sum(2, 3)` gives 5", "`sum(-1, 1)` gives 0"],
		codeContext: "src/sum.mjs exports `sum`.",
		contracts: "None.",
		testDesign: "Compare results for small integers.",
		problems: [],
	});
	assert.deepEqual(readTask(TASK.replaceAll("\n", "\r\n")).files, ["src/sum.mjs"]);
});

test("in a task's spec bullets, backticks, fences, remarks and bold are fine", () => {
	const text = `# T

## Files to change:

- \`src/a.ts\` (new)
* ./src/b.ts: the parser
1. src/c/**/*.rs — all of them
- [ ] **src/d.ts**
\`\`\`text
src/e.ts
src/a.ts
\`\`\`

## Test command

\`\`\`sh
$ cargo test --lib
\`\`\`

**New symbols:** Yes, two
`;
	const task = readTask(text);
	assert.deepEqual(
		[task.files, task.testCommand, task.newSymbols, task.problems],
		[["src/a.ts", "src/b.ts", "src/c/**/*.rs", "src/d.ts", "src/e.ts"], "cargo test --lib", true, []],
	);
	const remarks = "## Files\nOnly these may change:\n- `a.ts`, b/c.ts\n  - add the parser there\n- Makefile\n";
	assert.deepEqual([readTask(remarks).files, readTask(remarks).problems], [["a.ts", "b/c.ts", "Makefile"], []]);
	assert.equal(readTask("## Files\na.ts and b.ts\n").problems.length, 1);
	assert.equal(readTask("## Test command\n- `npm test`\n").testCommand, "npm test");
	assert.equal(readTask("## New symbols\nyes\n").newSymbols, true);
	assert.equal(readTask("```\nNew symbols: yes\n```\n").newSymbols, null);
});

test("in a task's spec paths that lead elsewhere, several commands and contradictions are problems with their lines", () => {
	const bad = [
		"/etc/passwd",
		"../x",
		"src/../../x",
		"~/x",
		"C:\\x",
		"a\\b",
		".git/config",
		"sub/.git/hooks/x",
		"**",
		"*",
		"src/{a,../../b}",
		"two words",
		"",
	];
	for (const path of bad) assert.notEqual(pathProblem(path), null, path);
	for (const path of ["src/a.ts", "src/**", "*.md", ".github/x.yml", "a..b/c", "src/[id].ts"]) assert.equal(pathProblem(path), null, path);
	const text = "# T\n\n## Files\n- /etc/passwd\n- ok.ts\n\n## Test command\na\nb\n\nNew symbols: yes\nNew symbols: no\n";
	assert.deepEqual(readTask(text).problems, [
		{ line: 4, text: '"- /etc/passwd" under ## Files is absolute; paths are relative to the worktree' },
		{ line: 9, text: "there is more than one line under ## Test command" },
		{ line: 12, text: "`New symbols` is said to be both yes and no" },
	]);
	assert.deepEqual([readTask(text).files, readTask(text).testCommand, readTask(text).newSymbols], [["ok.ts"], null, null]);
	assert.deepEqual(readTask("# T\n").problems, [{ line: 0, text: "there is no file under ## Files" }]);
	assert.deepEqual(readTask(""), { ...readTask(""), title: "", files: [], testCommand: null, newSymbols: null, criteria: [] });
});

test("O-15: traces of thinking, open questions and what only the writer knows are found with their lines", () => {
	const cases: readonly (readonly [string, string])[] = [
		["First use a map. Let me reconsider: a list is better.", "thinking aloud"],
		["Actually, a list.", "thinking aloud"],
		["- Wait, that is wrong.", "thinking aloud"],
		["We take the list… hmm, no.", "thinking aloud"],
		["On second thought the map stays.", "thinking aloud"],
		["The limit is TBD.", "left open"],
		["TODO: decide on a name", "left open"],
		["The name is to be determined.", "left open"],
		["Call it <insert name>.", "left open"],
		["Do it as discussed.", "only the writer knows it"],
		["See the conversation for details.", "only the writer knows it"],
		["Read plan.md first.", "a relative path"],
		["See `.workflow/run-GAL-39/task-2.md`.", "a relative path"],
		["See ./task-fix-1.md.", "a relative path"],
	];
	for (const [line, why] of cases) {
		const [first, ...more] = hygieneProblems(`# Plan\n\n${line}\n`);
		assert.ok(first?.text.startsWith(why) && first.line === 3, `${line}: ${JSON.stringify(first)}`);
		assert.ok(
			more.every(({ text }) => text.startsWith(why)),
			line,
		);
	}
});

test("O-15: the same heading twice and empty sections are found; sub-sections under different headings are not", () => {
	const text = "# Plan\n\n## Goal\nadd\n\n## Approach\n\n## Goal\nsubtract\n\n## Tests\n### One\nx\n### Two\ny\n\n## More\n### One\nx\n";
	assert.deepEqual(hygieneProblems(text), [
		{ line: 6, text: 'an empty section: "Approach"' },
		{ line: 8, text: 'two sections with one title and different text: "Goal" (also in line 3)' },
	]);
	assert.match(hygieneProblems("# P\n\n## A\nx\n\n## A\nx\n")[0]?.text ?? "", /^the same section twice/);
});

test("O-15: ordinary prose, code and absolute paths are left alone", () => {
	const fine = [
		TASK,
		"# Plan\n\nThe workers wait, then actually, in the end, all of them stop.",
		"# Plan\n\nEdit TODO/GAL-39.md and replace `todo!()`; print `TBD` for a missing date.",
		"# Plan\n\n```\n// wait, TODO: x, see plan.md\n```",
		"# Plan\n\nThe plan is in /home/me/wt/.workflow/run-GAL-39/plan.md, the task in `/x/.workflow/run-GAL-39/task-1.md`.",
		"# Plan\n\nThe todo list has a TODO column. It waits until the actual value is there. Wait for the lock.",
		"# Plan\n\nfloorplan.md and docs/plan.md stay.",
	];
	for (const text of fine) assert.deepEqual(hygieneProblems(text), [], text);
});

test("T-53 `Depends on:` is the only source of dependencies", () => {
	const depends = (line: string) => readTask(TASK.replace("New symbols: no", `${line}\n\nNew symbols: no`));
	assert.deepEqual(depends("Depends on: none").dependsOn, []);
	assert.deepEqual(depends("**Depends on:** task 2, task-3 and 4.").dependsOn, [2, 3, 4]);
	assert.deepEqual(readTask(TASK.replace("None.", "Needs task 2.")).dependsOn, []);
	assert.deepEqual(
		depends("Depends on: the parser").problems.map(({ text }) => text),
		["`Depends on: the parser` names something else than tasks (`task 2, task 3` or `none`)"],
	);
	assert.equal(depends("Depends on: task 2\nDepends on: none").problems.length, 1);
});
