import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { parseSchedule } from "./loop-schedule.ts";

const GO_ON: Route = { action: "retry" };
const looped = (schedule: string, max: string, on: Record<string, Route> = {}) =>
	linear({
		loop: {
			kind: "loop",
			loop: {
				schedule,
				roles: { W: { role: "worker" }, R: { role: "reviewer" }, S: { role: "steering" } },
				max,
				inject: { review_now: "R", steering_needed: "S" },
			},
			on: {
				done: GO_ON,
				review_now: GO_ON,
				steering_needed: GO_ON,
				promise: { action: "next" },
				max_iterations: { action: "fail", target: "run" },
				agent_error: { action: "retry", max: 2 },
				...on,
			},
		},
		after: {},
	});

/** The roles that ran, as letters. */
const letters = (w: World) =>
	w
		.asked("start_attempt")
		.filter((e) => e.role !== "agent")
		.map((e) => e.role[0]?.toUpperCase())
		.join("");

test("R-26 R-09 W5R: five workers, one reviewer, again, until the maximum, which every iteration counts for", () => {
	const w = new World(looped("W5R", "12"));
	w.play();
	assert.equal(letters(w), "WWWWWRWWWWWR");
	assert.deepEqual([w.state.status, w.state.reason], ["failed", "loop: 12 iterations are used up"]);
	assert.equal(w.step("@run", "step-001").iteration, 12);
});

test("R-09 R-26 schedule and maximum may be fields of the run", () => {
	const w = new World(looped("{{scheme}}", "{{max}}"), { fields: { scheme: "W2R", max: "4" } });
	w.play();
	assert.equal(letters(w), "WWRW");
});

test("R-07 a promise ends the loop at once and the run continues after it", () => {
	const w = new World(looped("W5R", "30"));
	w.play({ loop: [{}, {}, { signal: "promise", notes: "all done" }] });
	assert.equal(letters(w), "WWW");
	assert.deepEqual([w.list(), w.started.at(-1)], [["loop completed", "after completed"], "after"]);
	assert.equal(w.step("@run", "step-001").notes, "all done");
});

test("R-28 a role from outside the schedule runs next and does not move it", () => {
	const w = new World(looped("W3R", "9"));
	w.play({ loop: [{}, { signal: "review_now" }, { signal: "steering_needed" }, {}] });
	assert.equal(letters(w), "WWRSWRWWW");
});

test("R-10 an error counts as an iteration and the loop continues, until its cap", () => {
	const w = new World(looped("WR", "30"));
	w.play({ loop: [{ signal: "agent_error" }, {}, { signal: "agent_error", error: "exit 3" }] });
	assert.equal(letters(w), "WRWR");
	assert.deepEqual([w.state.status, w.state.reason], ["failed", "loop: exit 3"]);
	assert.equal(w.step("@run", "step-001").iteration, 4);
});

test("G-15 G-16 later iterations know why one failed, until one of its role ends well", () => {
	const w = new World(looped("WR", "30")).until("loop");
	const feedback = () => w.step("@run", "step-001").feedback;
	w.end("loop", { signal: "agent_error", error: "exit 3" });
	const { role } = w.all("attempt_reported")[0] ?? { role: "" };
	assert.equal(feedback(), `${role}: exit 3`);
	w.end("loop", {});
	assert.equal(feedback(), `${role}: exit 3`, "the reviewer is another role");
	w.end("loop", {});
	assert.equal(feedback(), null);
	assert.deepEqual(
		w.all("step_extended").map((e) => e.reason),
		["exit 3", undefined, undefined],
	);
});

test("a route that goes on in the loop keeps what it is told to keep", () => {
	const w = new World(looped("WR", "2", { done: { action: "retry", set: { last: "{{REASON}}" } } }));
	w.play({ loop: { fields: { REASON: "r" } } });
	assert.equal(w.scope().fields["last"], "r");
});

test("a rate limit does not use up an iteration nor move the schedule", () => {
	const w = new World(looped("WR", "3"));
	w.play({ loop: [{}, { signal: "rate_limited" }, {}] });
	assert.equal(letters(w), "WRRW");
});

test("R-20 an interrupted loop continues where it was: the iteration is repeated, count and position stay", () => {
	const w = new World(looped("W2R", "4"));
	w.play({ loop: [{}, {}, null] });
	w.feed({ type: "stop", how: "interrupt" });
	w.end("loop", "cancelled");
	assert.equal(w.state.status, "paused");
	w.feed({ type: "resume" });
	w.play();
	assert.equal(letters(w), "WWRRW");
	assert.deepEqual([w.state.status, w.state.reason], ["failed", "loop: 4 iterations are used up"]);
});

test("a pause between two iterations, and going on", () => {
	const w = new World(looped("W", "3"));
	w.feed({ type: "stop", how: "pause" });
	w.end("loop");
	assert.deepEqual([w.state.status, w.list()[0]], ["paused", "loop in_progress"]);
	w.feed({ type: "resume" });
	w.play();
	assert.equal(letters(w), "WWW");
});

test("R-27 the grammar of a schedule", () => {
	const parse = (text: string) => parseSchedule(text, ["W", "R"])?.join("") ?? null;
	assert.deepEqual(["W2R", "WR", "W", "W3R2", "X3", "", "W0", "5W", "W R", "w", "W99999", "W5R!"].map(parse), [
		"WWR",
		"WR",
		"W",
		"WWWRR",
		null,
		null,
		null,
		null,
		null,
		null,
		null,
		null,
	]);
});

test("a schedule that cannot be read ends the loop as an error instead of hanging it", () => {
	const w = new World(looped("X3", "5"));
	assert.equal(w.state.status, "failed");
	assert.match(w.state.reason ?? "", /X3/);
});

test("R-31 a role that was called in also takes the turn of the letter that it stands for, if that comes next; the schedule goes on behind it", () => {
	const definition = looped("W2R", "7");
	const { loop } = definition.types["loop"] ?? {};
	assert.ok(loop);
	const roles = { ...loop.roles, F: { role: "final", insteadOf: "R" } };
	const inject = { final_now: "F", steer_now: "S", work_now: "W" };
	const types = {
		...definition.types,
		loop: { ...definition.types["loop"]!, loop: { ...loop, roles: { ...roles, S: { role: "steering" } }, inject } },
	};
	const run = (...answers: { signal?: string }[]) => {
		const w = new World({
			...definition,
			types: { ...types, loop: { ...types.loop, routes: { ...types.loop.routes, final_now: GO_ON, steer_now: GO_ON, work_now: GO_ON } } },
		});
		w.play({ loop: [...answers, {}] });
		return letters(w);
	};
	assert.equal(run({}, { signal: "final_now" }), "WWFWWRW", "no R right after F");
	assert.equal(run({ signal: "final_now" }, {}), "WFWRWWR", "F in the middle: the schedule stays where it is");
	assert.equal(run({}, { signal: "final_now" }, { signal: "steer_now" }), "WWFSWWR", "nor after F and S: nobody worked in between");
	assert.equal(run({}, { signal: "final_now" }, { signal: "work_now" }), "WWFWRWW", "but after a worker that F called in");
	assert.equal(run({}, { signal: "steer_now" }), "WWSRWWR", "S alone takes nobody's turn");
});
