import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeptText, StepStatus } from "./model.ts";
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

/** One story: `review` found something, sent it to the detour `mend`, and may have looked again. */
function reviewed(review: StepStatus, mends: readonly StepStatus[], kept: readonly KeptText[], target = "mend"): readonly string[] {
	const back = { action: "goto", target, record: "found" } as const;
	const left = { action: "next", record: "left" } as const;
	const definition = stories({ review: { on: { bad: back, left, also: { action: "next" } } }, mend: { detour: true }, other: {} });
	const { state } = new World(definition, { stories: ["A"] });
	const [story] = state.stories;
	const [first] = story!.scope.steps;
	const steps = [
		...mends.map((status, i) => ({ ...first!, id: `step-01${i}`, type: "mend", sender: "step-001", status })),
		{ ...first!, id: "step-001", status: review },
		{ ...first!, id: "step-009", type: "other", sender: "step-002", status: "completed" as const },
	];
	return recorded({ ...state, stories: [{ ...story!, scope: { ...story!.scope, steps, kept } }] }).map(
		({ name, text }) => `${name}: ${text}`,
	);
}
const kept = (name: string, text: string, step = "step-001"): KeptText => ({ name, text, step });

test("G-18 what was sent to a repair is recorded until all repairs are done and the one who found it has looked again", () => {
	const found = [kept("found", "[leak] it leaks")];
	const open = ["found: [leak] it leaks"];
	assert.deepEqual(reviewed("completed", ["completed"], found), []);
	assert.deepEqual(reviewed("completed", ["completed", "completed"], found), []);
	assert.deepEqual(reviewed("completed", [], found), open, "nothing was repaired");
	assert.deepEqual(reviewed("completed", ["completed", "skipped"], found), open, "not every repair was done");
	assert.deepEqual(reviewed("failed", ["completed"], found), open, "nobody looked again");
	assert.deepEqual(reviewed("completed", ["completed"], found, "other"), open, "the work does not come back from there");
	assert.deepEqual(
		reviewed("completed", ["completed"], [kept("left", "[leak] it leaks")]),
		["left: [leak] it leaks"],
		"a route that goes on repairs nothing",
	);
	assert.deepEqual(
		reviewed("completed", ["completed"], [...found, kept("left", "[leak] it leaks")]),
		["left: [leak] it leaks"],
		"recorded again, it has the last name alone",
	);
	assert.deepEqual(
		reviewed("completed", ["completed"], [kept("left", "[leak] it leaks"), ...found]),
		[],
		"left at first, repaired in the end",
	);
	assert.deepEqual(
		reviewed("completed", [], [...found, kept("left", "b"), ...found]),
		[...open, "left: b"],
		"in the order of their first time",
	);
});

test("G-18 what a repair refused stands there with the reason: the latest that the repair itself gave for this finding", () => {
	const found = kept("found", "[leak] it leaks");
	const said = (...more: KeptText[]) => reviewed("completed", ["completed"], [found, ...more]);
	const refused = (text: string, step = "step-010") => kept("not_changed", text, step);
	assert.deepEqual(said(refused("[leak]  it is meant so ")), ["found: [leak] it leaks (not changed: it is meant so)"]);
	assert.deepEqual(said(refused("[leak] one"), refused("[leak] two")), ["found: [leak] it leaks (not changed: two)"]);
	assert.deepEqual(said(refused("[other] one")), [], "about another finding");
	assert.deepEqual(said(refused("see [leak] one")), [], "the key comes first");
	assert.deepEqual(
		reviewed("completed", ["completed"], [kept("found", "see [leak]"), refused("[leak] one")]),
		[],
		"nor has it one in the middle",
	);
	assert.deepEqual(said(refused("[leak] one", "step-009")), [], "said by a step that is no repair of it");
	assert.deepEqual(said(refused("[leak] one", "step-099")), [], "said by a step that is gone");
	assert.deepEqual(
		reviewed("completed", ["completed"], [kept("found", "it leaks"), refused("it leaks: no")]),
		[],
		"a finding without a key has no answer",
	);
	assert.deepEqual(said(kept("left", "[leak] one", "step-010")), ["left: [leak] one"], "what is recorded itself is no answer");
});

test("G-18 what is recorded for the run and for stories is told apart, and so is what a new plan dropped", () => {
	const w = new World(
		stories({ check: { on: { bad: { action: "next", record: "open_ends", converged: { action: "next", record: "same_again" } } } } }),
		{
			stories: [storyOf("A"), storyOf("B", { title: "Second" })],
		},
	);
	assert.deepEqual([...recordNames(w.state.definition)].sort(), ["open_ends", "same_again"], "also of a route that replaces another");
	const [a, b] = w.state.stories;
	const state = {
		...w.state,
		root: { ...w.state.root, kept: [kept("open_ends", "x")] },
		stories: [{ ...a!, scope: { ...a!.scope, kept: [kept("open_ends", "x"), kept("lessons", "y")] } }],
		replaced: [b!],
	};
	assert.deepEqual(
		[...recordedByHeading(state)],
		[
			["open ends", ["x", "A: x"]],
			["dropped by a new plan, not done", ["B: Second"]],
		],
	);
	assert.deepEqual([...recordedByHeading(w.state)], []);
});
