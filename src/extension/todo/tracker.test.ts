// The tracker from outside: a folder with issues before, the files after.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { seedBody } from "./seed-body.ts";
import {
	addComment,
	fileIssues,
	listIssues,
	newIssue,
	readIssue,
	runnable,
	setStatus,
	tickCriteria,
	waitsFor,
	withdrawIssues,
} from "./tracker.ts";

const made: string[] = [];
after(() => {
	for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const issueText = (id: string, { status = "Todo", depends = "", parent = "", more = "" } = {}) => `---
id: ${id}
# a person's own remark
title: 'Add ${id}'
status: ${status}   # keep this
parent: ${parent}
labels: [feature]
depends-on: [${depends}]
---

# ${id}: Add

hand-written-4711

## Acceptance criteria

- [ ] \`one\` is 1
- [ ] two is 2
${more}
## Sub-issues
`;

const readmeText = (...ids: string[]) =>
	`# TODO\n\n## Core\n\n${ids.map((id) => `- [${id}](${id}.md): Add ${id}, Todo`).join("\n")}\n\n## Later\n\nnothing\n`;

/** A repository with these files in TODO/, committed; the TODO folder. */
function folder(files: Readonly<Record<string, string>>): string {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-todo-")));
	made.push(root);
	git(root, "init", "-q", "-b", "main");
	git(root, "config", "user.name", "Test");
	git(root, "config", "user.email", "test@example.invalid");
	const dir = join(root, "TODO");
	mkdirSync(dir);
	for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
	git(root, "add", "-A");
	git(root, "commit", "-q", "--allow-empty", "-m", "start");
	return dir;
}

const usual = () =>
	folder({
		"README.md": readmeText("GAL-38", "GAL-39"),
		"GAL-38.md": issueText("GAL-38"),
		"GAL-39.md": issueText("GAL-39", { depends: "GAL-38" }),
	});
const read = (dir: string, name: string) => readFileSync(join(dir, name), "utf8");
const lineOf = (text: string, id: string) => text.split("\n").find((line) => line.includes(id)) ?? "no line";

/** The value, or a failed test. */
function fine<T>(result: T): Exclude<T, { readonly problem: string }> {
	assert.ok(!(typeof result === "object" && result !== null && "problem" in result), JSON.stringify(result));
	return result as Exclude<T, { readonly problem: string }>;
}
const problemOf = (result: unknown): string =>
	typeof result === "object" && result !== null && "problem" in result ? String(result.problem) : "no problem";

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

test("O-26: the words of a title are no status; tables, boxes and lines in fences are understood", async () => {
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

const seed = (n: number) =>
	seedBody({
		description: `Do part ${n}.\n\n## Sneaky heading`,
		criteria: [`part ${n} works`],
		codeContext: `src/part${n}.ts`,
		contracts: "uses part 1",
		plan: "# Plan\n\nthe slice",
		testDesign: "call it",
		branch: "feature/gal-39",
		parent: "GAL-39",
	});
const part = (n: number, dependsOn: readonly string[] = []) => ({
	key: `task-${n}`,
	title: `Part ${n}: more`,
	label: "split-from-run" as const,
	dependsOn,
	body: seed(n),
});

test("O-19 O-22 O-23: filed sub-issues stand on their own, in the README and in the parent's list", async () => {
	const dir = usual();
	const filed = fine(await fileIssues(dir, { parent: "GAL-39", run: "run-1", issues: [part(2), part(3, ["task-2", "GAL-38"])] }));
	assert.deepEqual(filed, { ids: { "task-2": "GAL-40", "task-3": "GAL-41" }, created: ["GAL-40", "GAL-41"], updated: [], withdrawn: [] });
	const issue = fine(readIssue(dir, "GAL-41"));
	assert.deepEqual(
		[issue.title, issue.status, issue.parent, issue.labels, issue.dependsOn],
		["Part 3: more", "Todo", "GAL-39", ["split-from-run"], ["GAL-40", "GAL-38"]],
	);
	for (const piece of [
		"Do part 3.",
		"- [ ] part 3 works",
		"src/part3.ts",
		"uses part 1",
		"the slice",
		"call it",
		"Discovered during run on `feature/gal-39` for parent issue `GAL-39`.",
	])
		assert.ok(issue.body.includes(piece), piece);
	assert.deepEqual(
		issue.criteria.map((c) => c.text),
		["part 3 works"],
	);
	assert.match(
		read(dir, "README.md"),
		/Add GAL-39, Todo\n {2}- \[GAL-40\]\(GAL-40\.md\): Part 2: more, Todo\n {2}- \[GAL-41\]\(GAL-41\.md\): Part 3: more, Todo\n\n## Later/,
	);
	assert.match(
		read(dir, "GAL-39.md"),
		/## Sub-issues\n\n- \[GAL-40\]\(GAL-40\.md\): Part 2: more, Todo\n {2}- ↳ \[GAL-41\]\(GAL-41\.md\): Part 3: more, Todo\n$/,
	);
	fine(await setStatus(dir, "GAL-41", "Done"));
	assert.match(read(dir, "GAL-39.md"), /↳ \[GAL-41\]\(GAL-41\.md\): Part 3: more, Done\n$/);
	assert.match(lineOf(read(dir, "README.md"), "GAL-41"), /Done$/);
});

test("O-22: each of the four labels is filed as such; a key or dependency that is none is refused and nothing is written", async () => {
	const dir = usual();
	const labels = ["bug", "followup", "tech-debt", "split-from-run"] as const;
	const issues = labels.map((label) => ({ key: label, title: label, label, dependsOn: [], body: "text" }));
	const { ids } = fine(await fileIssues(dir, { parent: "GAL-39", run: "r", issues }));
	assert.deepEqual(
		labels.map((label) => fine(readIssue(dir, ids[label] ?? "")).labels),
		labels.map((label) => [label]),
	);
	const before = readdirSync(dir);
	const refused = async (more: object) =>
		problemOf(await fileIssues(dir, { parent: "GAL-39", run: "r", issues: [{ ...part(9), ...more }] }));
	assert.match(await refused({ dependsOn: ["../x"] }), /neither an issue's id nor a key/);
	assert.match(await refused({ key: "a b" }), /is no key/);
	assert.match(problemOf(await fileIssues(dir, { parent: "GAL-77", run: "r", issues: [part(9)] })), /no TODO\/GAL-77\.md/);
	assert.deepEqual(readdirSync(dir), before);
});

test("O-25: a chain of three is listed in its order, each below what it waits for; hand-written entries stay", async () => {
	const dir = usual();
	writeFileSync(join(dir, "GAL-39.md"), issueText("GAL-39").replace(/\n$/, "\n\nNone yet.\n- GAL-38: an old one\n  with a note of mine\n"));
	fine(
		await fileIssues(dir, {
			parent: "GAL-39",
			run: "r",
			issues: [part(4, ["task-3"]), part(3, ["task-2"]), part(2), part(5, ["task-4", "task-2"])],
		}),
	);
	const { ids } = fine(
		await fileIssues(dir, {
			parent: "GAL-39",
			run: "r",
			issues: [part(4, ["task-3"]), part(3, ["task-2"]), part(2), part(5, ["task-4", "task-2"])],
		}),
	);
	assert.deepEqual(ids, { "task-4": "GAL-40", "task-3": "GAL-41", "task-2": "GAL-42", "task-5": "GAL-43" });
	assert.equal(
		read(dir, "GAL-39.md").split("## Sub-issues\n")[1],
		`
- GAL-38: an old one, Todo
  with a note of mine
- [GAL-42](GAL-42.md): Part 2: more, Todo
  - ↳ [GAL-41](GAL-41.md): Part 3: more, Todo
    - ↳ [GAL-40](GAL-40.md): Part 4: more, Todo
      - ↳ [GAL-43](GAL-43.md): Part 5: more, Todo
`,
	);
});

test("O-24 O-52: filing again updates, withdraws what is not wanted, and leaves alone what somebody took up", async () => {
	const dir = usual();
	const file = (...issues: ReturnType<typeof part>[]) => fileIssues(dir, { parent: "GAL-39", run: "run-1", issues, replaces: "task-" });
	fine(await file(part(2), part(3), part(4)));
	fine(await fileIssues(dir, { parent: "GAL-39", run: "run-1", issues: [{ ...part(9), key: "finding-9" }] }));
	fine(await fileIssues(dir, { parent: "GAL-39", run: "run-2", issues: [part(2)] }));
	fine(await setStatus(dir, "GAL-42", "In Progress"));
	const again = fine(await file({ ...part(2), title: "Part 2, anew" }));
	assert.deepEqual(again, { ids: { "task-2": "GAL-40" }, created: [], updated: ["GAL-40"], withdrawn: ["GAL-41"] });
	assert.equal(fine(readIssue(dir, "GAL-40")).title, "Part 2, anew");
	assert.equal(existsSync(join(dir, "GAL-41.md")), false);
	assert.equal(read(dir, "README.md").includes("GAL-41"), false);
	assert.equal(read(dir, "GAL-39.md").includes("GAL-41"), false);
	for (const id of ["GAL-42", "GAL-43", "GAL-44"]) assert.ok(existsSync(join(dir, `${id}.md`)), id);
	const gone = fine(await withdrawIssues(dir, "run-1"));
	assert.deepEqual(gone.ids, ["GAL-40", "GAL-43"]);
	assert.deepEqual(
		fine(listIssues(dir)).issues.map((issue) => issue.id),
		["GAL-38", "GAL-39", "GAL-42", "GAL-44"],
	);
});

test("O-24: the next number is above all that worktrees and branches have; a file that is there is never overwritten", async () => {
	const dir = usual();
	const root = join(dir, "..");
	git(root, "checkout", "-q", "-b", "other");
	writeFileSync(join(dir, "GAL-50.md"), issueText("GAL-50"));
	writeFileSync(join(dir, "GALA-900.md"), issueText("GALA-900"));
	git(root, "add", "-A");
	git(root, "commit", "-q", "-m", "on a branch");
	git(root, "checkout", "-q", "main");
	const tree = `${root}-tree`;
	made.push(tree);
	git(root, "worktree", "add", "-q", "-b", "third", tree, "main");
	const request = { title: "new", labels: [], dependsOn: [], body: () => "text" };
	const issue = fine(await newIssue(join(tree, "TODO"), request));
	assert.equal(issue.id, "GAL-51", "above the branch");
	assert.equal(fine(await newIssue(dir, request)).id, "GAL-52", "above a file that another worktree has not committed");
	assert.equal(fine(await newIssue(dir, { ...request, prefix: "NEW" })).id, "NEW-1");
	symlinkSync("/nowhere", join(dir, "GAL-53.md"));
	assert.equal(fine(await newIssue(dir, request)).id, "GAL-54", "a link counts as taken");
});

test("O-24: many filings at once in two worktrees get numbers of their own", async () => {
	const dir = usual();
	const root = join(dir, "..");
	const tree = `${root}-tree`;
	made.push(tree);
	git(root, "worktree", "add", "-q", "-b", "second", tree, "main");
	const filings = await Promise.all(
		[dir, join(tree, "TODO")].flatMap((where, w) =>
			[1, 2, 3].map((n) => fileIssues(where, { parent: "GAL-39", run: `run-${w}-${n}`, issues: [part(2), part(3)] })),
		),
	);
	const ids = filings.flatMap((filed) => Object.values(fine(filed).ids));
	assert.equal(new Set(ids).size, 12);
	assert.deepEqual(
		[...ids].sort(),
		Array.from({ length: 12 }, (_, i) => `GAL-${40 + i}`),
	);
	for (const where of [dir, join(tree, "TODO")]) {
		const own = readdirSync(where).filter((name) => /GAL-(4|5)\d/.test(name));
		assert.equal(own.length, 6);
		for (const name of own) assert.ok(read(where, "README.md").includes(name) && read(where, "GAL-39.md").includes(name), name);
	}
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
		["../secret", "no issue id"],
		["GAL", "no issue id"],
		["GAL-1/../../x-1", "no issue id"],
		["GAL-60", "symbolic link"],
		["GAL-61", "no regular file"],
		["GAL-62", "more than"],
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
	assert.match(problemOf(await setStatus(dir, "GAL-38", "Done")), /README\.md is a symbolic link/);
	assert.match(problemOf(await fileIssues(dir, { parent: "GAL-39", run: "r", issues: [part(2)] })), /symbolic link/);
	assert.match(problemOf(await newIssue(dir, { title: "x", labels: [], dependsOn: [], body: () => "" })), /symbolic link/);
	assert.equal(git(join(dir, ".."), "status", "--porcelain", "--", "TODO/*.md", ":!TODO/README.md"), "");
});

test("O-24: what a killed process left half written is taken away, and no file of ours stays behind", async () => {
	const dir = usual();
	writeFileSync(join(dir, ".pawl-0000-dead.tmp"), "half");
	fine(await newIssue(dir, { title: "x", labels: [], dependsOn: [], body: () => "" }));
	assert.deepEqual(readdirSync(dir).sort(), ["GAL-38.md", "GAL-39.md", "GAL-40.md", "README.md"]);
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
