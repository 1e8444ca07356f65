// G-02: a worktree of a commit, prepared and removed, whatever happens to the work in it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { inFreshWorktree } from "./fresh.ts";

const NOTHING = { setup: null, copy: [], link: [] };

test("G-02 setup has run when the work begins, and nothing is left when it ends or throws", async (t) => {
	const s = scratchRepository(t);
	const head = s.git(["rev-parse", "HEAD"]);
	process.env["PAWL_DB"] = "postgres://somebody:password@localhost/pawl";
	t.after(() => delete process.env["PAWL_DB"]);
	const seen = await inFreshWorktree(s.root, head, { ...NOTHING, setup: 'test -z "$PAWL_DB" && echo ready > made.log' }, async (path) => [
		existsSync(join(path, "made.log")),
		s.git(["rev-parse", "HEAD"], path),
	]);
	assert.deepEqual(seen, [true, head]);
	await assert.rejects(
		inFreshWorktree(s.root, head, NOTHING, async () => Promise.reject(new Error("broke"))),
		/broke/,
	);
	assert.deepEqual(readdirSync(join(s.root, ".pawl", "worktrees")), []);
	assert.equal(s.git(["worktree", "list"]).split("\n").length, 1);
});

test("G-02 the next process removes what a killed one left there", async (t) => {
	const s = scratchRepository(t);
	const left = join(s.root, ".pawl", "worktrees", "fresh-999999999-0a1b2c3d");
	s.git(["worktree", "add", "-q", "--detach", left]);
	await inFreshWorktree(s.root, "HEAD", NOTHING, async () => {});
	assert.equal(existsSync(left), false);
	assert.equal(s.git(["worktree", "list"]).split("\n").length, 1);
});

test("a worktree of the user's that is not mounted at the moment is not forgotten", async (t) => {
	const s = scratchRepository(t);
	const [theirs, away] = [`${s.root}-theirs`, `${s.root}-away`];
	s.git(["worktree", "add", "-q", "--detach", theirs]);
	renameSync(theirs, away);
	try {
		await inFreshWorktree(s.root, "HEAD", NOTHING, async () => {});
	} finally {
		renameSync(away, theirs);
	}
	assert.equal(s.git(["status", "--porcelain"], theirs), "");
});

for (const half of ["locked", "without a folder", "without a folder and without names"])
	test(`what a git left that was killed while it made a worktree is removed: ${half}`, async (t) => {
		const s = scratchRepository(t);
		const name = "fresh-999999999-0a1b2c3d";
		const [left, admin] = [join(s.root, ".pawl", "worktrees", name), join(s.root, ".git", "worktrees", name)];
		s.git(["worktree", "add", "-q", "--detach", left]);
		writeFileSync(join(admin, "locked"), "initializing");
		if (half !== "locked") rmSync(left, { recursive: true });
		if (half === "without a folder and without names") for (const file of ["gitdir", "commondir"]) rmSync(join(admin, file));
		await inFreshWorktree(s.root, "HEAD", NOTHING, async () => {});
		assert.deepEqual([existsSync(left), existsSync(admin)], [false, false]);
	});
