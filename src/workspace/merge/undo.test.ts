// Taking commits back, in real repositories.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Scratch, scratchRepository } from "../tree/scratch-repository.suite.ts";
import { undoCommits } from "./undo.ts";

const commit = (s: Scratch, path: string, text: string): string => {
	s.write(path, text);
	s.git(["add", "-A"]);
	s.git(["commit", "-q", "-m", `${path}: ${text.trim()}`]);
	return s.git(["rev-parse", "HEAD"]);
};
const undo = (s: Scratch, ...commits: string[]) =>
	undoCommits(
		{ root: s.root, commonDir: `${s.root}/.git` },
		{ branch: "main", commits, message: (of) => `take back ${of}\n`, ignore: [], only: false },
	);

test("each commit is taken back by one of its own, and the checkout of the branch follows; what others did in between stays", async (t) => {
	const s = scratchRepository(t);
	const one = commit(s, "one.txt", "1\n");
	commit(s, "mine.txt", "a person's\n");
	const two = commit(s, "a.txt", "changed\n");
	s.write("untracked.txt", "stays");
	const result = await undo(s, two, one);
	assert.ok(result.result === "undone");
	assert.deepEqual(
		result.commits.map(({ commit: of, by }) => [of, s.git(["log", "-1", "--format=%B", by ?? ""])]),
		[
			[two, `take back ${two}\n`],
			[one, `take back ${one}\n`],
		].map(([of = "", body = ""]) => [of, body.trimEnd()]),
	);
	assert.deepEqual(
		[s.read("one.txt"), s.read("a.txt"), s.read("mine.txt"), s.read("untracked.txt")],
		[null, "a\n", "a person's\n", "stays"],
	);
	assert.equal(s.status(), "?? untracked.txt");
	assert.equal(s.git(["rev-parse", "HEAD"]), result.commits[1]?.by);
	assert.equal(s.git(["worktree", "list"]).split("\n").length, 1, "it leaves no worktree");
});

test("if one of them conflicts with what came later, nothing changes", async (t) => {
	const s = scratchRepository(t);
	const one = commit(s, "one.txt", "1\n");
	const two = commit(s, "two.txt", "2\n");
	const last = commit(s, "one.txt", "somebody else's\n");
	assert.deepEqual(await undo(s, two, one), { result: "conflict", commit: one, paths: ["one.txt"] });
	assert.equal(s.git(["rev-parse", "main"]), last);
	assert.deepEqual([s.status(), s.git(["worktree", "list"]).split("\n").length], ["", 1]);
});

test("uncommitted changes in the same files are not touched", async (t) => {
	const s = scratchRepository(t);
	const one = commit(s, "a.txt", "changed\n");
	s.write("a.txt", "under way\n");
	assert.deepEqual(await undo(s, one), { result: "dirty", paths: ["a.txt"] });
	assert.deepEqual([s.read("a.txt"), s.git(["rev-parse", "main"])], ["under way\n", one]);
});

test("what a person has reverted already needs no commit; what is not checked out moves too", async (t) => {
	const s = scratchRepository(t);
	const one = commit(s, "one.txt", "1\n");
	const two = commit(s, "two.txt", "2\n");
	s.git(["revert", "--no-edit", one]);
	s.git(["checkout", "-q", "-b", "elsewhere"]);
	const result = await undo(s, two, one);
	assert.ok(result.result === "undone");
	assert.deepEqual(
		result.commits.map(({ commit: of, by }) => [of, by === null]),
		[
			[two, false],
			[one, true],
		],
	);
	assert.equal(s.git(["ls-tree", "--name-only", "main"]).includes("two.txt"), false);
	assert.equal(s.read("two.txt"), "2\n", "another branch stays as it is");
});
