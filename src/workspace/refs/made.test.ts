// Base moves while a session works, and the session takes it over: what the branch has from others was not made by the session.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unclear, WORK, world } from "./session-world.suite.ts";

for (const [how, take] of Object.entries({
	"rebased onto": "git rebase -q main",
	merged: "git merge -q -m 'take main' main",
	"stepped to and worked on from": "git reset -q --hard main; echo more > more.txt; git add -A; git commit -qm more",
}))
	for (const session of ["run:US-001:step-005:1", null])
		test(`G-03: base that others moved, and that ${session === null ? "somebody's" : "a"} session then ${how}, is theirs`, async (t) => {
			const w = await world(t, "worktree", "", session);
			w.session(WORK);
			w.person(
				"git update-ref -m 'pawl: merge' refs/heads/main $(git commit-tree HEAD^{tree} -p main -m landed); git commit -q --allow-empty -m mine",
			);
			w.session(take);
			assert.deepEqual((await w.tree.changes(w.point)).refs, []);
		});

test("G-22: base that somebody put on the session's own commit without git's own program: pawl puts nothing back and reports it", async (t) => {
	const w = await world(t, "worktree");
	w.session(`${WORK}; git rev-parse HEAD > "$(git rev-parse --git-common-dir)/refs/heads/main"`);
	assert.deepEqual(unclear(await w.tree.changes(w.point)), ["moved branch main"]);
});
