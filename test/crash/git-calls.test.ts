// pawl is killed at calls of git, where the engine has no boundary of its own: while a worktree is made, a story is rebased,
// the user's checkout is moved, a ref is written. git itself is killed with it, or outlives it, or has just ended.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atPoint, crashWorld, live } from "../support/crash-case.ts";
import { killAtGit } from "../support/crash-git.ts";

// One for each thing that pawl does with git; every call of every run is the business of the long tests.
const CASES: readonly string[] = [
	"during:worktree#1",
	"after:symbolic-ref#4",
	"before:commit-tree#3",
	"during:update-ref#2",
	"during:read-tree#1",
	"after:update-ref#9",
	"during:checkout#1",
	"after:cherry-pick#1",
	"during:reset#3",
	"during:clean#4",
];

describe("D-135 D-138 X-16 killed at a call of git, and again while it recovers", { concurrency: 2 }, () => {
	for (const [i, at] of CASES.entries())
		test(at, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const second = i % 3 === 0 ? atPoint("after attempt_lost#1") : i % 3 === 1 ? atPoint("start start_attempt#1") : () => ({});
			const life = await live(world, [(w, round) => killAtGit(w, at, round), second]);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this call");
		});
});
