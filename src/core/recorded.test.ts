import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded, recordedByHeading, recordNames } from "./recorded.ts";
import { stories, storyOf } from "./testing/builders.suite.ts";
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

test("G-16 what was recorded is listed by heading: with its story, without one for the run; with what a person settled and a plan dropped", () => {
	const record = { action: "next", record: "open_blockers" } as const;
	const on = { bad: record, worse: { action: "next", record: "not_repaired" } } as const;
	const w = new World(stories({ check: { on }, again: { on } }), { stories: [storyOf("A", { title: "First" }), storyOf("B")] });
	w.end("A check", { signal: "bad", findings: [finding] });
	w.end("A again", { signal: "worse", findings: [finding] });
	w.end("B check", { signal: "bad", error: "no findings, but an error" });
	w.end("B again", { signal: "bad", error: "no findings, but an error" });
	assert.deepEqual(
		[...recordedByHeading(w.state)],
		[
			["not repaired", ["A: [leak] blocker: it leaks"]],
			["open blockers", ["B: no findings, but an error"]],
		],
		"each once, under what became of it",
	);
	assert.deepEqual([...recordNames(w.state.definition)].sort(), ["not_repaired", "open_blockers"]);
	const excused = { ...w.state, stories: w.state.stories.map((story) => ({ ...story, excused: "nothing to do" })) };
	assert.deepEqual(recordedByHeading(excused).get("settled without a change"), ["A: First (nothing to do)", "B: Story B (nothing to do)"]);
});
