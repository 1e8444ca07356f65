// How far a run has come.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState, RunStatus, StepStatus, Story, StoryStatus } from "./model.ts";
import { overviewOf, progressOf } from "./overview.ts";
import { dynamic, linear, stories, storyOf } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

test("a failed story counts for nothing, and only a run whose stories are all completed is at 100 %", () => {
	const world = new World(dynamic(), { stories: ["A", "B"] });
	world.play({ "A merge": { signal: "merged" }, "B merge": { signal: "empty", error: "nothing was changed" } });
	assert.deepEqual(world.stories(), { A: "completed", B: "failed" });
	const progress = progressOf(world.state, world.at);
	assert.deepEqual([progress?.percent, progress?.storiesCompleted, progress?.storiesTotal], [50, 1, 2]);

	const merging = new World(dynamic(), { stories: ["A"] }).until("merge");
	assert.ok((progressOf(merging.state, merging.at)?.percent ?? 0) < 100);
	merging.play({ merge: { signal: "merged" } });
	assert.equal(progressOf(merging.state, merging.at)?.percent, 100);
});

test("how far a run is: by the steps of running stories, in phases, and when it may be done at this pace", () => {
	const definition = stories({ one: {}, two: {} }, {}, { steps: ["stories", "after"], types: { after: { scope: "run" } } });
	const w = new World(definition, {
		stories: [
			storyOf("A", { group: "1" }),
			storyOf("B", { group: "2" }),
			storyOf("C", { group: "2" }),
			storyOf("P", { group: "1", passes: true }),
		],
		options: { budgets: { cost: 5 }, allowUnknownCost: true },
	});
	const of = () => overviewOf(w.state, w.at);
	assert.deepEqual(of().progress, { percent: 25, storiesCompleted: 1, storiesTotal: 4, phases: { completed: 0, total: 2 }, etaMs: null });
	assert.deepEqual([of().costUsd, of().maxCostUsd, of().waiting, of().version], [null, 5, 0, w.state.version]);
	w.at += 1000;
	w.end("A one", { usage: { costUsd: 1, inputTokens: null, outputTokens: null } });
	assert.equal(of().progress?.percent, 37, "a half of the second story");
	w.end("A two", { usage: { costUsd: 1, inputTokens: null, outputTokens: null } });
	assert.deepEqual(of().progress, { percent: 50, storiesCompleted: 2, storiesTotal: 4, phases: { completed: 1, total: 2 }, etaMs: 2000 });
	assert.equal(of().costUsd, 2);
	w.play({ after: null });
	assert.deepEqual(
		[of().progress?.percent, of().progress?.storiesCompleted, of().progress?.etaMs],
		[99, 4, null],
		"what comes after the stories is left",
	);
	w.play();
	assert.deepEqual([w.state.status, of().progress?.percent], ["completed", 100]);
});

test("a run without stories has no progress, one without groups no phases; a run that is over says no time", () => {
	assert.equal(progressOf(new World(linear({ work: {} })).state, 0), null);
	const w = new World(stories({ one: { on: { bad: { action: "fail", target: "story" } } } }), { stories: ["A", "B", "C"] });
	w.end("A one");
	w.at += 10;
	assert.equal(progressOf(w.state, w.at)?.phases, null);
	assert.equal(progressOf(w.state, w.at)?.etaMs, 20);
	w.end("B one", { signal: "bad" });
	w.end("C one", { signal: "bad" });
	assert.deepEqual([w.state.status, progressOf(w.state, w.at)?.etaMs, progressOf(w.state, w.at)?.percent], ["failed", null, 33]);
	const waits = new World(linear({ ask: { kind: "approval", on: { approved: { action: "next" } } } }));
	assert.equal(overviewOf(waits.state, 0).waiting, 1);
	assert.equal(overviewOf(waits.state, 0).maxCostUsd, null);
});

/** A run whose stories are as given, in the middle of its work. */
function runWith(parts: readonly Partial<Story>[], more: Partial<RunState> = {}): RunState {
	const { state } = new World(stories({ one: {}, two: {} }, {}, { steps: ["stories", "after"], types: { after: { scope: "run" } } }), {
		stories: parts.map((_, i) => storyOf(`S${i}`)),
	});
	return { ...state, stories: state.stories.map((story, i) => ({ ...story, ...parts[i] })), ...more };
}

test("a story counts by its steps: done and skipped ones; a failed or blocked one for nothing, a completed one as a whole", () => {
	const { state } = new World(stories({ one: {}, two: {} }), { stories: ["A"] });
	const [first, second] = state.stories[0]!.scope.steps;
	const percent = (status: StoryStatus, ...steps: StepStatus[]) => {
		const made = steps.map((one, i) => ({ ...(i === 0 ? first! : second!), status: one }));
		const scope = { ...state.stories[0]!.scope, steps: made };
		return progressOf(runWith([{ status, scope }]), 0)?.percent;
	};
	assert.equal(percent("in_progress", "completed", "pending"), 50);
	assert.equal(percent("in_progress", "skipped", "in_progress"), 50);
	assert.equal(percent("in_progress", "failed", "waiting"), 0);
	assert.equal(percent("in_progress", "completed", "skipped"), 99, "its work has not reached base");
	assert.equal(percent("unclaimed"), 0);
	for (const status of ["failed", "blocked"] as const) assert.equal(percent(status, "completed", "completed"), 0, status);
	assert.equal(percent("completed", "pending", "pending"), 99, "as a whole, and the steps of the run are left");
});

test("one story whose work has not reached base keeps a run below 100 %, though another is completed", () => {
	const { state } = new World(stories({ one: {} }), { stories: ["A", "B"] });
	const [a, b] = state.stories;
	const done = { ...a!.scope, steps: [{ ...a!.scope.steps[0]!, status: "completed" as const }] };
	const root = { ...state.root, steps: [] };
	const percent = (status: StoryStatus) =>
		progressOf(
			{
				...state,
				root,
				stories: [
					{ ...a!, status: "completed" },
					{ ...b!, status, scope: done },
				],
			},
			0,
		)?.percent;
	assert.deepEqual([percent("in_progress"), percent("completed")], [99, 100]);
});

test("100 % is reached when no step of the run is left: neither one that only holds the stories, nor one that pawl keeps to itself", () => {
	const state = runWith([{ status: "completed" }]);
	const percent = (status: StepStatus, type: "after" | "stories" | "inner" | "unknown", run: RunStatus = "running") => {
		const { types } = state.definition;
		const definition = { ...state.definition, types: { ...types, inner: { ...types["after"]!, internal: true } } };
		const steps = [{ ...state.root.steps[0]!, type, status }];
		return progressOf({ ...state, definition, status: run, root: { ...state.root, steps } }, 0)?.percent;
	};
	for (const status of ["pending", "in_progress", "waiting"] as const) {
		assert.equal(percent(status, "after"), 99, status);
		assert.equal(percent(status, "unknown"), 99, status);
		assert.equal(percent(status, "stories"), 100, status);
		assert.equal(percent(status, "inner"), 100, status);
		assert.equal(percent(status, "after", "completed"), 100, "the run is over");
	}
	for (const status of ["completed", "failed", "skipped", "cancelled"] as const) assert.equal(percent(status, "after"), 100, status);
});

test("the rest takes as long as the stories of this run took so far; phases are groups that have names", () => {
	const at = 1_000;
	const [done, before, open] = [
		{ status: "completed", claimedAt: at },
		{ status: "completed", claimedAt: null },
		{ status: "unclaimed" },
	] as const;
	const eta = (status: RunStatus, ...parts: Partial<Story>[]) => {
		const state = runWith(parts, { status });
		return progressOf(state, state.createdAt + at)?.etaMs;
	};
	assert.equal(eta("running", done, done, open), 500);
	assert.equal(eta("running", done, before, open), 1_000, "what was done before says nothing about the pace");
	assert.equal(eta("running", before, open), null);
	assert.equal(eta("running", done, done), null, "nothing is left");
	assert.equal(eta("paused", done, open), 1_000);
	for (const status of ["completed", "failed", "cancelled"] as const) assert.equal(eta(status, done, open), null, status);
	const phases = (...parts: Partial<Story>[]) => progressOf(runWith(parts), 0)?.phases;
	assert.equal(phases({ group: "1" }, { group: "1" }, { group: null }), null, "one phase is none");
	assert.deepEqual(
		phases({ group: "1", ...done }, { group: "1", ...done }, { group: "2", ...done }, { group: "2", ...open }, { group: null, ...open }),
		{ completed: 1, total: 2 },
	);
});
