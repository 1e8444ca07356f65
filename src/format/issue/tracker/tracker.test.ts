// Issues that change: a folder before, the files after.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fine, folder, git, issueText, lineOf, part, problemOf, read, readmeText, usual } from "./scratch-tracker.suite.ts";
import { addComment, fileIssues, listIssues, newIssue, readIssue, runnable, setStatus, tickCriteria, waitsFor } from "./tracker.ts";

test("O-20 O-21: an issue's file says status, parent, labels, dependencies and criteria, however its YAML is written", () => {
	const text = `---
status: "In Progress"
label: bug
labels:
  - tech-debt
  - 'two words'
depends-on:
  - GAL-1 # first
  - "GAL-2"
parent: GAL-3
---
# GAL-7: A title

- [x] done
- [ ] open

\`\`\`
- [ ] text in a fence
\`\`\`

## Sub-issues
- [ ] GAL-9
`;
	const dir = folder({ "GAL-7.md": text });
	const issue = fine(readIssue(dir, "GAL-7"));
	assert.deepEqual([issue.title, issue.status, issue.parent], ["A title", "In Progress", "GAL-3"]);
	assert.deepEqual(
		[issue.labels, issue.dependsOn],
		[
			["tech-debt", "two words", "bug"],
			["GAL-1", "GAL-2"],
		],
	);
	assert.deepEqual(
		issue.criteria.map((c) => [c.text, c.done, text.split("\n")[c.line - 1]]),
		[
			["done", true, "- [x] done"],
			["open", false, "- [ ] open"],
		],
	);
	for (const [status, wanted] of [
		["Todo", "Todo"],
		["Done", "Done"],
		["done", null],
		["Doing", null],
		["", null],
	] as const) {
		writeFileSync(join(dir, "GAL-8.md"), `---\nstatus: ${status}\n---\n`);
		assert.equal(fine(readIssue(dir, "GAL-8")).status, wanted, status);
	}
});

test("O-20 O-26: a status goes into the issue, the README and the parent's list, and nothing else changes", async () => {
	const dir = usual();
	writeFileSync(join(dir, "GAL-38.md"), issueText("GAL-38", { parent: "GAL-39" }));
	writeFileSync(
		join(dir, "GAL-39.md"),
		`${issueText("GAL-39")}\nMine: see below.\n\n- GAL-38 by hand (Todo), from Done to Done? <!-- x -->\n\n## After\n\ntext\n`,
	);
	const before = read(dir, "GAL-38.md");
	fine(await setStatus(dir, "GAL-38", "In Progress"));
	assert.equal(read(dir, "GAL-38.md"), before.replace("status: Todo   #", "status: In Progress   #"));
	assert.equal(read(dir, "README.md"), readmeText("GAL-38", "GAL-39").replace("Add GAL-38, Todo", "Add GAL-38, In Progress"));
	const parent = read(dir, "GAL-39.md");
	assert.match(parent, /Mine: see below\./);
	assert.match(parent, /^- GAL-38 by hand \(In Progress\), from Done to Done\? <!-- x -->$/m);
	assert.match(parent, /## After\n\ntext\n$/);
	assert.match(parent, /hand-written-4711/);
	assert.equal(
		parent,
		`${issueText("GAL-39")}\nMine: see below.\n\n- GAL-38 by hand (In Progress), from Done to Done? <!-- x -->\n\n## After\n\ntext\n`,
	);
	fine(await setStatus(dir, "GAL-38", "Done"));
	assert.equal(fine(readIssue(dir, "GAL-38")).status, "Done");
	assert.match(lineOf(read(dir, "README.md"), "GAL-38"), /, Done$/);
	assert.match(lineOf(read(dir, "README.md"), "GAL-39"), /, Todo$/);
});

test("O-26: words of a title are not a status; tables, boxes and lines in fences are understood", async () => {
	const dir = folder({
		"A-1.md": "---\ntitle: Mark Done things Todo\nstatus: Todo\n---\n",
		"README.md":
			"# TODO\n\n- [ ] A-1 [Todo] Mark Done things Todo\n\n| A-1 | Todo | x |\n|---|---|---|\n\n- A-2 after A-1, Todo\n\n```\n- A-1, Todo\n```\n- A-10, Todo\n",
	});
	fine(await setStatus(dir, "A-1", "Done"));
	assert.equal(
		read(dir, "README.md"),
		"# TODO\n\n- [x] A-1 [Done] Mark Done things Todo\n\n| A-1 | Done | x |\n|---|---|---|\n\n- A-2 after A-1, Todo\n\n```\n- A-1, Todo\n```\n- A-10, Todo\n",
	);
});

test("O-21 O-26: CRLF, a BOM, quotes and a missing or empty status survive an edit", async () => {
	const cases = [
		["\uFEFF---\r\nstatus: Todo\r\ntitle: x\r\n---\r\nbody\r\n", "\uFEFF---\r\nstatus: Done\r\ntitle: x\r\n---\r\nbody\r\n"],
		["---\nstatus: 'In Progress' # c\n---\n", "---\nstatus: 'Done' # c\n---\n"],
		['---\n"status": "Todo"\n---\n', '---\n"status": "Done"\n---\n'],
		["---\ntitle: x\nstatus:\nparent: A-9\n---\nstatus: Todo\n", "---\ntitle: x\nstatus: Done\nparent: A-9\n---\nstatus: Todo\n"],
		["---\ntitle: x\n---\n", "---\nstatus: Done\ntitle: x\n---\n"],
		["---\n---\nbody", "---\nstatus: Done\n---\nbody"],
	];
	for (const [before = "", wanted] of cases) {
		const dir = folder({ "A-1.md": before });
		fine(await setStatus(dir, "A-1", "Done"));
		assert.equal(read(dir, "A-1.md"), wanted);
	}
});

test("O-21: criteria are ticked by their texts, or all of them; a second time changes nothing", async () => {
	const dir = usual();
	fine(await tickCriteria(dir, "GAL-38", ["one is 1.", "something else"]));
	assert.deepEqual(
		fine(readIssue(dir, "GAL-38")).criteria.map((c) => c.done),
		[true, false],
	);
	fine(await tickCriteria(dir, "GAL-38", "all"));
	const text = read(dir, "GAL-38.md");
	assert.equal(text, issueText("GAL-38").replaceAll("- [ ]", "- [x]"));
	fine(await tickCriteria(dir, "GAL-38", "all"));
	assert.equal(read(dir, "GAL-38.md"), text);
});

test("O-21: a comment is quoted, whatever it says, and is there once", async () => {
	const dir = usual();
	const nasty = "## Sub-issues\n- GAL-1\n- [ ] a box\n---\nstatus: Done";
	fine(await addComment(dir, "GAL-39", nasty, 0));
	fine(await addComment(dir, "GAL-39", nasty, 0));
	fine(await addComment(dir, "GAL-39", "again", 1000));
	const issue = fine(readIssue(dir, "GAL-39"));
	assert.equal(issue.text.split("### 1970").length, 3);
	assert.match(issue.text, /## Comments\n\n### 1970-01-01T00:00:00.000Z\n\n> ## Sub-issues\n> - GAL-1\n/);
	assert.match(issue.text, /### 1970-01-01T00:00:01.000Z\n\n> again\n$/);
	assert.deepEqual([issue.status, issue.criteria.length], ["Todo", 2]);
});

test("O-21: ids, links, folders and sizes that are not right are refused, and nothing outside is touched", async () => {
	const dir = usual();
	const outside = join(dir, "..", "secret.md");
	writeFileSync(outside, issueText("GAL-60"));
	symlinkSync(outside, join(dir, "GAL-60.md"));
	mkdirSync(join(dir, "GAL-61.md"));
	writeFileSync(join(dir, "GAL-62.md"), `---\nstatus: Todo\n---\n${"x".repeat(1024 * 1024)}`);
	writeFileSync(join(dir, "GAL-63.md"), "---\nstatus: &a Todo\nparent: *a\n---\n");
	writeFileSync(join(dir, "GAL-64.md"), "---\nstatus: Todo\nstatus: Done\n---\n");
	writeFileSync(join(dir, "GAL-65.md"), "no front matter");
	for (const [id, why] of [
		["../secret", "not an issue id"],
		["GAL", "not an issue id"],
		["GAL-1/../../x-1", "not an issue id"],
		["GAL-60", "symbolic link"],
		["GAL-61", "not a regular file"],
		["GAL-62", "at most 1048576 are read"],
		["GAL-63", "another place"],
		["GAL-64", "front matter cannot be read"],
		["GAL-65", "no front matter"],
		["GAL-99", "there is no TODO/GAL-99.md"],
	] as const) {
		assert.ok(problemOf(readIssue(dir, id)).includes(why), `${id}: ${problemOf(readIssue(dir, id))}`);
		assert.notEqual(problemOf(await setStatus(dir, id, "Done")), "no problem", id);
	}
	assert.equal(readFileSync(outside, "utf8"), issueText("GAL-60"));
	assert.equal(fine(listIssues(dir)).problems.length, 6);
	const linked = join(dir, "..", "linked");
	symlinkSync(dir, linked);
	assert.match(problemOf(listIssues(linked)), /is no folder/);
});

test("O-26: where the README cannot be changed, nothing is", async () => {
	const dir = usual();
	rmSync(join(dir, "README.md"));
	symlinkSync(join(dir, "..", "elsewhere"), join(dir, "README.md"));
	assert.match(problemOf(await setStatus(dir, "GAL-38", "Done")), /README\.md: it is a symbolic link/);
	assert.match(problemOf(await fileIssues(dir, { parent: "GAL-39", run: "r", issues: [part(2)] })), /symbolic link/);
	assert.match(problemOf(await newIssue(dir, { title: "x", labels: [], dependsOn: [], body: () => "" })), /symbolic link/);
	assert.equal(git(join(dir, ".."), "status", "--porcelain", "--", "TODO/*.md", ":!TODO/README.md"), "");
});

test("O-19: a folder without a README gets one by categories with its first change", async () => {
	const dir = folder({
		"B-1.md": "---\nstatus: Done\ncategory: Core\n---\n# B-1: first\n",
		"B-2.md": "---\nstatus: Todo\nparent: B-1\n---\n# second\n",
		"B-3.md": "---\nstatus: Todo\n---\n# third\n",
	});
	fine(await setStatus(dir, "B-3", "In Progress"));
	assert.equal(
		read(dir, "README.md"),
		"# TODO\n\n## Core\n\n- [B-1](B-1.md): first, Done\n  - [B-2](B-2.md): second, Todo\n\n## Other\n\n- [B-3](B-3.md): third, In Progress\n",
	);
});

test("X-32: what can run now is Todo with all its dependencies Done", () => {
	const dir = folder({
		"A-1.md": "---\nstatus: Done\n---\n",
		"A-2.md": "---\nstatus: Todo\ndepends-on: [A-1]\n---\n",
		"A-3.md": "---\nstatus: Todo\ndepends-on: [A-1, A-2]\n---\n",
		"A-4.md": "---\nstatus: Todo\ndepends-on: [A-99]\n---\n",
		"A-5.md": "---\nstatus: In Progress\n---\n",
		"A-10.md": "---\nstatus: Todo\n---\n",
	});
	const { issues } = fine(listIssues(dir));
	assert.deepEqual(
		runnable(issues).map((issue) => issue.id),
		["A-2", "A-10"],
	);
	assert.deepEqual(
		issues.map((issue) => waitsFor(issue, issues)),
		[[], [], ["A-2"], ["A-99"], [], []],
	);
});
