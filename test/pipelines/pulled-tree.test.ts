// A step that somebody else's agent has claimed, in the user's own tree, where the user works as well. Each command is a process of its own,
// as it is for such an agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ended, exited, startPawl } from "../support/pawl.ts";
import { site } from "../support/pipeline-site.ts";
import { exists, put } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

test("G-03 a claimed step fails after somebody committed: the run waits for a person (exit 3), says what is where, and goes on", async () => {
	const s = site();
	const step = (...args: string[]): Promise<Ended> => startPawl(["step", ...args], { cwd: s.repo, env: s.env }).done;
	exited(await s.pawl("workflow", "run", smallWorkflow(), "A task"), 0);
	const { claim } = JSON.parse(exited(await step("claim", "agent"), 0).stdout) as { claim: string };
	const before = s.git("rev-parse", "HEAD");
	put(s.repo, { "hotfix.txt": "mine\n" });
	s.git("add", "hotfix.txt");
	s.git("commit", "-q", "-m", "hotfix");
	const hotfix = s.git("rev-parse", "HEAD");
	put(s.repo, { "half.txt": "half\n" });
	const failed = exited(await step("fail", claim, "gave up"), 3);
	for (const text of [hotfix.slice(0, 12), "hotfix", before.slice(0, 12), "git branch"])
		assert.ok(failed.stderr.includes(text), failed.stderr);
	exited(await s.pawl("retry", "latest"), 0);
	assert.deepEqual([s.git("rev-parse", "HEAD"), exists(s.repo, "half.txt")], [hotfix, true]);
	s.git("branch", "mine");
	s.git("reset", "-q", "--hard", before);
	assert.match(exited(await step("claim", "agent"), 0).stdout, /"found":true/);
	assert.equal(exists(s.repo, "half.txt"), false);
	assert.equal(s.git("rev-parse", "mine"), hotfix);
});
