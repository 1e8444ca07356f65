import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "./recorded.ts";
import { stories } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const finding = { key: "leak", class: "blocker", text: "it leaks" } as const;

test("G-18: what a route recorded, also a route that replaces another, stands in the state with its story; other kept texts do not", () => {
	const next = { action: "next", record: "blockers" } as const;
	const w = new World(stories({ check: { on: { needs_work: { action: "retry", max: 1, per: "step", exhausted: next } } } }), {
		stories: ["A"],
	});
	w.end("A check", { signal: "needs_work", kept: [{ name: "lessons", text: "be quick" }] });
	w.end("A check", { signal: "needs_work", findings: [finding] });
	const [one, ...more] = recorded(w.state);
	assert.deepEqual([one?.name, one?.scope, more], ["blockers", "A", []]);
	assert.match(one?.text ?? "", /it leaks/);
});
