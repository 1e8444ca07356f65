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
