// pawl is killed at calls of git, where the engine has no boundary of its own: while a worktree is made, a story is rebased,
// the user's checkout is moved, a ref is written. git itself is killed with it, or outlives it, or has just ended.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crashWorld, live } from "../support/crash-case.ts";
import { atGitCalls, SHORT } from "../support/crash-list.ts";

describe("D-135 D-138 X-16 killed at a call of git, and again while it recovers", { concurrency: 2 }, () => {
	for (const { name, deaths } of atGitCalls.slice(0, SHORT.gitCalls))
		test(name, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const life = await live(world, deaths);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this call");
		});
});
