// A pulled run on the stories of a PRD: worktrees, merges and all, by agents that pawl did not start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exited } from "../support/pawl.ts";
import { quickPipes, site } from "../support/pipeline-site.ts";
import { git, put } from "../support/scratch.ts";

// Two stories side by side: the paths of test/guarantees that are pulled.
test("G-08 the stories of a PRD are claimed step by step, merged by pawl, and the run ends", async () => {
	const s = site();
	const stories = ["US-1"].map((id) => ({
		id,
		title: `Story ${id}`,
		description: "d",
		acceptanceCriteria: ["c"],
		priority: 1,
		passes: false,
	}));
	put(s.repo, { "prd.json": JSON.stringify({ project: "p", userStories: stories }) });
	const id = exited(await s.pawl("workflow", "run", "dynamic", "--prd", "prd.json", "--agents", "1"), 0).stdout.trim();
	for (let turn = 0; turn < 40; turn++) {
		const claimed = JSON.parse(exited(await s.pawl("step", "claim", "agent"), 0).stdout) as {
			found: boolean;
			claim: string;
			stepId: string;
			workspace: string;
		};
		if (!claimed.found) break;
		const [, story = ""] = claimed.stepId.split(":");
		put(claimed.workspace, /step-005/.test(claimed.stepId) ? { [`${story}.txt`]: "made\n" } : {});
		assert.equal((await s.feed("Did it.\n\n## SUMMARY\n\nDone.\n", "step", "complete", claimed.claim)).code, 0);
	}
	assert.equal(s.rows("select status from runs")[0]?.["status"], "completed");
	assert.equal(git(s.repo, "log", "--format=%s", "-1"), "feat(ralph): US-1 - Story US-1");
	assert.match(exited(await s.pawl("status", id, "--json"), 0).stdout, /completed/);
});

test("G-08 a workflow whose steps continue a session cannot be claimed: refused before anything is written", async () => {
	const s = quickPipes();
	put(s.repo, {
		".pawl/workflows/talk/workflow.yml":
			'name: talk\ntitle: Talk\ninputs: {request: {reader: request, workspace: tree}}\nroles: {dev: {can: [run]}}\nsteps: [one]\ntypes:\n  one: {role: dev, writes: none, session: continue}\non: {done: next, unreadable: fail run, "*": fail run}\n',
		".pawl/workflows/talk/prompts/one.md": "Talk.\n",
	});
	s.commit(s.repo, "a workflow");
	const refused = exited(await s.pawl("workflow", "run", "talk", "Do it"), 2);
	assert.match(refused.stderr, /one continues an earlier session/);
	assert.deepEqual(s.rows("select id from runs"), []);
});
