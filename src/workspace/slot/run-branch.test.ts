// One branch and one worktree for a whole run.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { RunBranches } from "./run-branch.ts";
import { Worktrees } from "./worktrees.ts";

function fixture(t: TestContext) {
	const scratch = scratchRepository(t);
	const open = () => new RunBranches({ root: scratch.root, commonDir: join(scratch.root, ".git"), setup: null, copy: [], link: [] });
	const request = { run: "run-1", base: "main", known: null, wanted: null };
	const heads = () => scratch.git(["for-each-ref", "--format=%(refname:short)", "refs/heads"]).split("\n");
	return {
		...scratch,
		open,
		request,
		heads,
		path: join(scratch.root, ".pawl/worktrees/agent-1"),
		start: scratch.git(["rev-parse", "main"]),
	};
}

test("a run begins on a branch of its own and takes the name that it asks for, with its work", async (t) => {
	const f = fixture(t);
	const first = await f.open().open(1, f.request);
	assert.equal(first.branch, "pawl/run-1");
	f.write("work.txt", "work\n", first.path);
	f.git(["add", "-A"], first.path);
	f.git(["commit", "-qm", "work"], first.path);
	const named = await f.open().open(1, { ...f.request, wanted: "feature/x" });
	assert.deepEqual([named.branch, named.path], ["feature/x", f.path]);
	assert.equal(f.git(["symbolic-ref", "HEAD"], f.path), "refs/heads/feature/x");
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
	// Once it has a name it keeps it.
	assert.equal((await f.open().open(1, { ...f.request, wanted: "feature/y" })).branch, "feature/x");
	assert.equal(f.git(["diff", "HEAD"]), "");
	assert.equal(f.git(["rev-parse", "main"]), f.start);
});

for (const [what, wanted] of [
	["the base", "main"],
	["a branch of somebody", "taken"],
	["a branch of a remote", "at-remote"],
	["no name for a branch", "a..b"],
	["an option", "--force"],
	["something below a branch", "taken/below"],
] as const)
	test(`a name that is not free stays alone: ${what}`, async (t) => {
		const f = fixture(t);
		f.git(["branch", "taken"]);
		f.git(["update-ref", "refs/remotes/origin/at-remote", "HEAD"]);
		const others = () =>
			f
				.git(["for-each-ref", "--format=%(refname) %(objectname)"])
				.split("\n")
				.filter((line) => !line.includes("pawl/run-1"));
		const before = others();
		await f.open().open(1, f.request);
		const tree = await f.open().open(1, { ...f.request, wanted });
		assert.equal(tree.branch, "pawl/run-1");
		assert.deepEqual(others(), before);
	});

test("a crash between making the branch and moving to it leaves one branch", async (t) => {
	const f = fixture(t);
	await f.open().open(1, f.request);
	const note = join(f.root, ".git/worktrees/agent-1/pawl/run.json");
	writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, "utf8")), moving: "feature/x" }));
	f.git(["branch", "feature/x", "pawl/run-1"]);
	assert.equal((await f.open().open(1, { ...f.request, wanted: "feature/x" })).branch, "feature/x");
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
});

test("I8 a loss of power that left HEAD empty while the branch got its name leaves one branch, with the work", async (t) => {
	const f = fixture(t);
	const tree = await f.open().open(1, f.request);
	const admin = join(f.root, ".git/worktrees/agent-1");
	const note = join(admin, "pawl/run.json");
	f.git(["branch", "feature/x", "pawl/run-1"]);
	f.write("work.txt", "work\n", tree.path);
	f.git(["add", "-A"], tree.path);
	f.git(["commit", "-qm", "work"], tree.path);
	writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, "utf8")), moving: "feature/x" }));
	writeFileSync(join(admin, "HEAD"), "");
	const named = await f.open().open(1, { ...f.request, wanted: "feature/x" });
	assert.equal(named.branch, "feature/x");
	assert.equal(f.git(["symbolic-ref", "HEAD"], f.path), "refs/heads/feature/x");
	assert.equal(f.git(["show", "feature/x:work.txt"]), "work");
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
});

test("I8 a crash or a full disk between taking the new name and removing the old one leaves one branch", async (t) => {
	const f = fixture(t);
	await f.open().open(1, f.request);
	// As if the disk were full: git cannot remove the ref.
	f.write(".git/packed-refs.lock", "");
	const named = { ...f.request, wanted: "feature/x" };
	await assert.rejects(f.open().open(1, named), /File exists/);
	assert.deepEqual(f.heads(), ["feature/x", "main", "pawl/run-1"]);
	rmSync(join(f.root, ".git/packed-refs.lock"));
	assert.equal((await f.open().open(1, named)).branch, "feature/x");
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
});

test("I8 a new name that cannot be written is an error and is taken later", async (t) => {
	const f = fixture(t);
	await f.open().open(1, f.request);
	f.write(".git/refs/heads/feature/x.lock", "");
	const named = { ...f.request, wanted: "feature/x" };
	await assert.rejects(f.open().open(1, named), /File exists/);
	// The second time it is known that the lock is of a git of ours that did not come to its end.
	assert.equal((await f.open().open(1, named)).branch, "feature/x");
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
});

test("D-109 a lock that a killed git left on the run's own branch does not block it", async (t) => {
	const f = fixture(t);
	f.write(".git/refs/heads/pawl/run-1.lock", "");
	assert.equal((await f.open().open(1, f.request)).branch, "pawl/run-1");
});

// In the order in which git makes them.
const MADE = ["locked", "gitdir", ".git", "HEAD", "commondir"] as const;
for (const [n, last] of MADE.entries())
	test(`I8 a worktree that git was killed while it made, up to ${last}, is made again`, async (t) => {
		const f = fixture(t);
		await f.open().open(1, f.request);
		const admin = join(f.root, ".git/worktrees/agent-1");
		const here = MADE.slice(0, n + 1);
		rmSync(f.path, { recursive: true });
		mkdirSync(f.path);
		for (const name of readdirSync(admin))
			if (!here.includes(name as (typeof MADE)[number])) rmSync(join(admin, name), { recursive: true });
		writeFileSync(join(admin, "locked"), "initializing");
		if (here.includes(".git")) writeFileSync(join(f.path, ".git"), `gitdir: ${admin}\n`);
		if (here.includes("HEAD")) writeFileSync(join(admin, "HEAD"), `${"0".repeat(40)}\n`);
		const tree = await f.open().open(1, f.request);
		assert.equal(tree.branch, "pawl/run-1");
		assert.equal(f.status(tree.path), "");
		assert.equal(f.read("a.txt", tree.path), "a\n");
		assert.equal(f.git(["worktree", "list"]).split("\n").length, 2);
		assert.equal(f.git(["for-each-ref", "refs/pawl/backup"]), "", "there was nothing to keep");
	});

test("at the end pawl removes the worktree, keeps the branch, and keeps uncommitted work", async (t) => {
	const f = fixture(t);
	const tree = await f.open().open(1, { ...f.request, wanted: "feature/x" });
	f.write("work.txt", "work\n", tree.path);
	f.git(["add", "-A"], tree.path);
	f.git(["commit", "-qm", "work"], tree.path);
	f.write("left.txt", "left\n", tree.path);
	await f.open().close(1, "run-1", f.start);
	assert.equal(existsSync(join(f.root, ".pawl/worktrees")), false);
	assert.equal(f.git(["worktree", "list"]).split("\n").length, 1);
	assert.deepEqual(f.heads(), ["feature/x", "main"]);
	const [kept = ""] = f.git(["for-each-ref", "--format=%(objectname)", "refs/pawl/backup"]).split("\n");
	assert.equal(f.git(["show", `${kept}:left.txt`]), "left");
	// A retry goes on with the branch that the journal knows.
	const again = await f.open().open(1, { ...f.request, known: "feature/x", wanted: "feature/x" });
	assert.equal(f.read("work.txt", again.path), "work\n");
});

test("I7 a loss of power that left half of a worktree that was being removed leaves none after the next try", async (t) => {
	const f = fixture(t);
	await f.open().open(1, f.request);
	const admin = join(f.root, ".git/worktrees/agent-1");
	rmSync(f.path, { recursive: true });
	for (const name of ["HEAD", "index", "pawl"]) rmSync(join(admin, name), { recursive: true, force: true });
	await f.open().close(1, "run-1", f.start);
	assert.equal(f.git(["worktree", "list"]).split("\n").length, 1);
});

test("a worktree whose note is gone, and that somebody could still use, stays", async (t) => {
	const f = fixture(t);
	await f.open().open(1, f.request);
	rmSync(join(f.root, ".git/worktrees/agent-1/pawl"), { recursive: true });
	await f.open().close(1, "run-1", f.start);
	assert.equal(f.git(["worktree", "list"]).split("\n").length, 2);
	assert.ok(existsSync(f.path));
});

test("a branch without work goes with its worktree", async (t) => {
	const f = fixture(t);
	await f.open().open(1, { ...f.request, wanted: "feature/x" });
	await f.open().close(1, "run-1", f.start);
	assert.deepEqual(f.heads(), ["main"]);
});

test("what another run left in the place is kept, not used", async (t) => {
	const f = fixture(t);
	const tree = await f.open().open(1, f.request);
	f.write("of-run-1.txt", "1\n", tree.path);
	const next = await f.open().open(1, { ...f.request, run: "run-2" });
	assert.equal(next.branch, "pawl/run-2");
	assert.equal(f.read("of-run-1.txt", next.path), null);
	assert.notEqual(f.git(["for-each-ref", "refs/pawl/backup"]), "");
});

test("a story that gets the slot of a run on its own branch, which was killed before it cleared up, keeps the worktree", async (t) => {
	const f = fixture(t);
	const left = await f.open().open(1, f.request);
	f.write("half.txt", "half\n", left.path);
	const story = await new Worktrees({ root: f.root, commonDir: join(f.root, ".git"), setup: null, copy: [], link: [] }).claim(
		1,
		"US-9",
		"main",
		"run-9",
	);
	assert.equal(story.path, left.path);
	f.write("new.txt", "new\n", story.path);
	await f.open().close(1, f.request.run, f.start);
	assert.equal(readFileSync(join(story.path, "new.txt"), "utf8"), "new\n");
	assert.equal(f.git(["symbolic-ref", "HEAD"], story.path), "refs/heads/ralph/US-9");
	// What the run had not committed is kept.
	const kept = f
		.git(["for-each-ref", "--format=%(refname)", "refs/pawl/backup"])
		.split("\n")
		.filter((ref) => ref !== "");
	assert.ok(
		kept.some((ref) => f.git(["ls-tree", "--name-only", ref]).split("\n").includes("half.txt")),
		kept.join(),
	);
});
