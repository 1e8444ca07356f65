// G-13: a limit limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Budget, Route } from "../definition.ts";
import { workedMs } from "../query.ts";
import { cost, linear, stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const MINUTE = 60_000;
const OWN_LIMIT: Budget = { unit: "cost", limit: 10, scope: "run", warnAt: [] };
const two = (options = {}, more = {}) => new World(stories({ a: {}, b: {} }, {}, more), { stories: ["A", "B"], options });

test("G-13 a session of unknown cost stops a run whose cost a person limited, after that session, and says what to set", () => {
	const w = two({ budgets: { cost: 5 } });
	w.play();
	assert.deepEqual([w.started, w.list("A"), w.state.status], [["A a"], ["a completed", "b pending"], "stopped"]);
	assert.match(w.state.reason ?? "", /cost limit of \$5 cannot be kept: the session of agent \(step-001\) did not say what it cost/);
	assert.match(w.state.reason ?? "", /`prices`.*--allow-unknown-cost/);
	w.feed({ type: "resume" });
	w.play({ b: { usage: cost(1) }, a: { usage: cost(1) } });
	assert.equal(w.state.status, "completed", "with a price it goes on");
	const again = two({ budgets: { cost: 5 } });
	again.play();
	again.feed({ type: "resume" });
	again.play();
	assert.deepEqual([again.started, again.state.status], [["A a", "A b"], "stopped"], "without one it stops after the next session");
});

test("G-13 `extend` allows unknown costs, and so does the flag; a limit of `extend` is a person's", () => {
	const w = two({ budgets: { cost: 5 } });
	w.play();
	w.feed({ type: "extend", budgets: {}, allowUnknownCost: true });
	w.feed({ type: "resume" });
	w.play();
	assert.equal(w.state.status, "completed");
	const flag = two({ budgets: { cost: 5 }, allowUnknownCost: true });
	assert.equal(flag.play().state.status, "completed");
	const extended = two();
	extended.feed({ type: "extend", budgets: { cost: 5 } });
	assert.equal(extended.play().state.status, "stopped");
});

test("G-13 the workflow's own limit warns once, and the run continues", () => {
	const w = two({}, { budgets: { cost: OWN_LIMIT } });
	w.play();
	assert.equal(w.state.status, "completed");
	const told = w.asked("notify").filter((n) => n.about === "budget");
	assert.deepEqual([told.length, w.all("cost_unknown").length], [1, 1]);
	assert.match(told[0]?.text ?? "", /did not say what it cost: the workflow's limit of \$10/);
});

test("G-13 a session that was cut off, or could not begin, is not one of unknown cost; one with a wrong report is", () => {
	const again: Route = { action: "retry", max: 3 };
	const world = () =>
		new World(linear({ a: { on: { agent_error: again, timeout: again, unreadable: again } } }), { options: { budgets: { cost: 5 } } });
	const cut = world();
	cut.play({ a: [{ signal: "agent_error" }, { signal: "timeout" }, { usage: cost(1) }] });
	assert.equal(cut.state.status, "completed");
	const unreadable = world();
	unreadable.play({ a: [{ signal: "unreadable" }] });
	assert.deepEqual([unreadable.started.length, unreadable.state.status], [1, "stopped"]);
});

test("G-13 what runs beside it may end; nothing new starts", () => {
	const w = two({ budgets: { cost: 100 }, agents: 2 });
	w.end("A a", { usage: cost(1) });
	assert.deepEqual(w.started, ["A a", "A b", "B a"]);
	w.end("A b");
	assert.deepEqual([w.state.status, w.jobs.length], ["running", 1]);
	w.end("B a", { usage: cost(1) });
	assert.deepEqual([w.state.status, w.started.length], ["stopped", 3]);
});

test("G-13 time counts while sessions, checks or actions run: not while a person, a usage limit, an agent or an engine is waited for", () => {
	const types = {
		ask: { kind: "approval" as const, on: { approved: { action: "next" as const }, rejected: { action: "fail" as const } } },
		a: {},
		merge: { kind: "action" as const, action: "merge" },
	};
	const w = new World(stories(types), { stories: ["A"], options: { budgets: { time: 60 * MINUTE } } });
	const worked = (): number => workedMs(w.state, w.at) / MINUTE;
	w.at += 600 * MINUTE;
	assert.equal(worked(), 0, "a person is waited for");
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	w.at += 600 * MINUTE;
	assert.equal(worked(), 0, "approved, but nobody has come for the step");
	w.prepare(w.job("a"));
	w.at += 5 * MINUTE;
	assert.equal(worked(), 5);
	w.end("a", { signal: "rate_limited", retryAt: w.at + 90 * MINUTE });
	w.at += 90 * MINUTE;
	assert.equal(worked(), 5, "a usage limit");
	w.feed({ type: "advance" });
	w.prepare(w.job("a"));
	w.at += 3 * MINUTE;
	w.feed({ type: "steer", text: "hurry" });
	w.at += 700 * MINUTE;
	const { scope, step, attempt } = w.job("a");
	w.feed({ type: "attempt_lost", scope, step, attempt });
	w.jobs = w.jobs.filter((job) => job.step !== step);
	w.prepare(w.job("a"));
	assert.equal(worked(), 8, "nobody was there from the last event on");
	w.at += 10 * MINUTE;
	w.end("a");
	w.at += 2 * MINUTE;
	assert.equal(worked(), 20, "a merge counts");
	w.end("merge");
	w.at += 100 * MINUTE;
	assert.equal(worked(), 20);
});

test("G-13 sessions side by side count once", () => {
	const w = two({ agents: 2 });
	for (const job of w.jobs) w.prepare(job);
	w.at += 10 * MINUTE;
	w.end("A a");
	w.at += 5 * MINUTE;
	w.end("B a");
	assert.equal(workedMs(w.state, w.at), 15 * MINUTE);
	assert.equal(w.state.busy.running, 0, "the next two have not begun");
});

const loop = (max: string) => ({
	kind: "loop" as const,
	loop: { schedule: "W", roles: { W: { role: "w" } }, max, inject: {} },
	on: { done: { action: "retry" as const }, max_iterations: { action: "stop" as const } },
});

test("G-13 a message that an agent may have left cannot raise a person's limit: it only asks, and the person is told", () => {
	const more = { type: "message" as const, inbox: "x", message: { text: "add_iterations: 5", add: { most: 5 } } };
	const w = new World(linear({ a: loop("{{most}}") }), { fields: { most: "2" }, options: { ownLimits: ["most"] } });
	w.feed({ ...more, id: "1" });
	assert.equal(w.scope().fields["most"], "2");
	assert.deepEqual(
		w.all("limit_asked").map((e) => [e.field, e.now, e.more]),
		[["most", 2, 5]],
	);
	assert.match(w.asked("notify")[0]?.text ?? "", /5 more than the 2 most that you allowed are asked for/);
	w.feed({ type: "message", inbox: "x", id: "2", message: { text: "pause", hold: true } });
	w.end("a");
	w.feed({ ...more, id: "3" });
	assert.equal(w.scope().fields["most"], "7", "no agent is at work: it is the person");
	const own = new World(linear({ a: loop("{{most}}") }), { fields: { most: "2" } });
	own.feed({ ...more, id: "1" });
	assert.equal(own.scope().fields["most"], "7", "the folder's own limit is raised");
	own.feed({ type: "extend", budgets: {}, iterations: 9 });
	own.feed({ ...more, id: "2" });
	assert.equal(own.scope().fields["most"], "9", "from now on it is a person's");
});

test("G-13 every bound can be extended: loops with a maximum of their own or a field, and budgets by any name", () => {
	for (const [max, fields] of [
		["2", {}],
		["{{most}}", { most: "2" }],
	] as const) {
		const w = new World(linear({ a: loop(max) }), { fields });
		w.play();
		assert.deepEqual([w.started.length, w.state.status], [2, "stopped"], max);
		w.feed({ type: "extend", budgets: {}, iterations: 5 });
		w.feed({ type: "resume" });
		w.play();
		assert.deepEqual([w.started.length, w.state.status], [5, "stopped"], max);
	}
	const tries: Budget = { unit: "count", limit: 1, scope: "run", warnAt: [] };
	const again: Route = { action: "retry", spend: "tries", exhausted: { action: "stop" } };
	const w = new World(linear({ a: { on: { unreadable: again } } }, { budgets: { tries } }));
	w.play({ a: { signal: "unreadable" } });
	assert.deepEqual([w.started.length, w.state.status], [2, "stopped"]);
	w.feed({ type: "extend", budgets: { tries: 3, nonsense: 4 } });
	w.feed({ type: "resume" });
	w.play({ a: { signal: "unreadable" } });
	assert.equal(w.started.length, 5);
	assert.deepEqual(Object.keys(w.state.budgets), ["tries"], "a budget that the run does not have is not made");
});
