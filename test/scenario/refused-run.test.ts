// A run that a route refuses is over like any other that is over: nothing of its workspaces stays.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { pawlExits } from "../support/pawl.ts";
import { exists, git, list, put, repository, scratchFolder } from "../support/scratch.ts";

const WORKFLOW = `name: refusing
title: Refuses what it is given
inputs: {prd: {reader: prd, workspace: worktree}}
roles: {agent: {report: {signals: {fit: {STATUS: fit}, unfit: {STATUS: unfit}}}}}
steps: [stories]
types:
  stories: {each: {steps: [look]}}
  look: {role: agent, on: {fit: next, unfit: refuse}}
on:
  done: next
  unreadable: fail run
  "*": fail run
`;

const PRD = {
	project: "p",
	branchName: "b",
	userStories: [{ id: "US-001", title: "t", description: "d", acceptanceCriteria: ["c"], priority: 1, passes: false }],
};

it("T-02 a refused run in worktrees leaves no worktree and no branch", async () => {
	const repo = repository();
	const workflow = scratchFolder("refusing");
	put(workflow, { "workflow.yml": WORKFLOW, "prompts/look.md": "Look.\n", "prd.json": JSON.stringify(PRD) });
	const branches = git(repo, "branch", "--list");
	const said = "printf 'STATUS: unfit\\n'";
	await pawlExits(2, ["run", join(workflow, "workflow.yml"), "--prd", join(workflow, "prd.json"), "--agent-command", said], { cwd: repo });
	assert.equal(git(repo, "branch", "--list"), branches);
	assert.equal(git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length, 1);
	assert.deepEqual(exists(repo, ".pawl/worktrees") ? list(repo, ".pawl/worktrees") : [], []);
});
