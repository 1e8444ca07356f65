// Folding what a run committed on the way into the commits that it delivers, and reading files as they were.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchRepository } from "./scratch-repository.suite.ts";

test("O-75 folds everything since a commit into one; left-out files stay in a commit after it", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const start = s.git(["rev-parse", "HEAD"]);
	s.write("TODO/x.md", "todo\n");
	await tree.commitAll("pawl: one\n");
	s.write("a.txt", "changed\n");
	rmSync(join(s.root, "b.txt"));
	await tree.commitAll("pawl: two\n");
	s.write("TODO/x.md", "todo, and more\n");
	s.write("new.txt", "not committed\n");
	const code = await tree.fold({ onto: start, message: "feat: code\n", leave: ["TODO"] });
	assert.deepEqual(s.git(["log", "--format=%s", `${start}..HEAD`]).split("\n"), ["pawl: left out (TODO)", "feat: code"]);
	assert.deepEqual(s.git(["show", "--name-only", "--format=", code ?? ""]).split("\n"), ["a.txt", "b.txt", "new.txt"]);
	assert.equal(s.status(), "");
	const todo = await tree.fold({ onto: code ?? "", message: "chore(todo): x\n" });
	assert.deepEqual(s.git(["log", "--format=%s", `${start}..HEAD`]).split("\n"), ["chore(todo): x", "feat: code"]);
	assert.deepEqual(s.git(["show", "--name-only", "--format=", todo ?? ""]).split("\n"), ["TODO/x.md"]);
	assert.equal(s.read("TODO/x.md"), "todo, and more\n");
	assert.equal(await tree.fold({ onto: todo ?? "", message: "nothing\n" }), null);
	assert.equal(s.git(["rev-parse", "HEAD"]), todo);
});

test("work without a net change makes no commit; a commit of another branch is refused", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const start = s.git(["rev-parse", "HEAD"]);
	s.write("a.txt", "changed\n");
	await tree.commitAll("pawl: there\n");
	s.write("a.txt", "a\n");
	await tree.commitAll("pawl: and back\n");
	assert.equal(await tree.fold({ onto: start, message: "feat: nothing\n" }), null);
	assert.equal(s.git(["rev-parse", "HEAD"]), start);
	s.git(["checkout", "-q", "--orphan", "other"]);
	s.git(["commit", "-qm", "elsewhere"]);
	const other = s.git(["rev-parse", "HEAD"]);
	s.git(["checkout", "-q", "main"]);
	await assert.rejects(s.tree().fold({ onto: other, message: "x\n" }), /no commit of main any more/);
});

test("a file as it was at a point, to the last character; null where there was none", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	s.write("deep/x.txt", "not committed, no end");
	const point = await tree.point();
	s.write("deep/x.txt", "later\n");
	rmSync(join(s.root, "a.txt"));
	assert.deepEqual(
		[
			await tree.read(point, "deep/x.txt"),
			await tree.read(point, "a.txt"),
			await tree.read(point, "deep"),
			await tree.read(point, "no.txt"),
		],
		["not committed, no end", "a\n", null, null],
	);
});
