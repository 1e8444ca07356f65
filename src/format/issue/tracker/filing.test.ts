// Issues that are filed, filed again and withdrawn, and the numbers that they get.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fine, git, issueText, lineOf, made, part, problemOf, read, usual } from "./scratch-tracker.suite.ts";
import { fileIssues, listIssues, newIssue, readIssue, setStatus, withdrawIssues } from "./tracker.ts";

test("O-19 O-22 O-23: filed sub-issues are self-contained, in the README and in the parent's list", async () => {
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

test("O-24 O-52: filing again updates issues, withdraws unwanted ones, and leaves those that somebody started", async () => {
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

test("O-24: removes what a killed process left half written, and leaves no file of ours", async () => {
	const dir = usual();
	writeFileSync(join(dir, ".pawl-0000-dead.tmp"), "half");
	fine(await newIssue(dir, { title: "x", labels: [], dependsOn: [], body: () => "" }));
	assert.deepEqual(readdirSync(dir).sort(), ["GAL-38.md", "GAL-39.md", "GAL-40.md", "README.md"]);
});

test("O-24: a filing waits for the process that holds the lock, and continues when that one is killed", async () => {
	const dir = usual();
	const child = spawn(process.execPath, [join(import.meta.dirname, "holder.child.ts"), dir], { stdio: ["pipe", "pipe", "inherit"] });
	const ended = once(child, "close");
	await once(child.stdout, "data");
	let filed = false;
	const filing = newIssue(dir, { title: "x", labels: [], dependsOn: [], body: () => "" }).then((issue) => {
		filed = true;
		return issue;
	});
	// Looking needs no lock, and what it looks at is not there yet: as often as it takes to see that nobody got past the lock.
	for (let i = 0; i < 20; i++) await new Promise(setImmediate);
	assert.equal(filed, false);
	child.kill("SIGKILL");
	await ended;
	assert.equal(fine(await filing).id, "GAL-40");
});
