// What somebody who knows only the documents tries with a run folder.
import assert from "node:assert/strict";
import test from "node:test";
import { fakeAgent } from "../support/fake-agent.ts";
import { exited } from "../support/pawl.ts";
import { json, MOVES, on, passes, pauses, ralphSite, reviews, SAYS } from "../support/ralph-site.ts";

test("X-04: --dry-run says how the loop would go: scheme, turns, maximum, promise; as JSON as well", async () => {
	const site = ralphSite([], { scheme: "W2R" });
	const { stdout } = await site.run(0, 5, "--dry-run");
	assert.match(stdout, /^iterations: scheme W2R, at most 5 in all: W W R W W$/m);
	assert.match(stdout, /^until the worker says <promise>ALL STORIES PASS<\/promise>$/m);
	const plan = JSON.parse((await site.run(0, 30, "--dry-run", "--json")).stdout);
	assert.deepEqual(plan.loops[0].first.join(""), "WWRWWRWWRWWR");
	assert.equal(plan.loops[0].max_iterations, 30);
	assert.equal(site.roles(), "");
	assert.equal(site.git("status", "--porcelain"), "");
});

test("X-02 X-28: pawl stories lists the stories of the run folder as they are, while the loop runs and after it", async () => {
	const site = ralphSite([on(2, passes("S1"), pauses("two"), ...MOVES, SAYS)], { scheme: "W" });
	const run = site.start(2);
	await site.at("two");
	const during = exited(await site.pawl("stories", "latest"), 0).stdout;
	assert.match(during, /^ *S1 +completed +Story 1$/m);
	assert.match(during, /^ *S2 +in_progress +Story 2$/m);
	assert.match(during, /^ *S3 +unclaimed +Story 3$/m);
	site.go("two");
	await run.done;
	const after = JSON.parse(exited(await site.pawl("stories", "latest", "--json"), 0).stdout) as { id: string; passes: boolean }[];
	assert.deepEqual(
		after.map((s) => [s.id, s.passes]),
		[
			["S1", true],
			["S2", false],
			["S3", false],
		],
	);
});

test("R-07: a promise that could never be made is refused", async () => {
	const site = ralphSite();
	for (const text of ["", "  ", "two\nlines"]) assert.match((await site.run(2, 3, "--promise", text)).stderr, /--promise must be one line/);
	assert.equal(site.roles(), "");
});

test("C-08 R-05: --role names another agent of pawl.yml, which keeps its own command beside --agent-command", async () => {
	const other = fakeAgent([{ do: reviews("no") }]);
	const files = { "pawl.yml": `agents:\n  critic:\n    type: command\n    command: ${json(other.command)}` };
	const site = ralphSite([], { scheme: "WR", files });
	await site.run(4, 4, "--role", "reviewer=critic");
	assert.equal(site.roles(), "WW");
	assert.equal(other.calls().length, 2);
});

test("R-09 X-28: the end by the maximum is told as such, not as another turn", async () => {
	const site = ralphSite([], { scheme: "W" });
	const { stderr } = await site.run(4, 2);
	assert.match(stderr, /open again: 2 iterations are used up/);
	assert.doesNotMatch(stderr, /runs again/);
});
