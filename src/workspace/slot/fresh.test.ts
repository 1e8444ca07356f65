// G-02: a worktree of a commit, prepared and removed, whatever happens to the work in it.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
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
