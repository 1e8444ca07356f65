// A run that cannot continue: whatever stops it, its abort steps run first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const never = () => linear({ a: {}, b: {}, clean: { kind: "action" } }, { resume: "never", steps: ["a", "b"], abort: ["clean"] });

for (const [how, ends] of [
	["interrupt", "paused"],
	["cancel", "cancelled"],
] as const)
	test(`O-81 ${how}: the abort steps run, then the run is ${ends}`, () => {
		const w = new World(never());
		w.feed({ type: "stop", how });
		w.end("a", "cancelled");
		assert.deepEqual([w.state.status, w.state.aborting, w.started.at(-1)], ["running", true, "clean"]);
		w.feed({ type: "stop", how: "interrupt" });
		w.end("clean", { signal: "done" });
		assert.equal(w.state.status, ends);
		assert.ok(!w.started.includes("b"));
	});

test("O-81 a budget that is used up gives up as well, and the run still says that a budget stopped it", () => {
	const w = new World(never(), { options: { budgets: { cost: 1 } } });
	w.end("a", { signal: "done", usage: { costUsd: 2, inputTokens: null, outputTokens: null } });
	assert.equal(w.started.at(-1), "clean");
	w.end("clean", { signal: "done" });
	assert.deepEqual([w.state.status, /cost budget/.test(w.state.reason ?? "")], ["stopped", true]);
});

test("I17 a run that gave up still says why after a person paused its abort steps, or resumed it", () => {
	const why = /^a: it broke$/;
	const aborts = (resume: "yes" | "never") =>
		linear({ a: { on: { agent_error: { action: "abort" } } }, clean: {} }, { resume, steps: ["a"], abort: ["clean"] });
	const paused = new World(aborts("yes"));
	paused.end("a", { signal: "agent_error", error: "it broke" });
	paused.feed({ type: "stop", how: "pause" });
	paused.end("clean", "cancelled");
	assert.deepEqual([paused.state.status, paused.state.reason], ["paused", "paused by a person"]);
	paused.feed({ type: "resume" });
	paused.end("clean");
	assert.equal(paused.state.status, "failed");
	assert.match(paused.state.reason ?? "", why);
	const stopped = new World(never(), { options: { budgets: { cost: 1 } } });
	stopped.end("a", { usage: { costUsd: 2, inputTokens: null, outputTokens: null } });
	stopped.end("clean");
	stopped.feed({ type: "extend", budgets: { cost: 5 } });
	stopped.feed({ type: "resume" });
	assert.deepEqual([stopped.state.status, /cost budget/.test(stopped.state.reason ?? "")], ["stopped", true]);
});
