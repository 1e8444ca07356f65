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
	assert.equal(exceeded(w.state, w.at)?.budget, "iterations");
	w.feed({ type: "resume" });
	assert.equal(w.state.status, "stopped", "nothing was extended");
	w.feed({ type: "extend", budgets: { iterations: 6 } });
	w.feed({ type: "resume" });
	w.play({ "A work": [{ signal: "incomplete" }, {}] });
	assert.deepEqual(w.started, ["A work", "A work", "A work", "A work", "A work", "A work", "A after", "B work", "B after"]);
	assert.equal(w.state.status, "completed");
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
