// control.json: what people and reviewers ask of a loop under way. Everything is taken once, between two iterations, and journaled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HANG, meanwhile, say } from "../support/fake-agent.ts";
import { exited } from "../support/pawl.ts";
import { DIR, json, MOVES, on, pauses, quickRalph, type RalphSite, ralphSite, reviewModes, reviews, SAYS } from "../support/ralph-site.ts";
import { exists, put, until } from "../support/scratch.ts";

const FLAGS = {
	pause: false,
	stop_soft: false,
	stop_hard: false,
	skip_iteration: false,
	add_iterations: 0,
	review_now: false,
	review_next: false,
};

/** A loop whose control.json is changed while the session of this number runs. */
function asked(nth: number, patch: Record<string, unknown>, scheme: string): RalphSite {
	const asks = meanwhile(() => s.control(patch));
	const s: RalphSite = quickRalph([on(nth, asks, ...MOVES, SAYS)], { scheme });
	return s;
}

test("R-28 R-30 R-40: review_now and review_next bring an ad hoc review, once, and the count of workers goes on", async () => {
	const s = asked(2, { review_now: true, review_next: true }, "W3R");
	await s.run(4, 7);
	assert.deepEqual([s.roles(), reviewModes(s)], ["WWRWRWW", ["adhoc", "periodic"]]);
	assert.deepEqual(s.json("control.json"), FLAGS);
	assert.equal((await s.history()).match(/message taken from run-folder: review_now, review_next/g)?.length, 1);
	assert.match(s.file("events.ndjson"), /"event":"control","text":"review_now, review_next"/);
});

const isHeld = (s: RalphSite): boolean =>
	exists(s.repo, DIR, "run.json") && s.json("run.json")["status"] === "paused" && s.json("run.json")["iteration"] === 1;

test("pause holds the loop for as long as it is there; what else is asked is taken meanwhile", async () => {
	const s = asked(1, { pause: true }, "W");
	const run = s.run(4, 2);
	await until("the loop is held", () => isHeld(s));
	assert.equal(s.json("control.json")["pause"], true);
	s.control({ add_iterations: 1 });
	await until("more iterations are taken", () => s.json("run.json")["max_iterations"] === 3);
	assert.deepEqual([s.roles(), s.json("control.json")["add_iterations"]], ["W", 0]);
	s.control({ pause: false });
	await run;
	assert.equal(s.roles(), "WWW");
	assert.match(await s.history(), /held: pause[\s\S]*goes on/);
});

test("PROMPT.md that is changed while the loop is held is what the next worker gets", async () => {
	const s = asked(1, { pause: true }, "W");
	const run = s.run(4, 2);
	await until("the loop is held", () => isHeld(s));
	const better = `${s.file("PROMPT.md")}\nBetter.\n`;
	put(s.repo, { [`${DIR}/PROMPT.md`]: better });
	s.control({ pause: false });
	await run;
	assert.equal(s.agent.calls()[1]?.prompt, better);
});

test("R-11: stop_soft lets the iteration end and starts none; the folder goes on from there when it is started again", async () => {
	const s = asked(2, { stop_soft: true }, "W2R");
	await s.run(0, 9);
	assert.deepEqual(
		[s.roles(), s.json("run.json")["status"], s.json("run.json")["iteration"], s.json("control.json")],
		["WW", "stopped", 2, FLAGS],
	);
	await s.run(4, 4);
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"]], ["WWRW", 4]);
});

test("R-11 R-40: a reviewer stops the run by control.json, in the words of others as well", async () => {
	const s = quickRalph([on(2, `printf '{"stop": true, "reason": "it is beyond repair"}' > ${DIR}/control.json`, ...reviews("yes"))], {
		scheme: "WR",
	});
	const ended = await s.run(0, 9);
	assert.equal(s.roles(), "WR");
	assert.match(ended.all, /stop \(it is beyond repair\)/);
	assert.deepEqual(s.json("control.json"), FLAGS);
});

test("stop_hard ends the iteration under way; what it had done stays in the tree, and no process is left", async () => {
	const s = ralphSite([on(1, ...MOVES, SAYS), on(2, "echo half > half.txt", 'touch "$home/at-two"', HANG)], { scheme: "W" });
	const run = s.start(9);
	await s.at("two");
	s.control({ stop_hard: true });
	exited(await run.done, 0);
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"], exists(s.repo, "half.txt"), s.agent.left()], ["WW", 1, true, []]);
	await s.run(4, 2);
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"]], ["WWW", 2]);
});

test("skip_iteration passes over one place of the schedule and is used up", async () => {
	const s = asked(1, { skip_iteration: true }, "W2R");
	await s.run(4, 4);
	assert.deepEqual([s.roles(), s.json("control.json")], ["WRWW", FLAGS]);
});

test("R-40: what a run that is over left behind has no word in a new one; keys of others stay", async () => {
	const s = quickRalph([], {
		scheme: "W",
		more: {
			"control.json": json({ ...FLAGS, stop_soft: true, review_now: true, pause: true, mine: 1 }),
			"output/worker_result.json": json({ complete: true, reason: "worker_done" }),
			"run.json": json({
				run_id: "demo",
				status: "completed",
				iteration: 8,
				max_iterations: 8,
				created_at: "then",
				updated_at: "then",
				error: null,
				theirs: true,
			}),
		},
	});
	await s.run(4, 2);
	assert.deepEqual([s.roles(), s.json("control.json")], ["WW", { ...FLAGS, mine: 1 }]);
	assert.deepEqual([s.json("run.json")["iteration"], s.json("run.json")["theirs"], s.json("run.json")["created_at"]], [2, true, "then"]);
	assert.match(await s.history(), /left from before this run, cleared: pause, stop_soft, review_now/);
});

test("R-40: a flag that is set while the loop is stopped counts when it goes on, once", async () => {
	const s = quickRalph([], { scheme: "W" });
	await s.run(4, 1);
	s.control({ review_next: true });
	await s.run(4, 3);
	assert.deepEqual([s.roles(), reviewModes(s), s.json("control.json")], ["WRW", ["adhoc"], FLAGS]);
});

test("R-40: killed between the journal and the file, a message is not taken twice", async () => {
	const s = ralphSite([on(1, pauses("one"), ...MOVES, SAYS)], { scheme: "W" }, { PAWL_CRASH_AT: "message taken" });
	const run = s.start(5);
	await s.at("one");
	s.control({ review_now: true });
	assert.equal((await run.done).signal, "SIGKILL");
	assert.equal(s.json("control.json")["review_now"], true);
	s.go("one");
	exited(await s.pawl("resume"), 4);
	// The worker of the first iteration was lost with pawl; the review that was asked for comes first, then the worker is called again.
	assert.deepEqual([s.roles(), reviewModes(s), s.json("control.json")], ["WRWWWW", ["adhoc"], FLAGS]);
});

test("T-42: a stop ends as stopped, with its reason everywhere, and the same run goes on from there", async () => {
	const s = asked(1, { stop: true, reason: "the plan makes no sense" }, "W");
	const ended = await s.run(0, 9);
	assert.match(ended.stdout.trim().split("\n")[0] ?? "", /ralph stopped/);
	assert.match(ended.stdout, /the plan makes no sense/);
	assert.deepEqual([s.json("run.json")["status"], s.json("run.json")["error"]], ["stopped", "stop (the plan makes no sense)"]);
	const status = await s.pawl("status");
	assert.match(status.stdout, /stopped[\s\S]*the plan makes no sense/);
	await s.run(4, 2);
	assert.deepEqual([s.roles(), s.json("run.json")["status"]], ["WW", "max_iterations"]);
	assert.equal(JSON.parse((await s.pawl("runs", "--json")).stdout).length, 1);
});

test("T-42: what is wrong with a control.json is said once, in the terminal, in events.ndjson and to the next iteration", async () => {
	const wrong = ['{"pause": tru', '{"pauze": true, "stop_soft": "yes", "review_next": true}'];
	const s = ralphSite(
		wrong.map((_, i) => on(i + 1, pauses(`at${i}`), ...MOVES, SAYS)),
		{ scheme: "W" },
	);
	const run = s.start(4);
	for (const [i, text] of wrong.entries()) {
		await s.at(`at${i}`);
		put(s.repo, { [`${DIR}/control.json`]: text });
		s.go(`at${i}`);
	}
	const ended = exited(await run.done, 4);
	assert.equal(s.roles(), "WWRW", "what is right is taken");
	for (const text of [ended.stderr, s.file("events.ndjson"), s.file("progress.md")])
		for (const what of [/line 1 is no JSON/, /pauze/, /stop_soft must be true or false/])
			assert.equal(text.match(new RegExp(what, "g"))?.length, 1, `${what}: ${text}`);
	assert.deepEqual(s.json("control.json"), { pauze: true, ...FLAGS });
});

test("a control.json that is no JSON, or a link, asks for nothing", async () => {
	const s = quickRalph(
		[on(1, `echo '{' > ${DIR}/control.json`, ...MOVES, SAYS), on(2, `ln -sf /etc/passwd ${DIR}/control.json`, ...MOVES, say("x"))],
		{ scheme: "W" },
	);
	await s.run(4, 3);
	assert.equal(s.roles(), "WWW");
});
