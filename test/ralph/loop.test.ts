// The loop itself, from outside: who is called when, with which prompt, and what ends it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commit, echoTo, exit, fakeAgent, say } from "../support/fake-agent.ts";
import { exited, pawl } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import {
	DIR,
	json,
	MOVES,
	on,
	PASSES_ALL,
	passes,
	pauses,
	prompt,
	quickRalph,
	ralphSite,
	reviewModes,
	reviews,
	SAYS,
	story,
	TAG,
	transcripts,
} from "../support/ralph-site.ts";
import { exists } from "../support/scratch.ts";

test("R-01 R-02 R-03 R-39 C-11 C-17: every worker is a fresh process that gets PROMPT.md byte for byte, while the task file changes", async () => {
	const text = `${prompt()}\r\nBytes: $& {{task}} {{promise}} \`x\` "q" ünï 日本 \t trailing   \n\n`;
	const s = ralphSite([{ when: { role: "worker" }, do: [`cp ${DIR}/task.json "$home/task-$nth"`, ...MOVES, SAYS] }], {
		scheme: "W9R",
		more: { "PROMPT.md": text },
	});
	await s.run(4, 3);
	const calls = s.agent.calls();
	assert.deepEqual(
		calls.map((c) => [c.prompt === text, c.argv.join("")]),
		[
			[true, ""],
			[true, ""],
			[true, ""],
		],
	);
	const tasks = [1, 2, 3].map((n) => JSON.parse(readTask(s.agent.flag(`task-${n}`))) as Record<string, unknown>);
	assert.deepEqual(
		tasks.map((t) => [t["run_id"], t["role"], t["iteration"], "review_mode" in t]),
		[1, 2, 3].map((n) => ["demo", "worker", n, false]),
	);
});

test("R-06 R-07 R-08 R-32 G-17: only the exact tag, alone on a line of the final message, ends the loop, at once", async () => {
	const s = quickRalph(
		[
			on(1, ...MOVES, say("<promise>all stories pass</promise>")),
			on(2, ...MOVES, say(`I shall print ${TAG} when I am done.`)),
			on(3, ...MOVES, 'said=1; cat "$call/prompt"'),
			on(4, ...MOVES, say(`Append a progress entry. When all stories pass, end your final message with this line:\n\n${TAG}`)),
			on(5, ...MOVES, say(`\`\`\`\nthe end of PROMPT.md is\n${TAG}\n\`\`\``)),
			on(6, PASSES_ALL, ...MOVES, say(`All there.\n\n\`\`\`\n  <promise> ALL STORIES PASS </promise>  \n\`\`\``)),
		],
		{ scheme: "W" },
	);
	await s.run(0, 9);
	assert.equal(s.roles(), "WWWWWW");
	assert.equal(s.json("run.json")["status"], "completed");
});

test("R-32: with final_review_on_promise a promise leads to a final review", async () => {
	const s = quickRalph([on(1, PASSES_ALL, ...MOVES, say(TAG))], { settings: { final_review_on_promise: true } });
	await s.run(0, 9);
	assert.deepEqual([s.roles(), reviewModes(s)], ["WR", ["final"]]);
});

test("R-05 R-09 R-12 R-20: every iteration counts, the maximum is exit 4, and it is a total over the life of the run", async () => {
	const s = quickRalph([], { scheme: "W1R" });
	const ended = await s.run(4, 3);
	assert.match(ended.all, /3 iterations are used up/);
	assert.match(ended.stdout, /pawl extend \S+ --max-iterations N/);
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"], s.json("run.json")["status"]], ["WRW", 3, "max_iterations"]);
	await s.run(4, 3);
	exited(await s.pawl("resume"), 4);
	assert.equal(s.roles(), "WRW");
	await s.run(4, 5);
	exited(await s.pawl("extend", "latest", "--max-iterations", "5"), 2);
	exited(await s.pawl("extend", "latest", "--max-iterations", "6"), 0);
	exited(await s.pawl("resume"), 4);
	assert.deepEqual([s.roles(), s.json("run.json")["iteration"], s.json("run.json")["max_iterations"]], ["WRWRWR", 6, 6]);
});

test("R-26 R-27 R-12 R-30: W5R where nothing is said, and reviews by the scheme are periodic", async () => {
	const s = quickRalph();
	await s.run(4, 7);
	assert.deepEqual([s.roles(), reviewModes(s)], ["WWWWWRW", ["periodic"]]);
	const config = quickRalph([], { files: { "ralph/config.json": json({ orchestration: { scheme: "W2R2" } }) } });
	await config.run(4, 5);
	assert.equal(config.roles(), "WWRRW");
	const odd = quickRalph([], { scheme: "5W" });
	const refused = await odd.run(2, 3);
	assert.match(refused.stderr, /"5W" is not a scheme/);
	assert.equal(odd.agent.calls().length, 0);
});

test("R-34 R-26: a cadence of reviews in loop_settings stands in for the R of the scheme", async () => {
	const s = quickRalph([], { scheme: "W9R", settings: { review_every_n_iterations: 2 } });
	await s.run(4, 5);
	assert.equal(s.roles(), "WWRWW");
});

test("R-10: an agent that fails counts as an iteration; three in a row end the loop with exit 1, success in between does not", async () => {
	const s = quickRalph([on(2, ...MOVES, SAYS), { do: [exit(3)] }], { scheme: "W" });
	const ended = await s.run(1, 20);
	assert.equal(s.roles(), "WWWWW");
	assert.match(ended.all, /exit(ed with)? (code )?3/);
	assert.deepEqual(transcripts(s).length, 5);
	const patient = quickRalph([{ do: [exit(3)] }], { scheme: "W", settings: { max_consecutive_errors: 4 } });
	await patient.run(1, 20);
	assert.equal(patient.roles(), "WWWW");
});

test("a loop that stands still ends with exit 1 and says what it saw; the number is a setting", async () => {
	const s = quickRalph([{ when: { role: "worker" }, do: [SAYS] }], { scheme: "W2R" });
	const ended = await s.run(1, 20);
	assert.equal(s.roles(), "WWRWWRW");
	assert.match(ended.all, /no progress in 5 iterations of workers: the same story \(S1\), no new commit since [0-9a-f]{8}, no change of/);
	const short = quickRalph([{ when: { role: "worker" }, do: [SAYS] }], { scheme: "W", settings: { no_progress_iterations: 2 } });
	await short.run(1, 20);
	assert.equal(short.roles(), "WW");
	const uncommitted = ralphSite([{ when: { role: "worker" }, do: ['echo "$nth" > left.txt', SAYS] }], {
		scheme: "W",
		settings: { no_progress_iterations: 2 },
	});
	await uncommitted.run(4, 4);
	assert.match(
		uncommitted.git("log", "--format=%s"),
		/pawl: what worker left uncommitted in iteration 4/,
		"what a worker leaves is committed for it",
	);
	assert.equal(uncommitted.git("status", "--porcelain", "--", ":!ralph"), "");
});

test("R-21 R-22 R-25 R-31: a story may take two iterations; all stories passed without a promise is a final review", async () => {
	const s = quickRalph([on(1, ...MOVES, SAYS), on(2, passes("S1"), ...MOVES, SAYS), on(3, passes("S2"), ...MOVES, SAYS)], {
		stories: [story(1), story(2)],
	});
	await s.run(0, 20);
	assert.deepEqual([s.roles(), reviewModes(s), s.passes()], ["WWWR", ["final"], [true, true]]);
});

test("R-29 R-31 R-23: worker_result.json asks for a final review; one that rejects leads back to the workers, and a pass that it takes back is open again", async () => {
	const s = quickRalph(
		[
			on(
				1,
				PASSES_ALL,
				...MOVES,
				`mkdir -p ${DIR}/output && echo '{ "complete": true, "reason": "worker_done" }' > ${DIR}/output/worker_result.json`,
				SAYS,
			),
			on(2, passes("S2", false), ...reviews("no", "no")),
			on(3, `grep -c '"passes": false' ${DIR}/prd.json > "$home/open"`, passes("S2"), ...MOVES, SAYS),
		],
		{ stories: [story(1), story(2)] },
	);
	await s.run(0, 20);
	assert.deepEqual([s.roles(), reviewModes(s)], ["WRWR", ["final", "final"]]);
	assert.equal(readTask(s.agent.flag("open")).trim(), "1");
	assert.equal(exists(s.repo, DIR, "output/worker_result.json"), false);
});

test("R-33: a review without STEERING_NEEDED is asked for once more, then taken for a no, with a warning", async () => {
	const s = quickRalph([{ when: { role: "reviewer" }, do: [say("Looks fine.")] }], { scheme: "W1R" });
	await s.run(4, 3);
	assert.equal(s.roles(), "WRRW");
	assert.match(await s.history(), /the review does not say STEERING_NEEDED/);
	assert.equal(s.json("run.json")["iteration"], 3);
	const second = quickRalph([on(2, say("Hm.")), on(3, ...reviews("yes"))], { scheme: "W1R" });
	await second.run(4, 4);
	assert.equal(second.roles(), "WRRSW");
});

test("R-33: what the message does not say, review.md may, if it was just written", async () => {
	const s = quickRalph(
		[
			{
				when: { role: "reviewer", nth: 2 },
				do: [`printf 'STEERING_NEEDED: yes\\nREASON: x\\n' > ${DIR}/review.md`, say("See review.md.")],
			},
		],
		{ scheme: "W1R" },
	);
	await s.run(4, 3);
	assert.equal(s.roles(), "WRS");
});

test("R-34: steering on yes, never on no, and at its cadence where loop_settings forces it", async () => {
	const asked = quickRalph([on(2, ...reviews("yes"))], { scheme: "W1R" });
	await asked.run(4, 5);
	assert.equal(asked.roles(), "WRSWR");
	assert.equal(asked.json("loop_state.json")["steering_requested"], false);
	assert.equal(asked.json("loop_state.json")["last_steering_iteration"], 3);
	const forced = quickRalph([], { scheme: "W", settings: { steer_every_n_iterations: 2 } });
	await forced.run(4, 6);
	assert.equal(forced.roles(), "WWSWWS");
	const slow = quickRalph([{ when: { role: "reviewer" }, do: reviews("yes") }], {
		scheme: "WR",
		settings: { min_iterations_between_steering: 4 },
	});
	await slow.run(4, 7);
	assert.equal(slow.roles(), "WRSWRWR");
});

test("R-04 R-02: a prompt without a folder; one word is a run id, and an error if there is no such folder", async () => {
	const agent = quickAgent([
		on(2, echoTo("end.txt", "end"), commit("end"), say("<promise>DONE</promise>")),
		{ do: [echoTo("w.txt", "$nth"), commit("w"), say("going on")] },
	]);
	const repo = quickRepository();
	const args = ["--promise", "DONE", "--max-iterations", "9", "--agent-command", agent.command];
	exited(await pawl(["run", "ralph", "Make the tests green", ...args], { cwd: repo }), 0);
	assert.deepEqual(
		agent.calls().map((c) => c.prompt),
		["Make the tests green", "Make the tests green"],
	);
	const refused = exited(await pawl(["run", "ralph", "nowhere", ...args], { cwd: repo }), 2);
	assert.match(refused.stderr, /there is no run folder ralph\/runs\/nowhere/);
	assert.match(exited(await pawl(["run", "ralph", "../x", ...args], { cwd: repo }), 2).stderr, /cannot be the id/);
	assert.equal(agent.calls().length, 2);
	const idle = quickAgent([{ do: [say("nothing to do")] }]);
	const ended = exited(
		await pawl(["run", "ralph", "Do nothing", "--max-iterations", "9", "--agent-command", idle.command], { cwd: repo }),
		1,
	);
	assert.match(ended.all, /no progress in 5 iterations/);
});

test("R-04: ralph/config.json names the commands, each with the task file in it; --agent-command wins", async () => {
	const other = fakeAgent([{ when: { role: "worker" }, do: [...MOVES, SAYS] }, { do: reviews("no") }]);
	const config = {
		driver: { name: "mine", worker_cmd: `${other.command} --task {task_file}`, reviewer_cmd: `cat {task_file} | ${other.command} review` },
	};
	const s = ralphSite([], { scheme: "W1R", files: { "ralph/config.json": json(config) } });
	exited(await s.pawl("run", "ralph", "demo", "--max-iterations", "2"), 4);
	assert.deepEqual(
		other.calls().map((c) => c.argv),
		[["--task", `${s.repo}/${DIR}/task.json`], ["review"]],
	);
	assert.deepEqual([other.calls()[0]?.prompt, JSON.parse(other.calls()[1]?.prompt ?? "")["review_mode"]], [prompt(), "periodic"]);
	const flagged = quickRalph([], { files: { "ralph/config.json": json(config) } });
	await flagged.run(4, 1);
	assert.deepEqual([flagged.roles(), other.calls().length], ["W", 2]);
});

test("X-28: while an iteration runs, status has its number, its role, the stories that pass, and the log can be followed", async () => {
	const s = ralphSite([on(2, pauses("two"), ...MOVES, SAYS), on(1, passes("S1"), ...MOVES, say("said-1-in-the-log"))]);
	const run = s.start(2);
	await s.at("two");
	const text = (await s.pawl("status")).stdout;
	assert.match(text, /iteration 2 of 2 \(worker\)/);
	assert.match(text, /1\/3 stories pass/);
	const view = JSON.parse((await s.pawl("status", "--json")).stdout) as { loop: Record<string, unknown>; elapsed_ms: number };
	assert.deepEqual([view.loop["iteration"], view.loop["role"], view.loop["stories_passed"], view.loop["story"]], [2, "worker", 1, "S2"]);
	assert.ok(view.elapsed_ms > 0);
	assert.match((await s.pawl("logs", "latest")).stdout, /said-1-in-the-log/);
	s.go("two");
	exited(await run.done, 4);
	assert.match(run.said(), /iteration 2 of 2: worker, 1\/3 stories pass/);
});

test("what a person says by pawl steer reaches workers through progress.md, once; they are told where it is", async () => {
	const s = ralphSite([on(1, pauses("one"), ...MOVES, SAYS)], { scheme: "W" });
	const run = s.start(3);
	await s.at("one");
	exited(await s.pawl("steer", "latest", "use tabs"), 0);
	s.go("one");
	exited(await run.done, 4);
	assert.equal(s.file("progress.md").match(/A person says: use tabs/g)?.length, 1);
	assert.equal(s.agent.calls()[0]?.env["PAWL_PROGRESS_FILE"], `${s.repo}/${DIR}/progress.md`);
});

test("T-18 a run without a folder has nothing that could carry what a person says: steer is refused", async () => {
	const agent = quickAgent([{ do: [echoTo("w.txt", "$nth"), commit("w"), say("going on")] }]);
	const repo = quickRepository();
	exited(await pawl(["run", "ralph", "Make the tests green", "--max-iterations", "1", "--agent-command", agent.command], { cwd: repo }), 4);
	assert.match(exited(await pawl(["steer", "latest", "use tabs"], { cwd: repo }), 2).stderr, /cannot be told anything/);
});

test("X-30: --delay leaves time between two iterations", async () => {
	const s = ralphSite([], { scheme: "W" });
	await s.run(4, 2, "--delay", "300ms");
	const [first, second] = s.agent.calls();
	assert.ok((second?.from ?? 0n) - (first?.to ?? 0n) >= 300_000_000n);
});

test("--dry-run shows what workers, reviewers and steering would be given, and starts nothing", async () => {
	const s = quickRalph();
	const shown = await s.run(0, 3, "--dry-run");
	assert.ok(shown.stdout.includes(prompt()));
	assert.match(shown.stdout, /review_mode: final/);
	assert.deepEqual([s.agent.calls().length, exists(s.repo, DIR, "run.json")], [0, false]);
});

function readTask(file: string): string {
	return String(readFileSync(file, "utf8"));
}
