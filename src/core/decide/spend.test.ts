// A step type that spends: every attempt takes one unit; when none is left, the run stops and continues after `extend`.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Budget } from "../definition.ts";
import { stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { exceeded } from "./budget.ts";

const again = { action: "retry" } as const;
const budgets: Record<string, Budget> = { iterations: { unit: "count", limit: 4, scope: "story", warnAt: [0.75, 0.9] } };
const definition = { ...stories({ work: { spend: "iterations", on: { incomplete: again } }, after: {} }), budgets };
const world = () => new World(definition, { stories: ["A", "B"] });

test("S-39 S-40: the attempts of a story are counted, the run stops when the budget is used up, and continues where it stopped", () => {
	const w = world().play({ work: { signal: "incomplete" } });
	assert.deepEqual([w.state.status, w.state.reason], ["stopped", "the budget of 4 iterations is used up in A"]);
	assert.equal(w.started.length, 4);
	assert.equal(exceeded(w.state, w.at)?.budgets[0], "iterations");
	w.feed({ type: "resume" });
	assert.equal(w.state.status, "stopped", "nothing was extended");
	w.feed({ type: "extend", budgets: { iterations: 6 } });
	w.feed({ type: "resume" });
	w.play({ "A work": [{ signal: "incomplete" }, {}] });
	assert.deepEqual(w.started, ["A work", "A work", "A work", "A work", "A work", "A work", "A after", "B work", "B after"]);
	assert.equal(w.state.status, "completed");
});

test("a story that has used up its own budget holds up nobody else: the run stops when nothing else can go on, and says whose it is", () => {
	const w = new World(definition, { stories: ["A", "B", "C", "D"], options: { agents: 2 } });
	const tries = (n: number) => Array.from({ length: n }, () => w.end("A work", { signal: "incomplete" }));
	tries(3);
	w.end("B work", { signal: "incomplete" });
	tries(1);
	assert.deepEqual([w.state.status, w.jobs.map((j) => `${j.scope} ${j.type}`)], ["running", ["B work"]]);
	w.end("B work");
	assert.equal(w.state.status, "running", "A comes first in the list, and B has a step to do");
	w.play({ "C work": { signal: "incomplete" } });
	assert.deepEqual(w.stories(), { A: "in_progress", B: "completed", C: "in_progress", D: "unclaimed" });
	assert.deepEqual([w.state.status, w.state.reason], ["stopped", "the budget of 4 iterations is used up in A, C"]);
	w.feed({ type: "resume" });
	assert.equal(w.state.status, "stopped", "nothing was extended");
	w.feed({ type: "extend", budgets: { iterations: 5 } });
	w.feed({ type: "resume" });
	w.play();
	assert.equal(w.state.status, "completed");
});

test("a budget of the run that some step types spend holds up those steps alone", () => {
	const limited = { tries: { unit: "count", limit: 1, scope: "run", warnAt: [] } } as const;
	const w = new World(
		{ ...stories({ work: { spend: "tries" }, after: {} }), budgets: limited },
		{ stories: ["A", "B"], options: { agents: 2 } },
	);
	w.end("A work");
	w.end("B work", { signal: "done" });
	w.play();
	assert.equal(w.state.status, "completed", "both had begun while there was a unit");
	const one = new World({ ...stories({ work: { spend: "tries" }, after: {} }), budgets: limited }, { stories: ["A", "B"] });
	one.play();
	assert.deepEqual([one.started, one.state.status], [["A work", "A after"], "stopped"]);
	assert.equal(one.state.reason, "the budget of 1 tries is used up in B");
});

test("a question that a person can answer comes before a budget; the run can go on as soon as any story can", () => {
	const limits: Record<string, Budget> = { ...budgets, looks: { unit: "count", limit: 1, scope: "story", warnAt: [] } };
	const asks = { spend: "iterations", on: { incomplete: again, unsure: { action: "wait", target: "person" } as const } };
	const look = { spend: "looks", on: { incomplete: again } };
	const w = new World({ ...stories({ work: asks, look }), budgets: limits }, { stories: ["A", "B"], options: { agents: 2 } });
	w.play({ "A work": { signal: "incomplete" }, "B work": { signal: "unsure" } });
	assert.equal(w.state.status, "waiting");
	assert.match(w.state.reason ?? "", /^B step-001 \(work\) waits for a person; the budget of 4 iterations is used up in A$/);
	w.feed({ type: "decide", scope: "B", step: null, verdict: "approve", reason: "" });
	w.play({ "B look": { signal: "incomplete" } });
	assert.equal(w.state.reason, "the budget of 4 iterations is used up in A; the budget of 1 looks is used up in B");
	assert.deepEqual(exceeded(w.state, w.at)?.budgets, ["iterations", "looks"]);
	w.feed({ type: "extend", budgets: { looks: 3 } });
	assert.equal(exceeded(w.state, w.at), null, "B can go on");
	w.feed({ type: "resume" });
	w.play();
	assert.deepEqual([w.stories(), w.state.status], [{ A: "in_progress", B: "completed" }, "stopped"]);
});

test("S-44: it warns at its shares, each once in a run", () => {
	const w = world().play({ work: [{ signal: "incomplete" }, { signal: "incomplete" }, { signal: "incomplete" }, {}] });
	w.play();
	assert.deepEqual(
		w.all("budget_warned").map((e) => [e.budget, e.share]),
		[
			["iterations", 0.75],
			["iterations", 0.9],
		],
	);
});

test("S-21: an attempt without work costs nothing: an agent's limit, a lost engine, an interruption", () => {
	const w = world();
	w.end("A work", { signal: "rate_limited", retryAt: w.at + 1 });
	w.at += 10;
	w.feed({ type: "advance" });
	w.end("A work", "lost");
	w.end("A work", { signal: "incomplete" });
	assert.equal(w.scope("A").counters["budget:iterations"], 1);
});

test("S-39 S-40: an agent that breaks down or is ended takes nothing either, a report that cannot be read takes one", () => {
	const on = { incomplete: again, agent_error: again, timeout: again, unreadable: again };
	const w = new World({ ...stories({ work: { spend: "iterations", on }, after: {} }), budgets }, { stories: ["A"] });
	w.end("A work", { signal: "agent_error" });
	w.end("A work", { signal: "timeout" });
	assert.equal(w.scope("A").counters["budget:iterations"] ?? 0, 0);
	w.end("A work", { signal: "unreadable" });
	assert.equal(w.scope("A").counters["budget:iterations"], 1);
});

test("S-21 S-39 no signal that says nothing about the work takes a unit", () => {
	const free =
		"rate_limited overloaded auth out_of_credit agent_error timeout stalled permission context_too_long lost workspace_error".split(" ");
	const charged = ["done", "incomplete", "unreadable", "boundary_violation", "checks_failed"];
	for (const signal of [...free, ...charged]) {
		const on = { [signal]: { action: "retry" as const }, incomplete: again };
		const w = new World({ ...stories({ work: { spend: "iterations", on } }), budgets }, { stories: ["A"] });
		w.end("A work", { signal, retryAt: w.at + 1 });
		assert.equal(w.scope("A").counters["budget:iterations"] ?? 0, free.includes(signal) ? 0 : 1, signal);
	}
});

test("S-39 a budget of each step, and one of the whole run, are counted where they belong, and warn in words", () => {
	const count = (scope: "run" | "step" | "story"): Record<string, Budget> => ({
		big_tries: { unit: "count", limit: 2, scope, warnAt: [0.5] },
	});
	const make = (scope: "run" | "step" | "story") =>
		new World(
			{ ...stories({ work: { spend: "big_tries", on: { incomplete: again } }, more: { spend: "big_tries" } }), budgets: count(scope) },
			{ stories: ["A"] },
		);
	const step = make("step");
	step.end("work", { signal: "incomplete" });
	step.end("work");
	step.end("more");
	assert.deepEqual(step.scope("A").counters, { "budget:big_tries:step-001": 2, "budget:big_tries:step-002": 1 });
	assert.equal(step.state.status, "completed");
	const run = make("run").play({ work: { signal: "incomplete" } });
	assert.deepEqual(
		[run.state.budgets["big_tries"]?.spent, run.scope("A").counters, run.state.reason],
		[2, {}, "the budget of 2 big tries is used up in A"],
	);
	assert.deepEqual(run.asked("notify").map((e) => [e.about, e.text])[0], ["budget", "big_tries at 50% of its limit"]);
});

test("a route that spends takes a unit of its story's budget while there is one", () => {
	const back = { action: "retry", spend: "tries", exhausted: { action: "fail", target: "story" } } as const;
	const tries: Record<string, Budget> = { tries: { unit: "count", limit: 2, scope: "story", warnAt: [] } };
	const w = new World({ ...stories({ work: { on: { bad: back } } }), budgets: tries }, { stories: ["A", "B"] });
	w.play({ "A work": { signal: "bad" }, "B work": [{ signal: "bad" }, {}] });
	assert.deepEqual(w.started, ["A work", "A work", "A work", "B work", "B work"]);
	assert.deepEqual([w.stories(), w.scope("A").counters], [{ A: "failed", B: "completed" }, { "budget:tries": 2 }]);
	assert.match(w.story("A").error ?? "", /bad, and the budget of 2 tries is used up/);
});

test("what a session used is recorded with the model that the agent named, and only what it cost is spent", () => {
	const w = new World(stories({ a: {}, b: {}, c: {} }), { stories: ["A"], options: { budgets: { cost: 10 }, allowUnknownCost: true } });
	const used = (costUsd: number | null) => ({ costUsd, inputTokens: 1, outputTokens: 1 });
	w.end("a", { usage: used(0), model: "big" });
	w.end("b", { usage: used(null) });
	w.end("c", { usage: used(0.5) });
	assert.deepEqual(
		w.all("usage_recorded").map((e) => e.model),
		["big", undefined, undefined],
	);
	assert.deepEqual(
		w.all("budget_spent").map((e) => [e.budget, e.amount]),
		[["cost", 0.5]],
	);
});

test("the reserve is for sessions: what the engine does itself beside them takes nothing; exactly the limit is within it", () => {
	const merge = { kind: "action", action: "merge" } as const;
	const w = new World(stories({ merge, a: {} }), { stories: ["A", "B", "C"], options: { agents: 3, budgets: { cost: 6 } } });
	w.end("A merge");
	w.end("A a", { usage: { costUsd: 2, inputTokens: null, outputTokens: null } });
	w.end("B merge");
	w.end("C merge");
	assert.deepEqual(
		w.jobs.map((job) => `${job.scope} ${job.type}`),
		["B a", "C a"],
		"2 spent and 2 x 2 set aside are 6",
	);
});
