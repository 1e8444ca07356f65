import assert from "node:assert/strict";
import { test } from "node:test";
import { type Counter, isTypeTaken, keyOf, parseCounter } from "./counter.ts";
import type { Budget, Route } from "./definition.ts";
import { linear, stories } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const COUNT: Budget = { unit: "count", limit: 3, scope: "story", warnAt: [] };
const parse = (key: string): Counter => parseCounter(key, { budgets: { iterations: COUNT } });

test("T-03 the strings of the journal are those that every earlier version wrote", () => {
	const rows: readonly (readonly [string, Counter])[] = [
		["coding:checks_failed", { kind: "route", owner: "coding", name: "checks_failed" }],
		["step-003:lost", { kind: "route", owner: "step-003", name: "lost" }],
		["implement:retries", { kind: "route", owner: "implement", name: "retries" }],
		["entry:review_plan:reviews", { kind: "entry", type: "review_plan", name: "reviews" }],
		["row:plan:unclean", { kind: "row", type: "plan", name: "unclean" }],
		["entry:diagnose:visits", { kind: "visits", type: "diagnose", per: "entry" }],
		["diagnose:visits", { kind: "visits", type: "diagnose", per: "run" }],
		["rounds", { kind: "shared", name: "rounds" }],
		["budget:iterations", { kind: "budget", budget: "iterations", step: null }],
		["budget:iterations:step-002", { kind: "budget", budget: "iterations", step: "step-002" }],
	];
	for (const [key, counter] of rows) {
		assert.equal(keyOf(counter), key);
		assert.deepEqual(parse(key), counter, key);
	}
});

test("T-03 G-21 a type called like a kind of counter is a type; what nobody wrote is nobody's", () => {
	assert.deepEqual(parse("entry:done"), { kind: "route", owner: "entry", name: "done" });
	assert.deepEqual(parse("row:lost"), { kind: "route", owner: "row", name: "lost" });
	assert.deepEqual(parse("entry:entry:bad"), { kind: "entry", type: "entry", name: "bad" });
	assert.deepEqual(parse("work:iterations"), { kind: "route", owner: "work", name: "iterations" }, "though a budget has that name");
	// An older pawl let a type be called `budget`.
	assert.deepEqual(parse("budget:done"), { kind: "route", owner: "budget", name: "done" });
	for (const key of ["a:b:c", "entry:a:b:c", "", "budget:a:b:c"]) assert.deepEqual(parse(key), { kind: "shared", name: key });
});

const give: Route = { action: "wait", target: "person" };
const again = (per: "entry" | "row" | "story"): Route => ({ action: "retry", max: 2, per, exhausted: give });

test("T-03 G-21 `pawl retry` of a type called `entry` or `row` gives no other step a fresh allowance", () => {
	for (const name of ["entry", "row"] as const) {
		const w = new World(stories({ work: { on: { agent_error: again(name) } }, [name]: { on: { timeout: again("story") } } }), {
			stories: ["A"],
		});
		w.play({ work: [{ signal: "agent_error" }, {}], [name]: { signal: "timeout" } });
		const kept = keyOf({ kind: name, type: "work", name: "agent_error" });
		// A row ends with the next signal that is counted elsewhere, so it is the entry that stays.
		const before = name === "entry" ? { [kept]: 1 } : {};
		assert.deepEqual(w.scope("A").counters, { ...before, [`${name}:timeout`]: 2 });
		w.feed({ type: "decide", scope: "A", step: name, verdict: "retry", reason: "" });
		assert.deepEqual(w.scope("A").counters, before);
		assert.equal(w.started.at(-1), `A ${name}`);
	}
});

test("T-03 a person's retry gives the step itself a fresh allowance, of whatever kind its caps are", () => {
	for (const per of ["entry", "row", "story", "step"] as const) {
		const w = new World(linear({ a: { on: { agent_error: { action: "retry", max: 2, per, exhausted: give } } } }));
		w.play({ a: { signal: "agent_error" } });
		assert.equal(w.started.length, 3, per);
		w.feed({ type: "decide", scope: null, step: "a", verdict: "retry", reason: "" });
		w.play({ a: { signal: "agent_error" } });
		assert.equal(w.started.length, 6, per);
	}
});

test("T-03 going back resets the caps per entry of the steps on the way, and no others", () => {
	const back: Route = { action: "goto", target: "plan", max: 3, per: "run" };
	const retry: Route = { action: "retry", max: 2, per: "entry" };
	const w = new World(
		linear({ plan: {}, entry: { on: { agent_error: retry } }, check: { on: { agent_error: retry, timeout: back } }, other: {} }),
	);
	w.play({ entry: [{ signal: "agent_error" }, {}], check: [{ signal: "agent_error" }, { signal: "timeout" }, null] });
	// `check` sent us back, so it keeps its own; `entry` lies between.
	assert.deepEqual(w.scope().counters, { "entry:check:agent_error": 1, "check:timeout": 1 });
});

test("G-21 names of types that would make two counters the same are taken", () => {
	for (const name of ["budget", "step-1", "step-012"]) assert.equal(isTypeTaken(name), true, name);
	for (const name of ["budgets", "step", "step-", "step-1a", "a-step-1", "step-x", "entry", "row"])
		assert.equal(isTypeTaken(name), false, name);
});
