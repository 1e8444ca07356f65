import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { GitTree } from "../tree/tree.ts";
import { Fixture, run } from "./merge-fixture.suite.ts";

const fixtures: Fixture[] = [];
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(): Fixture {
	const f = new Fixture({ "a.txt": "one\ntwo\nthree\n", "b.txt": "two\n" });
	fixtures.push(f);
	return f;
}

/** A commit on top of main that no checkout knows of, as a session makes it. */
function forge(f: Fixture, files: Readonly<Record<string, string>>): string {
	f.git("worktree", "add", "-q", "--detach", join(f.home, "elsewhere"), "main");
	const commit = f.commit({ path: join(f.home, "elsewhere") }, files, "forged");
	f.git("worktree", "remove", "--force", join(f.home, "elsewhere"));
	f.git("update-ref", "refs/heads/main", commit);
	return commit;
}

const moveBack = (f: Fixture, to: string): string => f.git("update-ref", "-m", "pawl: put back", "refs/heads/main", to);
const onMain = (f: Fixture): string[] =>
	f
		.git("ls-tree", "-r", "--name-only", "main")
		.split("\n")
		.filter((name) => !name.startsWith("."));

test("G-23: a story that started while base held a forged commit does not bring that commit's changes along", async () => {
	const f = fixture();
	const before = f.git("rev-parse", "main");
	forge(f, { "forged.txt": "x\n", "b.txt": "forged\n" });
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	// An attempt that failed before: its branch went back to where it had started.
	const point = await tree.point({ session: "run-1:US-001:step-005:1" });
	f.commit(tree, { "failed.txt": "x\n" });
	await tree.rollback(point);
	f.commit(tree, { "work.txt": "work\n" });
	moveBack(f, before);
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "work.txt"]);
	assert.equal(f.git("show", "main:b.txt"), "two");
	assert.equal(f.git("rev-parse", "main~1"), before);
	assert.equal(f.status(), "");
});

test("G-23 G-03: what a person took off base does not come back with a story that started from it", async () => {
	const f = fixture();
	f.commit({ path: f.root }, { "person.txt": "x\n" }, "taken back later");
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	f.commit(tree, { "work.txt": "work\n" });
	f.git("reset", "-q", "--hard", "HEAD~1");
	f.commit({ path: f.root }, { "other.txt": "x\n" }, "instead");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "other.txt", "work.txt"]);
});

for (const [how, take] of [
	["merged", (tree: GitTree) => run(tree.path, "merge", "-q", "-m", "merge", "main")],
	["was rebased onto", (tree: GitTree) => run(tree.path, "rebase", "-q", "main")],
] as const)
	test(`G-23: neither does a story that ${how} base while it held one`, async () => {
		const f = fixture();
		const before = f.git("rev-parse", "main");
		const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
		f.commit(tree, { "work.txt": "work\n" });
		forge(f, { "forged.txt": "x\n" });
		take(tree);
		moveBack(f, before);
		f.commit({ path: f.root }, { "other.txt": "x\n" }, "goes on");
		assert.equal((await f.merge(tree)).result, "merged");
		assert.deepEqual(onMain(f), ["a.txt", "b.txt", "other.txt", "work.txt"]);
	});

test("G-23: a story's own commits that a session had put on base stay the story's work, also after a retry", async () => {
	const f = fixture();
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	const own = f.commit(tree, { "work.txt": "work\n" });
	f.commit({ path: f.root }, { "other.txt": "x\n" }, "goes on");
	const before = f.git("rev-parse", "main");
	f.git("update-ref", "refs/heads/main", own);
	moveBack(f, before);
	run(tree.path, "rebase", "-q", "main");
	f.git("update-ref", "refs/heads/main", run(tree.path, "rev-parse", "HEAD"));
	moveBack(f, before);
	f.commit(tree, { "more.txt": "more\n" });
	assert.equal((await f.merge(tree, { check: async () => ["red"] })).result, "checks_failed");
	await f.worktrees.release(1, "US-001", "run-1");
	const again = await f.worktrees.reopen(1, "US-001", "run-1");
	assert.ok(again !== null);
	assert.equal((await f.merge(again)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "more.txt", "other.txt", "work.txt"]);
});

test("G-23: where a story started is remembered for its retry", async () => {
	const f = fixture();
	const before = f.git("rev-parse", "main");
	forge(f, { "forged.txt": "x\n" });
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	f.commit(tree, { "work.txt": "work\n" });
	await f.worktrees.release(1, "US-001", "run-1");
	moveBack(f, before);
	const again = await f.open().reopen(2, "US-001", "run-1");
	assert.ok(again !== null);
	assert.equal((await f.merge(again)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "work.txt"]);
});

test("G-23 G-22: a forged record of where a story started takes nothing of its work away", async () => {
	const f = fixture();
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	f.git("update-ref", "refs/pawl/start/run-1/US-001", f.commit(tree, { "work.txt": "work\n" }));
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "work.txt"]);
});

test("G-23: where the story built on what base no longer holds, the conflict is the story's to resolve, on a branch without it", async () => {
	const f = fixture();
	const before = f.git("rev-parse", "main");
	const forged = forge(f, { "forged.txt": "x\n", "a.txt": "one\nforged\nthree\n" });
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	const head = f.commit(tree, { "a.txt": "one\nforged, and better\nthree\n", "work.txt": "work\n" });
	moveBack(f, before);
	f.commit({ path: f.root }, { "other.txt": "x\n" }, "goes on");
	const result = await f.merge(tree);
	assert.deepEqual(result, { result: "conflict", paths: ["a.txt"] });
	assert.throws(() => run(tree.path, "merge-base", "--is-ancestor", forged, "HEAD"));
	assert.equal(existsSync(join(tree.path, "forged.txt")), false);
	assert.match(f.read("a.txt", tree.path), /<<<<<<<[\s\S]*two[\s\S]*better[\s\S]*>>>>>>>/);
	assert.equal(run(tree.path, "status", "--porcelain"), "");
	assert.notEqual(f.git("for-each-ref", "--points-at", head, "refs/pawl/backup/US-001"), "");
	// Not resolved yet: the markers are a conflict.
	run(tree.path, "rebase", "-q", "main");
	assert.equal((await f.merge(tree)).result, "conflict");
	f.commit(tree, { "a.txt": "one\nbetter\nthree\n" });
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(onMain(f), ["a.txt", "b.txt", "other.txt", "work.txt"]);
});

test("G-23: a check that fails without what base no longer holds fails in the story's worktree, too", async () => {
	const f = fixture();
	const before = f.git("rev-parse", "main");
	forge(f, { "forged.txt": "x\n" });
	const tree = await f.worktrees.claim(1, "US-001", "main", "run-1");
	f.commit(tree, { "work.txt": "work\n" });
	moveBack(f, before);
	const check = async (path: string): Promise<string[]> => (existsSync(join(path, "forged.txt")) ? [] : ["test: forged.txt is missing"]);
	assert.equal((await f.merge(tree, { check })).result, "checks_failed");
	assert.equal(existsSync(join(tree.path, "forged.txt")), false);
	assert.equal(f.read("work.txt", tree.path), "work\n");
});
