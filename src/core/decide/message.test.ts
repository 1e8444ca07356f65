import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loop, Route } from "../definition.ts";
import type { Message } from "../input.ts";
import { linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const GO_ON: Route = { action: "retry" };
const again = (schedule: string, max: string, more: Partial<Loop> = {}, on: Record<string, Route> = {}) =>
	linear({
		loop: {
			kind: "loop",
			leavesWork: true,
			loop: {
				schedule,
				roles: { W: { role: "worker" }, R: { role: "reviewer" }, A: { role: "reviewer", fields: { mode: "adhoc" } } },
				max,
				inject: { review: "A" },
				...more,
			},
			on: {
				done: GO_ON,
				review: GO_ON,
				halt: { action: "complete" },
				max_iterations: { action: "stop" },
				agent_error: { action: "retry", max: 2, per: "row" },
				lost: { action: "reopen", max: 3, per: "row" },
				...on,
			},
		},
	});
const letters = (w: World) =>
	w
		.all("step_started")
		.filter((e) => e.role !== "")
		.map((e) => e.letter)
		.join("");
let nth = 0;
const tell = (w: World, message: Partial<Message>, id = `m${++nth}`) =>
	w.feed({ type: "message", inbox: "control", id, message: { text: "a message", ...message } });

test("R-28 a role that a message calls in runs next, once, and does not move the schedule", () => {
	const w = new World(again("W2R", "7"));
	w.end("loop");
	tell(w, { signals: ["review"] });
	w.play();
	assert.equal(letters(w), "WWARWWR");
});

test("R-40 the same message again changes nothing", () => {
	const w = new World(again("W", "4"));
	tell(w, { signals: ["review"] }, "one");
	assert.deepEqual(tell(w, { signals: ["review"] }, "one"), []);
	w.play();
	assert.equal(letters(w), "WAWW");
	assert.deepEqual(
		w.all("message_taken").map((e) => e.id),
		["one"],
	);
});

test("a held loop ends its iteration, starts nothing, and continues when it may", () => {
	const w = new World(again("W", "3"));
	tell(w, { hold: true });
	w.end("loop");
	assert.deepEqual([letters(w), w.state.status, w.jobs.length], ["W", "running", 0]);
	tell(w, { hold: false });
	w.play();
	assert.equal(letters(w), "WWW");
});

test("T-42 why a loop is held, stopped or ended is what was asked, without what else stands in the message", () => {
	const w = new World(again("W", "9"));
	tell(w, { hold: true, text: 'pause (lunch); "mine" is no key', reason: "pause (lunch)" });
	assert.equal(w.state.held, "pause (lunch)");
	tell(w, { hold: false, signals: ["halt"], text: 'enough; "mine" is no key', reason: "enough" });
	assert.deepEqual(w.all("loop_asked").at(-1)?.asked, { signal: "halt", reason: "enough" });
	assert.deepEqual(
		w.all("message_taken").map(({ text }) => text),
		['pause (lunch); "mine" is no key', 'enough; "mine" is no key'],
	);
});

test("R-11 a signal of the loop is routed when the current iteration has ended; a held loop takes it as well", () => {
	const w = new World(again("W", "9"));
	tell(w, { signals: ["halt"], text: "enough" });
	assert.equal(w.state.status, "running");
	w.end("loop");
	assert.deepEqual([letters(w), w.state.status], ["W", "completed"]);
	const held = new World(again("W", "9"));
	tell(held, { hold: true });
	held.end("loop");
	tell(held, { signals: ["halt"] });
	assert.equal(held.state.status, "completed");
});

test("an urgent message ends the current iteration", () => {
	const w = new World(again("W", "9"));
	tell(w, { signals: ["halt"], now: true });
	assert.equal(w.asked("cancel_attempt").length, 1);
	w.end("loop", "cancelled");
	assert.deepEqual([w.state.status, w.asked("rollback").length], ["completed", 0]);
});

test("a skipped position of the schedule is not an iteration; a role that was called in is not skipped", () => {
	const w = new World(again("W2R", "5"));
	tell(w, { skip: 1, signals: ["review"] });
	w.play();
	assert.equal(letters(w), "WARWW");
});

test("a message adds to a number of the run", () => {
	const w = new World(again("W", "{{most}}"), { fields: { most: "2" } });
	tell(w, { add: { most: 3 } });
	w.play();
	assert.equal(letters(w), "WWWWW");
});

test("R-09 at its maximum the run stops as at a limit, and continues where it was once that is raised", () => {
	const w = new World(again("W2R", "{{most}}"), { fields: { most: "2" } });
	w.play();
	assert.deepEqual([letters(w), w.state.status, w.state.reason], ["WW", "stopped", "2 iterations are used up"]);
	w.feed({ type: "resume" });
	assert.equal(w.state.status, "stopped");
	w.feed({ type: "extend", budgets: {}, fields: { most: "4" } });
	w.feed({ type: "resume" });
	w.play();
	assert.equal(letters(w), "WWRW");
});

test("R-10 errors in a row end the loop, errors with success between them do not", () => {
	const w = new World(again("W", "30"));
	w.play({ loop: [{ signal: "agent_error" }, { signal: "agent_error" }, {}, { signal: "agent_error", error: "exit 7" }] });
	assert.deepEqual([letters(w).length, w.state.status, w.state.reason], [6, "failed", "loop: exit 7"]);
});

test("R-10 how many errors in a row may be a field", () => {
	const w = new World(
		again(
			"W",
			"30",
			{},
			{ agent_error: { action: "retry", max: 2, maxField: "errors", per: "row", exhausted: { action: "fail", target: "run" } } },
		),
		{ fields: { errors: "4" } },
	);
	w.play({ loop: { signal: "agent_error" } });
	assert.equal(letters(w).length, 5);
});

test("R-20 a loop that was begun elsewhere continues with its number, position and queue", () => {
	const w = new World(again("W2R", "9", { start: { iteration: "{{at}}", cursor: "{{place}}", queue: "{{queue}}" } }), {
		fields: { at: "5", place: "2", queue: "A?" },
	});
	w.play();
	assert.equal(letters(w), "ARWW");
	assert.equal(w.step("@run", "step-001").iteration, 9);
});

test("R-20 an iteration that was lost is done again under its number, from the queue as well", () => {
	const w = new World(again("W", "3"));
	tell(w, { signals: ["review"] });
	w.end("loop");
	w.end("loop", "lost");
	w.play();
	assert.equal(letters(w), "WAAW");
});

test("X-30 between two iterations there is a delay, and a message is taken while it lasts", () => {
	const w = new World(again("W", "3", { delay: "{{delay}}" }), { fields: { delay: "5000" } });
	w.end("loop");
	assert.equal(w.jobs.length, 0);
	w.at += 4999;
	w.feed({ type: "advance" });
	assert.equal(w.jobs.length, 0);
	w.at += 1;
	w.feed({ type: "advance" });
	assert.equal(w.jobs.length, 1);
	w.end("loop");
	tell(w, { signals: ["halt"] });
	assert.equal(w.state.status, "completed");
});

test("R-40 a message that asks for nothing new is only noted; holding twice is holding once", () => {
	const w = new World(again("W", "9"));
	const names = (message: Partial<Message>) => tell(w, message).map((e) => e.event);
	assert.deepEqual(names({}), ["message_taken"]);
	assert.deepEqual(names({ hold: false }), ["message_taken"], "it is not held");
	assert.deepEqual(names({ hold: true }), ["message_taken", "run_held"]);
	assert.deepEqual(names({ hold: true }), ["message_taken"]);
	assert.deepEqual(names({ hold: false }), ["message_taken", "run_held"]);
	assert.equal(w.state.held, null);
	assert.deepEqual(names({ skip: 2 }), ["message_taken", "loop_asked"]);
	assert.deepEqual(names({ skip: 1 }), ["message_taken", "loop_asked"]);
	assert.equal(w.find("@run", "loop").skips, 3);
	assert.deepEqual(names({ signals: ["halt"] }), ["message_taken", "loop_asked"]);
	assert.deepEqual(names({ signals: ["review"] }), ["message_taken", "loop_asked"]);
	assert.deepEqual(w.find("@run", "loop").asked, { signal: "halt", reason: "a message" }, "calling somebody in takes nothing back");
	assert.deepEqual(w.find("@run", "loop").queue, ["A"]);
	assert.equal(w.asked("cancel_attempt").length, 0, "nobody said that it is urgent");
});

test("a message adds to numbers only; where there is no number it adds nothing", () => {
	const w = new World(again("W", "9"), { fields: { count: "3", word: "x" } });
	const added = (add: Record<string, number>) =>
		tell(w, { add })
			.filter((e) => e.event === "fields_set")
			.map((e) => e.fields);
	assert.deepEqual(added({ count: 2 }), [{ count: "5" }]);
	assert.deepEqual(added({ word: 2 }), []);
	assert.deepEqual(added({ nothing: 2 }), []);
	assert.deepEqual(added({ count: Number.NaN }), []);
});

test("a message to a run without a loop, or one that is over, asks nobody for anything", () => {
	const w = new World(linear({ work: {} }));
	assert.deepEqual(
		tell(w, { signals: ["halt"], skip: 1, now: true }).map((e) => e.event),
		["message_taken"],
	);
	assert.equal(w.asked("cancel_attempt").length, 0);
	w.end("work");
	assert.deepEqual(tell(w, {}), []);
});

test("R-20 where the work was begun elsewhere: each of number, position and queue counts alone; nonsense counts as nothing", () => {
	const begun = (start: Loop["start"]) => {
		const w = new World(again("WWR", "9", { start: start ?? {} }));
		const { iteration, cursor, queue } = w.find("@run", "loop");
		return [iteration, cursor, queue.join(""), letters(w), w.all("step_extended").length];
	};
	assert.deepEqual(begun({}), [0, 0, "", "W", 0]);
	assert.deepEqual(begun({ iteration: "4" }), [4, 0, "", "W", 1]);
	assert.deepEqual(begun({ cursor: "2" }), [0, 2, "", "R", 1]);
	assert.deepEqual(begun({ queue: "AxR" }), [0, 0, "AR", "A", 1]);
	assert.deepEqual(begun({ iteration: "-1", cursor: "1.5", queue: "x" }), [0, 0, "", "W", 0]);
});

test("a schedule that names nobody ends the loop as an error that shows it, and the step has begun", () => {
	const w = new World(again("{{plan}}", "9", {}, { agent_error: { action: "fail", target: "run" } }), { fields: { plan: "Q2" } });
	assert.deepEqual([w.state.status, w.state.reason], ["failed", "loop: the schedule Q2 names no known role"]);
	assert.deepEqual(
		w.all("step_started").map((e) => [e.attempt, e.role]),
		[[1, ""]],
	);
	const v = new World(again("{{plan}}", "9", {}, { agent_error: { action: "fail", target: "run" } }));
	assert.equal(v.state.reason, "loop: the schedule {{plan}} names no known role");
});

test("X-30 a delay that is no number above zero is none", () => {
	for (const [delay, until] of [
		["50", 50],
		["0", undefined],
		["-5", undefined],
		["soon", undefined],
		["Infinity", undefined],
	] as const) {
		const w = new World(again("W", "9", { delay }));
		w.end("loop");
		const said = w.all("step_extended").at(-1);
		assert.equal(said?.until === undefined ? undefined : said.until - w.at, until, delay);
	}
});
