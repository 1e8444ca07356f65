import assert from "node:assert/strict";
import { test } from "node:test";
import { cost, linear, stories } from "../testing/builders.suite.ts";
import { type Job, World } from "../testing/world.suite.ts";
import { exceeded } from "./budget.ts";

const MINUTE = 60_000;
const idOf = ({ scope, step, attempt }: Job) => ({ scope, step, attempt });
const work = (budgets: Record<string, number>, ids: string[], agents = 1) =>
	new World(stories({ a: {}, b: {} }), { stories: ids, options: { agents, budgets } });

test("S-45 no attempt starts once the money is spent: the run stops and says so; extend and resume continue, nothing is done twice", () => {
	const w = work({ cost: 1 }, ["A", "B"]);
	w.play({ a: { usage: cost(0.6) }, b: { usage: cost(0.6) } });
	assert.deepEqual([w.started, w.state.status], [["A a", "A b"], "stopped"]);
	assert.match(w.state.reason ?? "", /cost budget of \$1 is used up \(\$1\.2 spent\)/);
	w.feed({ type: "resume" });
	assert.equal(w.state.status, "stopped", "a resume alone does not help");
	w.feed({ type: "extend", budgets: { cost: 5 } });
	assert.equal(w.state.status, "stopped", "nor does an extend alone");
	w.feed({ type: "resume" });
	w.play({ a: { usage: cost(0.6) }, b: { usage: cost(0.6) } });
	assert.deepEqual([w.started, w.state.status], [["A a", "A b", "B a", "B b"], "completed"]);
});

test("work that had finished when the money ran out counts; the engine's own actions cost nothing and still run", () => {
	const w = new World(stories({ a: {}, merge: { kind: "action", action: "merge" }, b: {} }), {
		stories: ["A"],
		options: { budgets: { cost: 1 } },
	});
	w.play({ a: { usage: cost(2) } });
	assert.deepEqual(
		[w.started, w.list("A"), w.state.status],
		[["A a", "A merge"], ["a completed", "merge completed", "b pending"], "stopped"],
	);
});

test("several attempts at once are not allowed to overshoot together: what runs is set aside at the price of the dearest", () => {
	const w = work({ cost: 10 }, ["A", "B", "C", "D"], 4);
	assert.equal(w.jobs.length, 1, "what an attempt costs is not known before one has ended");
	w.end("A a", { usage: cost(3) });
	assert.equal(w.jobs.length, 2, "3 spent and 2 x 3 set aside; a third one might go past 10");
	w.play({ a: { usage: cost(3) }, b: { usage: cost(3) } });
	assert.equal(w.state.status, "stopped");
	assert.ok((w.state.budgets["cost"]?.spent ?? 99) <= 13);
});

test("the price of an attempt is not halved by the next attempt of the same step", () => {
	const again = { on: { unreadable: { action: "retry" as const, max: 9 } } };
	const w = new World(stories({ a: again }), { stories: ["A", "B", "C"], options: { agents: 3, budgets: { cost: 5 } } });
	w.end("A a", { signal: "unreadable", usage: cost(2) });
	assert.deepEqual([w.jobs.length, w.step("A", "step-001").attempt], [1, 2], "2 spent, 2 set aside, and 2 more would be 6");
});

test("G-13 what a session cost that was lost with its process, or ended without saying it, is unknown and not nothing; it does not stop the run", () => {
	const w = work({ cost: 10 }, ["A"]);
	w.end("A a", "lost");
	assert.deepEqual([w.state.totals.costUsd, w.state.totals.unknownCost, w.state.status], [null, 1, "running"]);
	w.feed({ type: "attempt_lost", ...idOf(w.job("A a")) });
	assert.equal(w.state.totals.unknownCost, 1, "it had not begun");
	w.feed({ type: "stop", how: "pause" });
	w.feed({
		type: "attempt_cancelled",
		...idOf(w.jobs.at(-1)!),
		reason: "paused",
		usage: { costUsd: null, inputTokens: null, outputTokens: null },
	});
	assert.equal(w.state.totals.unknownCost, 2);
});

test("G-13 a gate whose sessions are all lost: the cost of each is unknown", () => {
	const members = ["x", "y"].map((role) => ({ role, blocking: true }));
	const w = new World(stories({ gate: { kind: "gate", writes: "none", members, verdicts: ["done"] } }), { stories: ["A"] });
	for (const job of w.jobs) w.prepare(job);
	for (const job of w.jobs.slice(0, 2)) w.feed({ type: "attempt_lost", ...idOf(job) });
	assert.equal(w.state.totals.unknownCost, 2);
});

test("G-13 where unknown costs are allowed, a cost limit does not hold up agents that do not say what they cost", () => {
	const w = new World(stories({ a: {}, b: {} }), {
		stories: ["A", "B", "C"],
		options: { agents: 3, budgets: { cost: 10 }, allowUnknownCost: true },
	});
	w.end("A a");
	assert.equal(w.jobs.length, 3);
	w.play();
	assert.deepEqual([w.state.status, w.state.totals.unknownCost], ["completed", 6]);
});

test("a gate sets aside all of its members", () => {
	const members = ["x", "y", "z"].map((role) => ({ role, blocking: true }));
	const definition = stories({ a: {}, gate: { kind: "gate", members, verdicts: ["done"] } });
	const w = new World(definition, { stories: ["A", "B"], options: { agents: 2, budgets: { cost: 7 } } });
	w.end("A a", { usage: cost(2) });
	assert.deepEqual(
		w.jobs.map((j) => `${j.scope} ${j.type}`),
		["A gate", "A gate", "A gate"],
		"2 spent and 3 x 2 are more than 7 already, but one step alone may always go on",
	);
});

test("the time budget counts the time that the run ran, without the time that it was paused or waited", () => {
	const w = work({ time: 10 * MINUTE }, ["A", "B"]);
	w.prepare(w.job("A a"));
	w.at += 4 * MINUTE;
	w.feed({ type: "stop", how: "pause" });
	w.end("A a", "cancelled");
	assert.equal(w.state.status, "paused");
	w.at += 60 * MINUTE;
	w.feed({ type: "resume" });
	w.prepare(w.job("A a"));
	w.at += 4 * MINUTE;
	w.end("A a");
	assert.equal(w.state.status, "running", "8 of 10 minutes");
	w.prepare(w.job("A b"));
	w.at += 2 * MINUTE;
	w.end("A b");
	assert.deepEqual([w.story("A").status, w.story("B").status, w.state.status], ["completed", "in_progress", "stopped"]);
	assert.match(w.state.reason ?? "", /time budget of 600 s/);
	w.at += 600 * MINUTE;
	w.feed({ type: "extend", budgets: { time: 20 * MINUTE } });
	w.feed({ type: "resume" });
	w.prepare(w.job("B a"));
	w.at += 1 * MINUTE;
	w.end("B a");
	assert.equal(w.state.status, "running", "11 of 20 minutes");
	assert.equal(w.state.budgets["time"]?.spent, 11 * MINUTE);
});

test("a warning at 75 and at 90 per cent, once each, or where the definition wants them", () => {
	const w = work({ cost: 10 }, ["A", "B", "C"]);
	w.play({ a: { usage: cost(2) }, b: { usage: cost(2) } });
	assert.deepEqual(
		w.all("budget_warned").map((e) => [e.budget, e.share]),
		[
			["cost", 0.75],
			["cost", 0.9],
		],
	);
	assert.equal(w.asked("notify").filter((n) => n.about === "budget").length, 2);
	const own = new World(linear({ a: {} }, { budgets: { cost: { unit: "cost", limit: 10, scope: "run", warnAt: [0.5] } } }));
	own.end("a", { usage: cost(6) });
	assert.deepEqual(
		own.all("budget_warned").map((e) => e.share),
		[0.5],
	);
});

test("the options of a run win over the definition; a limit that is not a number is ignored", () => {
	const budgets = { cost: { unit: "cost", limit: 10, scope: "run", warnAt: [] } } as const;
	const w = new World(linear({ a: {}, b: {} }, { budgets }), { options: { budgets: { cost: 1 } } });
	w.end("a", { usage: cost(1) });
	assert.equal(w.state.status, "stopped");
	w.feed({ type: "extend", budgets: { cost: Number.NaN } });
	assert.equal(w.state.budgets["cost"]?.limit, 1);
});

test("I10 the reserve is the price of the dearest session, not the average of its step's attempts", () => {
	const again = { on: { unreadable: { action: "retry" as const, max: 3, per: "step" as const } } };
	const w = new World(stories({ a: again, b: {} }), { stories: ["A", "B", "C"], options: { agents: 3, budgets: { cost: 10 } } });
	w.end("A a", { signal: "unreadable", usage: cost(4) });
	assert.equal(w.jobs.length, 1, "4 spent, and 2 x 4 more do not fit into 10");
	w.end("A a", { usage: cost(0.2) });
	assert.equal(w.jobs.length, 1, "the next session may cost 4 again, although A's cost 2.1 on average");
});

test("G-13 what keeps a run from going on is named, with the budget that it is", () => {
	const w = work({ cost: 1, time: 5 * MINUTE }, ["A"]);
	assert.equal(exceeded(w.state, w.at), null);
	w.prepare(w.job("a"));
	assert.deepEqual(exceeded(w.state, w.at + 5 * MINUTE), { budgets: ["time"], text: "the time budget of 300 s is used up" });
	w.end("a", { usage: cost(1) });
	assert.deepEqual(exceeded(w.state, w.at), { budgets: ["cost"], text: "the cost budget of $1 is used up ($1 spent)" });
});
