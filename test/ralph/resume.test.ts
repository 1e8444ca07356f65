// A loop that was killed, interrupted, or copied from elsewhere continues where it was.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CRASH, HANG, say } from "../support/fake-agent.ts";
import { exited, kill9, pawl } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import {
	DIR,
	json,
	LOOP_STATE,
	MOVES,
	on,
	passes,
	quickRalph,
	type RalphSite,
	ralphSite,
	reviewModes,
	reviews,
	SAYS,
	transcripts,
} from "../support/ralph-site.ts";
import { exists, git, put, read } from "../support/scratch.ts";

const lines = (text: string) =>
	text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, unknown>);

const FIRST = on(1, passes("S1"), ...MOVES, SAYS);
const HALF = "echo half > half.txt";
async function killed(): Promise<RalphSite> {
	const s = ralphSite([FIRST, on(2, HALF, 'touch "$home/at-two"', HANG)], { scheme: "W2R" });
	const run = s.start(4);
	await s.at("two");
	await kill9(run);
	return s;
}
/** The same in process: the engine goes down in the middle of the session. */
async function died(): Promise<RalphSite> {
	const s = quickRalph([FIRST, on(2, HALF, CRASH)], { scheme: "W2R" });
	assert.match((await s.run(1, 4)).stderr, /pawl dies here/);
	return s;
}

for (const [again, ends] of [
	["resume", killed],
	["run", died],
] as const)
	test(`R-20: ${ends === killed ? "killed (kill -9)" : "gone"} in the middle of an iteration, pawl ${again} does that iteration again and goes on`, async () => {
		const s = await ends();
		assert.deepEqual(
			[s.json("run.json")["status"], s.json("run.json")["iteration"], s.json("orchestration.json")["cursor"]],
			["running", 1, 1],
		);
		if (again === "resume") exited(await s.pawl("resume"), 4);
		else await s.run(4, 4);
		assert.equal(s.roles(), "WWWRW");
		assert.deepEqual(transcripts(s), ["0001-worker.md", "0002-worker.md", "0003-reviewer.md", "0004-worker.md"]);
		assert.deepEqual([s.json("run.json")["iteration"], s.passes()[0], s.agent.left()], [4, true, []]);
		const started = lines(s.file("events.ndjson")).filter((e) => e["event"] === "iteration_started");
		assert.deepEqual(
			started.map((e) => e["iteration"]),
			[1, 2, 2, 3, 4],
		);
		assert.equal(exists(s.repo, "half.txt"), true, "the tree is what the next worker has to go by");
		assert.equal(JSON.parse((await s.pawl("runs", "--json")).stdout).length, 1);
	});

// With real files and git. Every place there is, in process: src/engine/crash.test.ts.
const POINTS = ["before attempt_ended#2"];
for (const point of POINTS)
	test(`R-20 R-39: killed at ${point}, nothing is lost and nothing is counted twice`, async () => {
		const s = ralphSite([], { scheme: "W2R" }, { PAWL_CRASH_AT: point });
		const run = s.start(4);
		assert.equal((await run.done).signal, "SIGKILL");
		exited(await s.pawl("resume"), 4);
		assert.match(s.roles(), /^WW+R+W+$/);
		const events = lines(s.file("events.ndjson"));
		assert.deepEqual(
			[s.json("run.json")["iteration"], s.json("orchestration.json")["cursor"], new Set(events.map((e) => e["pawl"])).size],
			[4, 4, events.length],
		);
		assert.deepEqual(transcripts(s).length, 4);
		assert.equal(events.filter((e) => e["event"] === "iteration_finished").length, 4);
	});

test("R-20: Ctrl-C ends the iteration as cancelled with exit 130; a PROMPT.md that was changed since is what the next worker gets", async () => {
	const s = ralphSite([on(2, `echo mine > ${DIR}/loop_state.json`, 'touch "$home/at-two"', HANG)], { scheme: "W" });
	const run = s.start(3);
	await s.at("two");
	run.child.kill("SIGINT");
	exited(await run.done, 130);
	assert.equal(s.json("run.json")["status"], "paused");
	const better = `${s.file("PROMPT.md")}\nBetter.\n`;
	cpSync(join(s.repo, DIR, "PROMPT.md"), join(s.repo, DIR, "PROMPT.old"));
	put(s.repo, { [`${DIR}/PROMPT.md`]: better });
	exited(await s.pawl("resume"), 4);
	assert.deepEqual(
		s.agent.calls().map((c) => c.prompt === better),
		[false, false, true, true],
	);
	assert.equal(s.json("loop_state.json")["mode"], "worker", "what is pawl's alone is put back all the same");
});

test("R-20: the folder alone is enough to go on elsewhere: number, place, queue, cadence", async () => {
	const s = quickRalph([on(2, ...reviews("yes")), on(3, CRASH)], {
		scheme: "W1R",
		settings: { min_iterations_between_steering: 2 },
	});
	assert.match((await s.run(1, 9)).stderr, /pawl dies here/);
	const there = quickRepository();
	cpSync(join(s.repo, "ralph"), join(there, "ralph"), { recursive: true });
	const agent = quickAgent([
		{ when: { role: "worker" }, do: [...MOVES, SAYS] },
		{ when: { role: "steering" }, do: [say("Steered.")] },
		{ do: reviews("no") },
	]);
	exited(await pawl(["run", "ralph", "demo", "--max-iterations", "6", "--agent-command", agent.command], { cwd: there }), 4);
	assert.deepEqual(
		agent.calls().map((c) => c.env["PAWL_ROLE"]),
		["steering", "worker", "reviewer", "worker"],
	);
	const state = (name: string) => JSON.parse(read(there, DIR, name)) as Record<string, unknown>;
	assert.deepEqual([state("run.json")["iteration"], state("loop_state.json")["last_steering_iteration"]], [6, 3]);
	assert.deepEqual(
		lines(read(there, DIR, "events.ndjson")).flatMap((e) => (e["event"] === "iteration_started" ? [e["iteration"]] : [])),
		[1, 2, 3, 3, 4, 5, 6],
	);
	// Back home the folder is ahead of what is known there.
	cpSync(join(there, "ralph"), join(s.repo, "ralph"), { recursive: true });
	await s.run(4, 7);
	assert.equal(s.json("run.json")["iteration"], 7);
});

test("R-20 R-13: folders of others run as they are: queue, final review, cursor and unknown keys", async () => {
	const s = quickRalph([], {
		more: {
			"run.json": json({
				run_id: "demo",
				status: "running",
				iteration: 3,
				max_iterations: 6,
				created_at: "2026-01-01T00:00:00Z",
				updated_at: "2026-01-01T00:00:00Z",
				error: null,
				driver: "other",
			}),
			"orchestration.json": json({
				scheme: "W2R",
				cursor: 1,
				queue: [{ role: "reviewer", review_mode: "adhoc" }],
				final_review_pending: true,
				note: "theirs",
			}),
			"events.ndjson": '{"event":"theirs"}\n',
		},
	});
	exited(await s.pawl("run", "ralph", "demo", "--agent-command", s.agent.command), 0);
	assert.deepEqual([s.roles(), reviewModes(s)], ["RR", ["adhoc", "final"]]);
	assert.deepEqual(
		[s.json("run.json")["driver"], s.json("orchestration.json")["note"], s.json("run.json")["iteration"]],
		["other", "theirs", 5],
	);
	assert.match(s.file("events.ndjson"), /^\{"event":"theirs"\}\n/);
});

test("R-17: the run folder is no dirt, committed or not; other changes are", async () => {
	const s = ralphSite();
	git(s.repo, "rm", "-rq", "--cached", "ralph");
	git(s.repo, "commit", "-qm", "without the folder");
	await s.run(4, 1);
	put(s.repo, { "README.md": "changed\n" });
	const fresh = await s.run(2, 2, "--fresh");
	assert.match(fresh.stderr, /README\.md/);
	await s.run(4, 2);
	assert.equal(s.roles(), "WW", "work that was begun goes on in the tree as it was left");
});

test("R-20: --fresh begins again from the first iteration", async () => {
	const s = quickRalph([], { scheme: "W" });
	await s.run(4, 2);
	await s.run(4, 1, "--fresh");
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"]], ["WWW", 1]);
});

test("R-36 R-40: steering that was asked for elsewhere is done when the folder goes on; in a new run it is an old word", async () => {
	const asked = json({ ...LOOP_STATE, steering_requested: true, steering_reason: "drift" });
	const run = { run_id: "demo", status: "running", iteration: 2, max_iterations: 9, created_at: "x", updated_at: "x", error: null };
	const s = quickRalph([], { scheme: "W", more: { "loop_state.json": asked, "run.json": json(run) } });
	await s.run(4, 4);
	assert.deepEqual([s.roles(), s.json("loop_state.json")["steering_requested"]], ["SW", false]);
	const anew = quickRalph([on(1, `cp ${DIR}/loop_state.json "$home/seen"`, ...MOVES, SAYS)], {
		scheme: "W",
		more: { "loop_state.json": asked },
	});
	await anew.run(4, 2);
	assert.equal(anew.roles(), "WW");
	assert.equal((JSON.parse(read(anew.agent.flag("seen"))) as Record<string, unknown>)["steering_requested"], false);
});
