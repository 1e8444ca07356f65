// How a run of gated begins other than in the foreground: in the background, not at all (--dry-run), or while another one is at it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { write } from "../support/fake-agent.ts";
import { assertLanded, BRANCH, CODE, complete, ISSUE, issueSite, on } from "../support/issue-site.ts";
import { exists, git, put, until } from "../support/scratch.ts";

test("O-10 O-81 a background run works in the worktree that it was started in, and cannot continue once begun", async () => {
	const site = issueSite([
		on("implement", 1, ': > "$home/there"; until [ -e "$home/go" ]; do sleep 0.1; done', write("src/sum.mjs", CODE), complete()),
	]);
	const begun = await site.runs(0, "--detach");
	const id = begun.stdout.trim();
	await until("make is at work", () => exists(site.agent.home, "there"));
	const resumed = await site.cmd("resume", id);
	assert.equal(resumed.code, 2);
	assert.match(resumed.stderr, /git worktree remove/);
	put(site.agent.home, { go: "" });
	await until("the run is over", () => exists(site.dir, "summary.md"));
	assertLanded(site);
	for (const call of site.agent.calls()) assert.equal(call.cwd, site.tree);
	assert.equal(git(site.repo, "status", "--porcelain"), "");
});

test("X-11 O-82 while a run is at work in a worktree another one there is refused, and is not told to throw the worktree away", async () => {
	const site = issueSite([
		on("implement", 1, ': > "$home/there"; until [ -e "$home/go" ]; do sleep 0.1; done', write("src/sum.mjs", CODE), complete()),
	]);
	const running = site.start();
	await until("make is at work", () => exists(site.agent.home, "there"));
	const calls = site.agent.calls().length;
	const second = await site.run();
	assert.equal(second.code, 2);
	assert.match(second.stderr, /another run works in this tree/);
	assert.doesNotMatch(second.all, /worktree remove|must be clean/);
	assert.equal(site.agent.calls().length, calls);
	put(site.agent.home, { go: "" });
	assert.equal((await running.done).code, 0);
	assertLanded(site);
});

test("X-04 O-11 a dry run shows the steps and every prompt as it would be in this worktree, and changes nothing", async () => {
	const site = issueSite();
	const { stdout } = await site.runs(0, "--dry-run");
	assert.match(stdout, /^workflow gated, agent command, base main$/m);
	assert.match(stdout, /^\s*step-001\s+sanity\s/m);
	for (const shown of ["context", "plan", "review_plan check", "review_plan simplify", "split", "tests", "implement", "final_review check"])
		assert.match(stdout, new RegExp(`^===== run step-\\d+ ${shown}$`, "m"));
	const headers = [...stdout.matchAll(/^Worktree: (.*)$/gm)].map(([, path]) => path);
	assert.ok(headers.length >= 8);
	assert.deepEqual(new Set(headers), new Set([site.tree]));
	assert.match(stdout, new RegExp(`^Branch: ${BRANCH}, from main$`, "m"));
	assert.deepEqual(site.agent.calls(), []);
	assert.ok(!exists(site.tree, ".workflow"));
	assert.equal(site.status(), "Todo");
	assert.equal(git(site.tree, "status", "--porcelain"), "");
});

test("X-05 O-81 nobody can pause a run that cannot continue; cancelling it gives the issue back", async () => {
	const site = issueSite([on("implement", 1, ': > "$home/there"; until [ -e "$home/go" ]; do sleep 0.1; done', complete())]);
	const running = site.start();
	await until("make is at work", () => exists(site.agent.home, "there"));
	const paused = await site.cmd("pause", "latest");
	assert.equal(paused.code, 2);
	assert.match(paused.stderr, /cannot be paused; pawl cancel \S+ gives it up/);
	assert.equal(site.status(), "In Progress");
	assert.equal((await site.cmd("cancel", "latest")).code, 0);
	const ended = await running.done;
	assert.equal(ended.code, 1);
	assert.match(ended.all, /git worktree remove/);
	assert.equal(site.status(), "Todo");
});

test("O-12 a run that agents pull keeps its folder out of git too", async () => {
	const site = issueSite();
	assert.equal((await site.cmd("workflow", "run", "gated", ISSUE)).code, 0);
	assert.equal((await site.cmd("step", "claim", "pm")).code, 0);
	assert.ok(exists(site.dir));
	assert.equal(git(site.tree, "status", "--porcelain"), "");
});
