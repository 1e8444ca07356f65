// How the criteria of stories in a file of a format's own were shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear } from "../../../core/testing/builders.suite.ts";
import { World } from "../../../core/testing/world.suite.ts";
import { keptCriteria } from "./kept-criteria.ts";

const looped = () =>
	linear({
		iterations: {
			kind: "loop",
			loop: { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {} },
			on: { done: { action: "retry" }, final_accepted: { action: "complete" }, max_iterations: { action: "stop" } },
		},
	});
const story = (passes: boolean) => ({
	...{ id: "S1", title: "t", notes: "", description: "", acceptance_criteria: ["it holds", "it is short"] },
	...{ passes, status: passes ? ("completed" as const) : ("unclaimed" as const) },
});
const shown = (w: World, passes: boolean) =>
	keptCriteria(story(passes), w.state, w.events).map(({ criterion, met, evidence }) => [
		criterion,
		met,
		evidence.map(({ kind, text }) => `${kind}: ${text}`),
	]);

test("R-23: a story that passes was judged by the commands that pawl ran for it, by its mark and by the final review", () => {
	const w = new World(looped());
	assert.deepEqual(shown(w, false)[0], ["it holds", null, []]);
	w.end("iterations", { checks: [{ name: "S1", command: "npm test", exitCode: 1, output: "" }] });
	assert.deepEqual(shown(w, false)[1], ["it is short", false, ["command: `npm test` exited 1"]]);
	w.end("iterations", {
		checks: [
			{ name: "S1", command: "npm test", exitCode: 0, output: "" },
			{ name: "S2", command: "make", exitCode: 1, output: "" },
		],
	});
	const marked = ["command: `npm test` exited 0", "word: the story is marked as passed"];
	assert.deepEqual(shown(w, true)[0], ["it holds", true, marked]);
	assert.deepEqual(shown(w, false)[0], ["it holds", null, []], "taken back: what the commands showed no longer counts");
	w.end("iterations", { signal: "final_accepted" });
	assert.deepEqual(shown(w, true)[0], ["it holds", true, [...marked, "verdict: iterations ended in final accepted"]]);
});
