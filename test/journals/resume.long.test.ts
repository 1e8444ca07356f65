// Runs in which an earlier pawl was killed continue with this one, with the definition in their journals, and end as they would
// have ended then: every commit is there, and once. What an agent leaves uncommitted from then on is committed in the words of this version.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exited } from "../support/pawl.ts";
import { exists, git } from "../support/scratch.ts";
import { commitsOf, journalOf, outlineOf, ROOT, stateOf } from "./fixture.ts";
import { KEPT, orderless } from "./kept.ts";

for (const { name, expected, open } of KEPT) {
	const { resumed } = expected;
	if (resumed === null) continue;
	if (resumed.exit === 0)
		test(`I19 I7 ${name} (${expected.cut_at}) goes on to its end, with every commit once`, async () => {
			const { root, repo, pawl } = open();
			const before = journalOf(root);
			exited(await pawl("resume"), 0);
			const { status, stories } = outlineOf(stateOf(root));
			assert.deepEqual({ status, stories }, { status: resumed.state.status, stories: resumed.state.stories });
			assert.deepEqual(orderless(commitsOf(root)), orderless(resumed.commits));
			assert.deepEqual(journalOf(root).slice(0, before.length), before, "what was written stays as it was");
			assert.equal(exists(repo, ".pawl", "worktrees"), false);
			// The files in which a run is followed are in git here.
			assert.equal(git(repo, "status", "--porcelain", "--untracked-files=no", "--", ":!prd.json", ":!ralph"), "");
			const again = exited(await pawl("resume"), 0);
			assert.match(again.stdout, /completed/);
			assert.deepEqual(orderless(commitsOf(root)), orderless(resumed.commits));
		});
	else
		test(`I19 ${name} (${expected.cut_at}) is refused, with the way back to a run`, async () => {
			const { root, pawl } = open();
			const { stderr } = exited(await pawl("resume"), resumed.exit);
			const commands = resumed.says
				.replaceAll(ROOT, root)
				.split("\n")
				.filter((line) => line.startsWith("  "));
			assert.ok(commands.length > 3);
			for (const line of commands) assert.ok(stderr.includes(line), `${line} in\n${stderr}`);
			assert.deepEqual([outlineOf(stateOf(root)), commitsOf(root)], [expected.state, expected.commits]);
		});
}
