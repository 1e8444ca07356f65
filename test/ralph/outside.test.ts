// What somebody who knows only the documents tries with a run folder.
import assert from "node:assert/strict";
import test from "node:test";
import { exited } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { uncommitted } from "../support/quick-pawl.ts";
import {
	DIR,
	json,
	LOOP_STATE,
	MOVES,
	on,
	passes,
	pauses,
	put,
	quickRalph,
	ralphSite,
	reviewModes,
	reviews,
	SAYS,
	story,
} from "../support/ralph-site.ts";
import { exists, read, until } from "../support/scratch.ts";

test("X-04: --dry-run says how the loop would go: scheme, turns, maximum, promise; as JSON as well", async () => {
	const site = quickRalph([], { scheme: "W2R" });
	const { stdout } = await site.run(0, 5, "--dry-run");
	assert.match(stdout, /^iterations: schedule W2R, at most 5 in all: W W R W W$/m);
	assert.match(stdout, /^until the worker says <promise>ALL STORIES PASS<\/promise>$/m);
	assert.match(stdout, /^Somebody says that the work is done\. Nobody looks after you/m);
	assert.match(stdout, /^A review asked for it, or it is due\. You change the plan/m);
	const plan = JSON.parse((await site.run(0, 30, "--dry-run", "--json")).stdout);
	assert.deepEqual(plan.loops[0].first.join(""), "WWRWWRWWRWWR");
	assert.equal(plan.loops[0].max_iterations, 30);
	assert.equal(site.roles(), "");
	assert.deepEqual(uncommitted(site.memory), []);
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
	// The name of a story where only a run makes sense, and a story whose commits nobody can tell from another's.
	assert.match(
		exited(await site.pawl("cost", "S1"), 2).stderr,
		/there is no run S1; run (\S+) has a story S1: name the run first \(\1 S1\)/,
	);
	assert.match((await site.pawl("diff", "S1")).stderr, /have no diffs of their own/);
	assert.match((await site.pawl("diff", "latest", "S1")).stderr, /have no diffs of their own; what it changed as a whole: pawl diff /);
	assert.match((await site.pawl("story", "latest")).stderr, /did you mean stories\?/);
});

test("R-07: a promise that could never be made is refused", async () => {
	const site = quickRalph();
	for (const text of ["", "  ", "two\nlines"]) assert.match((await site.run(2, 3, "--promise", text)).stderr, /--promise must be one line/);
	assert.equal(site.roles(), "");
});

test("C-08 R-05: --role names another agent of pawl.yml, which keeps its own command beside --agent-command", async () => {
	const other = quickAgent([{ do: reviews("no") }]);
	const files = { "pawl.yml": `agents:\n  critic:\n    type: command\n    command: ${json(other.command)}` };
	const site = quickRalph([], { scheme: "WR", files });
	await site.run(4, 4, "--role", "reviewer=critic");
	assert.equal(site.roles(), "WW");
	assert.equal(other.calls().length, 2);
});

test("R-09 X-28: the end by the maximum is told as such, not as another turn", async () => {
	const site = quickRalph([], { scheme: "W" });
	const { stderr, stdout } = await site.run(4, 2);
	assert.match(stdout, /2 iterations, 0\/3 stories pass/);
	assert.match(stderr, /open again: 2 iterations are used up/);
	assert.doesNotMatch(stderr, /runs again|step-001/);
});

test("R-18: an entry that was forgotten is in the history; a progress.md that was emptied or removed is back, with its entries", async () => {
	const site = quickRalph(
		[on(2, `: > ${DIR}/progress.md`, "echo 2 > two.txt", SAYS), on(3, `rm ${DIR}/progress.md`, "echo 3 > three.txt", SAYS)],
		{ scheme: "W" },
	);
	await site.run(4, 4);
	for (const n of [1, 2, 3, 4]) assert.match(site.file("progress.md"), new RegExp(`Iteration:? ${n}\\b`), `entry ${n}`);
	const told = await site.history();
	assert.match(told, /iteration 2 \(worker\) left no entry in ralph\/runs\/demo\/progress\.md/);
	assert.match(told, /progress\.md was emptied/);
});

test("R-20 R-23 R-29 R-40: Ctrl-C while a claim is looked into: it is looked into again after the resume, and a worker's result is not lost", async () => {
	const slow = "test -e .git/again && exit 1; touch .git/looking; exec sleep 600";
	const result = `mkdir -p ${DIR}/output; echo '{"complete": true, "reason": "worker_done"}' > ${DIR}/output/worker_result.json`;
	const site = ralphSite([on(1, passes("S1"), result, ...MOVES, SAYS)], {
		stories: [story(1, { verification_commands: [slow] }), story(2)],
		scheme: "W",
	});
	const run = site.start(3);
	await until("the check", () => exists(site.repo, ".git/looking"));
	process.kill(run.child.pid ?? 0, "SIGINT");
	exited(await run.done, 130);
	put(site.repo, { ".git/again": "" });
	exited(await site.pawl("resume"), 0);
	assert.deepEqual([site.roles(), site.passes()], ["WWR", [false, false]]);
	assert.deepEqual(reviewModes(site), ["final"]);
	assert.ok(!exists(site.repo, DIR, "output/worker_result.json"), "used up");
});

test("R-36 R-20: a folder in which a review asked for steering goes on with steering", async () => {
	const asked = { ...LOOP_STATE, iteration: 3, last_review_iteration: 3, steering_requested: true, steering_reason: "drift" };
	const more = {
		"run.json": json({ run_id: "demo", status: "running", iteration: 3, max_iterations: 10 }),
		"loop_state.json": json(asked),
	};
	const site = quickRalph([], { scheme: "W2R", more });
	await site.run(4, 5);
	assert.equal(site.roles(), "SW");
	assert.equal(site.json("loop_state.json")["steering_requested"], false);
});

test("R-29 C-03: a reviewer's worker_result.json is no worker's word, in a folder that git ignores as well", async () => {
	const writes = `mkdir -p ${DIR}/output; echo '{"complete": true}' > ${DIR}/output/worker_result.json`;
	const rules = [on(2, writes, ...reviews("no"))];
	for (const site of [quickRalph(rules, { scheme: "WR" }), ralphSite(rules, { scheme: "WR", files: { ".gitignore": "ralph/\n" } })]) {
		await site.run(4, 4);
		assert.deepEqual([site.roles(), reviewModes(site)], ["WRWR", ["periodic", "periodic"]]);
	}
});

test("X-09 R-38 X-27: init that is refused leaves nothing behind; templates are called templates", async () => {
	const site = quickRalph();
	const refused = await site.pawl("ralph", "init", "fresh", "Build it, please", "--agent-command", "/nonexistent/agent");
	assert.match(exited(refused, 2).stderr, /nonexistent/);
	assert.equal(refused.stdout, "");
	assert.deepEqual(uncommitted(site.memory), []);
	assert.match(
		exited(await site.pawl("ralph", "init", "fresh", "Build it, please"), 0).stdout,
		/these are templates: fill in PRD\.md and prd\.json/,
	);
});

test("R-37: a folder that somebody else made gets the table of the control plane when it is run; one of one's own stays", async () => {
	const plane = "ralph/templates/CONTROL_PLANE.md";
	const site = quickRalph([], { scheme: "RW" });
	await site.run(4, 2);
	assert.match(read(site.repo, plane), /^\| `loop_state\.json` \| no \| `steering_requested`/m);
	assert.doesNotMatch(await site.history(), /put back/);
	const own = quickRalph([], { files: { [plane]: "Ours.\n" } });
	await own.run(4, 1);
	assert.equal(read(own.repo, plane), "Ours.\n");
});
