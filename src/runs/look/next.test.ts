// What a person is offered to do with a run that halts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../core/definition.ts";
import { linear, stories } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { adviceFor } from "./next.ts";

const approval = (rejected: Route) => ({ kind: "approval" as const, on: { approved: { action: "next" as const }, rejected } });
const notes = (w: World) => adviceFor(w.state, true).map(({ note }) => note ?? "");

test("G-16: whoever is asked reads what a rejection does before giving it", () => {
	const ends = new World(linear({ approve: approval({ action: "fail", target: "run" }), rest: {} }));
	assert.deepEqual(notes(ends), [`reject ends the run as failed; pawl retry ${ends.state.id} opens it again`]);
	const back = new World(linear({ plan: {}, approve: approval({ action: "goto", target: "plan" }) })).play();
	assert.deepEqual(notes(back), ["reject leads to plan"]);
	const asks = new World(stories({ look: { on: { odd: { action: "wait", target: "person" } } } }), { stories: ["A"] });
	asks.end("A look", { signal: "odd" });
	assert.match(notes(asks)[0] ?? "", /^reject fails the story; /);
});

test("G-13 a story that has used up its budget is told while the others go on, and with the flags of every limit at the end", () => {
	const one = { unit: "count", limit: 1, scope: "story", warnAt: [] } as const;
	const again: Route = { action: "retry" };
	const steps = { work: { spend: "tries", on: { bad: again } }, look: { spend: "looks", on: { bad: again } } };
	const w = new World({ ...stories(steps), budgets: { tries: one, looks: one } }, { stories: ["A", "B"], options: { agents: 2 } });
	const advice = (driven: boolean) => adviceFor(w.state, driven).map(({ text, commands }) => `${text}: ${commands.join(", ")}`);
	assert.deepEqual(advice(true), []);
	w.end("A work", { signal: "bad" });
	assert.deepEqual(advice(true), ["the budget of 1 tries is used up in A; raise it with: pawl extend run-1 --budget tries=N"]);
	w.end("B work");
	w.end("B look", { signal: "bad" });
	assert.deepEqual(advice(false), [
		"raise the limit with: pawl extend run-1 --budget tries=N --budget looks=N",
		"then continue with: pawl resume run-1",
	]);
});
