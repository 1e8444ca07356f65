// pawl killed at the boundaries of its work, in the middle of the loop of stories: a resume ends as if nothing had happened.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exited, pawl } from "../support/pawl.ts";
import { develops, plans, says, script, site, story } from "../support/pipeline-site.ts";
import { exists } from "../support/scratch.ts";

// Every place there is, in process: src/engine/crash.test.ts.
const POINTS = ["start release_story#1"];

for (const point of POINTS)
	test(`killed at ${point}`, async () => {
		const s = site();
		const file = script([
			plans({ step: "plan" }, [story(1), story(2)]),
			develops({ step: "implement" }, "feat: {story}"),
			says({ step: "verify", story: "US-001", attempt: 1 }, "STATUS: retry\nISSUES: not yet\n"),
		]);
		const args = ["run", "feature-dev", "A task", "--agent", "scripted", "--script", file];
		const killed = await pawl(args, { cwd: s.repo, env: { ...s.env, PAWL_CRASH_AT: point } });
		assert.notEqual(killed.code, 0);
		exited(await s.pawl("resume"), 0);
		assert.deepEqual(s.steps(), { plan: "done", implement: "done", verify: "done", test: "done", pr: "done", review: "done" });
		assert.deepEqual([s.stories(), s.rows("select status from runs")], [["US-001 done 1", "US-002 done 0"], [{ status: "completed" }]]);
		assert.deepEqual(s.git("log", "--reverse", "--format=%s", "main..feature/status").split("\n"), [
			"feat: US-001",
			"feat: US-001",
			"feat: US-002",
		]);
		assert.equal(exists(s.repo, ".pawl/worktrees"), false);
		assert.equal(s.git("worktree", "list").split("\n").length, 1);
	});
