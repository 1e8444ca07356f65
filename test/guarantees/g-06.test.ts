// G-06: `latest` is the latest run of where I stand, and nothing that changes a run reaches beyond this worktree without an id. This is
// about worktrees and several processes, so it uses real ones.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fakeAgent } from "../support/fake-agent.ts";
import { exited, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, repository, scratchFolder, until } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

test("G-06 cancel, pause and steer in one worktree leave the run of another alone, which can be looked at and is ended from its own", async () => {
	const repo = repository();
	const other = join(scratchFolder("worktree"), "b");
	git(repo, "worktree", "add", "-q", "-b", "b", other);
	const agent = fakeAgent([{ when: { type: "look" }, do: ['touch "$home/there"; while [ ! -e "$home/go" ]; do sleep 0.05; done'] }]);
	const started = startPawl(["run", smallWorkflow(), "Add a file", "--agent-command", agent.command], { cwd: other });
	await until("it is at work", () => exists(agent.flag("there")));
	for (const command of [["cancel"], ["pause"], ["steer", "be quick"]]) {
		const ended = await pawl(command, { cwd: repo });
		assert.equal(ended.code, 2, `${command.join(" ")}: ${ended.all}`);
	}
	assert.match((await pawlExits(0, ["status"], { cwd: repo })).stdout, /running/);
	await pawlExits(0, ["cancel"], { cwd: other });
	exited(await started.done, 1);
	assert.match((await pawlExits(0, ["status"], { cwd: other })).stdout, /cancelled/);
});
