// What a person may change about the limits of a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loop } from "../definition.ts";
import { linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { loopLimits } from "./extend.ts";

const loop = (max: string): Loop => ({ schedule: "W", roles: { W: { role: "worker" } }, max, inject: {} });
const looped = (max: string) =>
	linear({
		loop: { kind: "loop", loop: loop(max), on: { done: { action: "retry" }, promise: { action: "next" } } },
		after: {},
		later: { kind: "loop", loop: loop("3") },
	});
const names = (w: World, more: object) =>
	w
		.feed({ type: "extend", budgets: {}, ...more })
		.map((e) =>
			`${e.event} ${"max" in e ? e.max : "fields" in e ? JSON.stringify([e.fields, "limits" in e ? e.limits : null]) : "limit" in e ? e.limit : ""}`.trim(),
		);

test("G-13 iterations are a whole number above zero; anything else changes nothing", () => {
	const w = new World(looped("5"));
	for (const iterations of [0, -1, 1.5, Number.NaN, undefined]) assert.deepEqual(names(w, { iterations }), [], String(iterations));
	assert.deepEqual(names(w, { iterations: 9 }), ["loop_extended 9", "loop_extended 9"]);
	assert.equal(w.find("@run", "loop").max, 9);
});

test("G-13 where the maximum is a field, the field is set and counts as a person's limit; a loop that is over keeps what it had", () => {
	const w = new World(looped("{{most}}"), { fields: { most: "4" } });
	assert.deepEqual(loopLimits(w.state.definition), ["most"]);
	assert.deepEqual(names(w, { iterations: 6 }), ['fields_set [{"most":"6"},["most"]]', "loop_extended 6"]);
	w.end("loop", { signal: "promise" });
	assert.deepEqual(names(w, { iterations: 7 }), ["loop_extended 7"], "only the loop that is still to come");
	const two = new World(looped("{{a}}{{b}}"), { fields: { a: "1", b: "2" } });
	assert.deepEqual(names(two, { iterations: 8 }), ["loop_extended 8", "loop_extended 8"], "two fields make one number: neither is it");
});

test("G-13 cost and time can be limited in any run, other budgets only where the run has them; a field that is no limit is just a field", () => {
	const w = new World(looped("5"));
	assert.deepEqual(names(w, { budgets: { cost: 3, time: 1000, plans: 2, bad: Number.NaN } }), [
		"budget_extended 3",
		"budget_extended 1000",
	]);
	assert.deepEqual(names(w, { fields: { note: "x" } }), ['fields_set [{"note":"x"},null]']);
	assert.deepEqual(names(w, { fields: {} }), []);
	assert.deepEqual(names(w, { allowUnknownCost: true }), ["unknown_cost_allowed"]);
	assert.deepEqual(names(w, { allowUnknownCost: true }), [], "it is allowed already");
});
