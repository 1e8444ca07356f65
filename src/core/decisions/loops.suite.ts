// Loops: whose turn it is, who is called in, when it pauses and when it ends; messages that people and agents leave for it.
import type { Loop, Route } from "../definition.ts";
import type { Message } from "../input.ts";
import { failedCheck, linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { type Setup, World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const again: Route = { action: "retry" };
const ROLES: Loop["roles"] = {
	W: { role: "worker" },
	R: { role: "reviewer" },
	F: { role: "fixer", insteadOf: "R" },
	B: { role: "browser", insteadOf: "B" },
};
const loopOf = (loop: Partial<Loop> = {}, more: TypePart = {}): TypePart => ({
	kind: "loop",
	loop: { schedule: "W2R", roles: ROLES, max: "9", inject: { fix: "F", browse: "B", review: "R" }, ...loop },
	...more,
	on: {
		done: again,
		fix: again,
		browse: again,
		review: again,
		unreadable: again,
		halt: { action: "stop" },
		finish: { action: "next" },
		max_iterations: { action: "next" },
		...more.on,
	},
});
const run = (loop: Partial<Loop> = {}, more: TypePart = {}, setup: Setup = {}) =>
	new World(linear({ loop: loopOf(loop, more), tidy: {} }), setup);
const message = (w: World, id: string, more: Partial<Message>, inbox = "control") =>
	w.feed({ type: "message", inbox, id, message: { text: `text of ${id}`, ...more } });

/** A message holds the run before its loop begins. */
const heldAtFirst = (start: Loop["start"]) => {
	const w = untold(new World(linear({ work: {}, loop: loopOf({ ...(start === undefined ? {} : { start }) }) })));
	message(w, "m1", { hold: true });
	w.end("work");
	w.feed({ type: "advance" });
	message(w, "m2", { hold: false });
	return w;
};

export const LOOPS: Scenarios = {
	"the schedule says whose turn it is, until the maximum": () => {
		const w = run({ max: "{{most}}" }, {}, { fields: { most: "4" } });
		for (const role of ["worker", "worker", "reviewer", "worker"]) w.end(`loop ${role}`);
		w.end("tidy");
		return w;
	},
	"a maximum that is no number is none": () => {
		const w = run({ max: "many" });
		w.end("loop worker");
		return w;
	},
	"a maximum of none ends the loop before it begins": () => run({ max: "0" }),
	"a schedule with letters that nobody has is an error": () => run({ schedule: "WX" }),
	"a schedule from a field that is empty is an error": () => run({ schedule: "{{plan}}" }),
	"a schedule of nothing is an error": () => run({ schedule: "W0" }),
	"who is called in comes first, and the schedule goes on where it was": () => {
		const w = run();
		w.end("loop worker", { signal: "browse" });
		w.end("loop browser");
		w.end("loop worker");
		return w;
	},
	"who is called in instead of the one whose turn comes takes that turn": () => {
		const w = run();
		w.end("loop worker");
		w.end("loop worker", { signal: "fix" });
		w.end("loop fixer");
		w.end("loop worker");
		return w;
	},
	"who is called in instead of another takes no turn when it is not the other's": () => {
		const w = run();
		w.end("loop worker", { signal: "fix" });
		w.end("loop fixer");
		return w;
	},
	"one that the schedule names and that is called in after it keeps the turn": () => {
		const w = run({ schedule: "WRW" });
		w.end("loop worker", { signal: "fix" });
		message(w, "m1", { signals: ["browse"] });
		w.end("loop fixer");
		w.end("loop browser");
		return w;
	},
	"a turn is taken also if the one whose turn it is has been called in as well": () => {
		const w = untold(run({ schedule: "WRW" }));
		w.end("loop worker", { signal: "fix" });
		message(w, "m1", { signals: ["review"] });
		w.end("loop fixer");
		return w;
	},
	"a turn is not taken while the schedule's own role is queued behind": () => {
		const w = new World(
			linear({
				loop: loopOf(
					{ schedule: "WRX", roles: { ...ROLES, X: { role: "extra" } }, inject: { fix: "F", more: "X" } },
					{ on: { more: again } },
				),
			}),
		);
		w.end("loop worker", { signal: "fix" });
		message(w, "m1", { signals: ["more"] });
		w.end("loop fixer");
		return w;
	},
	"an iteration that fails tells the next one why; one that is done does not": () => {
		const w = run({}, { on: { checks_failed: again } });
		w.end("loop worker", { signal: "unreadable", error: "no STATUS" });
		w.end("loop worker", { checks: [failedCheck()] });
		w.end("loop reviewer", { notes: "all fine" });
		return w;
	},
	"a loop pauses between two iterations": () => {
		const w = run({ delay: "{{delay}}" }, {}, { fields: { delay: "500" } });
		w.end("loop worker");
		w.feed({ type: "advance" });
		w.at += 499;
		w.feed({ type: "advance" });
		w.at += 1;
		w.feed({ type: "advance" });
		return w;
	},
	"a pause that is no number is none": () => run({ delay: "soon" }).play({ loop: [{}, null] }),
	"a pause of less than nothing is none": () => run({ delay: "-5" }).play({ loop: [{}, null] }),
	"a loop that was begun elsewhere goes on there": () => {
		const w = run(
			{ start: { iteration: "{{done}}", cursor: "2", queue: "{{calls}}" }, max: "4" },
			{},
			{ fields: { done: "2", calls: "BxF" } },
		);
		w.end("loop browser");
		w.end("loop fixer");
		return w;
	},
	"a loop that was begun with nothing begins as any other": () =>
		run({ start: { iteration: "{{done}}", cursor: "-1" } }, {}, { fields: { done: "1.5" } }),
	"a loop that was begun elsewhere with nothing but who is called": () => run({ start: { queue: "R" } }),
	"a loop that was begun elsewhere and is held at first begins once: its iterations": () => heldAtFirst({ iteration: "2" }),
	"a loop that was begun elsewhere and is held at first begins once: its place": () => heldAtFirst({ cursor: "2" }),
	"a loop that was begun elsewhere and is held at first begins once: who is called": () => heldAtFirst({ queue: "BF" }),
	"a loop that has begun does not begin elsewhere any more": () => {
		const w = untold(run({ start: { iteration: "{{done}}" } }, {}, { fields: { done: "0" } }));
		message(w, "m1", { add: { done: 3 } });
		w.end("loop worker", "cancelled");
		return w;
	},
	"a lost iteration is tried again by the route of a lost step": () => {
		const w = run();
		w.end("loop worker", "lost");
		return w;
	},
	"a cancelled iteration is put back, and the same turn comes again": () => {
		const w = run();
		w.end("loop worker");
		w.feed({ type: "stop", how: "pause" });
		w.end("loop worker", "cancelled");
		w.feed({ type: "resume" });
		return w;
	},
	"a loop in a story": () => {
		const w = new World(stories({ loop: loopOf({ max: "2" }), check: {} }), { stories: ["A"] });
		w.end("A loop");
		w.end("A loop", { signal: "fix" });
		return w;
	},
	"message: calls roles, and is taken once": () => {
		const w = run();
		message(w, "m1", { signals: ["browse", "review"], reason: "look at the page" });
		message(w, "m1", { signals: ["browse"] });
		message(w, "m1", { signals: ["browse"] }, "other");
		w.end("loop worker");
		return w;
	},
	"message: a signal of the loop is routed when the iteration ends": () => {
		const w = run();
		message(w, "m1", { signals: ["halt", "finish", "browse"], reason: "stop it" });
		w.end("loop worker");
		return w;
	},
	"message: a signal without a reason is told with its text": () => {
		const w = run();
		message(w, "m1", { signals: ["halt"] });
		w.end("loop worker");
		return w;
	},
	"message: a signal that was asked for does not wait for the pause to end": () => {
		const w = run({ delay: "500" });
		w.end("loop worker");
		message(w, "m1", { signals: ["finish"] });
		return w;
	},
	"message: one that asks for nothing changes nothing": () => {
		const w = run();
		message(w, "m1", {});
		message(w, "m2", { skip: 0, signals: [] });
		return w;
	},
	"message: positions of the schedule are skipped, and not who was called in": () => {
		const w = run();
		message(w, "m1", { skip: 1 });
		message(w, "m2", { skip: 1, signals: ["browse"] });
		w.end("loop worker");
		w.end("loop browser");
		return w;
	},
	"message: skipping keeps a signal that was asked for": () => {
		const w = run();
		message(w, "m1", { signals: ["finish"] });
		message(w, "m2", { skip: 2 });
		w.end("loop worker");
		return w;
	},
	"message: hold and go on": () => {
		const w = run();
		message(w, "m1", { hold: true, reason: "lunch" });
		message(w, "m2", { hold: true, reason: "coffee" });
		w.end("loop worker");
		w.feed({ type: "advance" });
		message(w, "m3", { hold: false });
		message(w, "m4", { hold: false });
		return w;
	},
	"message: a held loop ends by a signal that was asked for": () => {
		const w = run();
		message(w, "m1", { hold: true });
		w.end("loop worker");
		message(w, "m2", { signals: ["finish"] });
		return w;
	},
	"message: the iteration ends now": () => {
		const w = run();
		message(w, "m1", { now: true, signals: ["halt"], reason: "wrong way" });
		w.end("loop worker", "cancelled");
		return w;
	},
	"message: adds to fields that hold numbers, while nobody works also to a person's limit": () => {
		const w = run({ delay: "500", max: "{{most}}" }, {}, { fields: { most: "3", word: "x" }, options: { ownLimits: ["most"] } });
		message(w, "m1", { add: { most: 2, word: 1, nothing: 3 } });
		w.end("loop worker");
		message(w, "m2", { add: { most: 2 } });
		message(w, "m3", { add: { most: Number.POSITIVE_INFINITY } });
		return w;
	},
	"message: asks a person for more of a limit with words in its name": () => {
		const w = run({ max: "{{most_turns}}" }, {}, { fields: { most_turns: "3", other: "1" }, options: { ownLimits: ["most_turns"] } });
		message(w, "m1", { add: { most_turns: 2, other: 4 } });
		return w;
	},
	"message: to a run that is over, or that has no loop": () => {
		const w = new World(linear({ work: {} }));
		message(w, "m1", { signals: ["halt"], skip: 2, now: true });
		w.end("work");
		message(w, "m2", { hold: true });
		return w;
	},
	"message: a signal to a loop that has not begun is no iteration": () => {
		const w = untold(new World(linear({ work: {}, loop: loopOf() })));
		message(w, "m1", { signals: ["done"] });
		w.end("work");
		return w;
	},
	"message: to a loop that has not begun": () => {
		const w = new World(linear({ work: {}, loop: loopOf() }));
		message(w, "m1", { signals: ["browse"], skip: 1 });
		w.end("work");
		w.end("loop browser");
		return w;
	},
	"a person gives a loop another maximum, which is a field": () => {
		const w = run({ max: "{{most}}" }, {}, { fields: { most: "1" } });
		w.feed({ type: "extend", budgets: {}, iterations: 3, by: { user: "ann", how: "cli" } });
		w.feed({ type: "extend", budgets: {}, iterations: 0 });
		w.feed({ type: "extend", budgets: {}, iterations: 1.5 });
		w.end("loop worker");
		return w;
	},
	"a person gives a loop whose maximum is made of two fields another one": () => {
		const w = run({ max: "{{most}}{{more}}" }, {}, { fields: { most: "1", more: "0" } });
		w.feed({ type: "extend", budgets: { time: Number.NaN }, iterations: 2 });
		w.end("loop worker");
		w.end("loop worker");
		return w;
	},
	"a person gives a loop that has ended another maximum, and a limit that is a field": () => {
		const w = run({ max: "{{most}}" }, {}, { fields: { most: "1" } });
		w.end("loop worker");
		w.feed({ type: "extend", budgets: {}, iterations: 3 });
		w.feed({ type: "extend", budgets: {}, fields: { most: "5", delay: "7" } });
		w.feed({ type: "extend", budgets: {}, fields: { delay: "7" } });
		return w;
	},
	"an iteration waits for a limit of the agent": () => {
		const w = run();
		w.end("loop worker", { signal: "rate_limited", retryAt: 1_005_000 });
		w.at += 5_000;
		w.feed({ type: "advance" });
		w.end("loop worker", { signal: "overloaded" });
		return w;
	},
};
