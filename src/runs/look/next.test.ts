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
