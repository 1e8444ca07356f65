import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStatus } from "../../core/model.ts";
import { linear, stories } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { RunSummary } from "../../store.ts";
import { estimateOf, estimateText } from "./estimate.ts";

const earlier = (workflow: string, costUsd: number | null, storiesCompleted: number, status: RunStatus = "completed"): RunSummary => ({
	id: "r",
	workflow,
	title: "",
	status,
	createdAt: 1,
	updatedAt: 1,
	overview: {
		version: 1,
		costUsd,
		maxCostUsd: null,
		waiting: 0,
		progress: { percent: 100, storiesCompleted, storiesTotal: storiesCompleted, phases: null, etaMs: null },
	},
});

test("sessions come from the plan, dollars from what a story cost in earlier runs of the same workflow that are over", () => {
	const { state } = new World(stories({ work: {}, check: { kind: "action" }, review: {} }), { stories: ["A", "B", "C"] });
	const runs = [
		earlier("tiny", 4, 2),
		earlier("tiny", 4, 1),
		earlier("other", 100, 1),
		earlier("tiny", null, 3),
		earlier("tiny", 50, 0),
		earlier("tiny", 50, 1, "running"),
	];
	const estimate = estimateOf(state, runs);
	assert.deepEqual(estimate, { sessions: 6, cost_usd: 9, from_runs: 2 });
	assert.equal(estimateText(estimate), "about 6 sessions, about $9.00 (from 2 earlier runs here)");
});

test("a run without stories is measured by whole runs; a loop ends when its work is done; nobody invents a price", () => {
	const { state } = new World(linear({ work: {} }));
	assert.deepEqual(estimateOf(state, [earlier("tiny", 3, 0)]), { sessions: 1, cost_usd: 3, from_runs: 1 });
	assert.equal(estimateText(estimateOf(state, [])), "about 1 session, no earlier run here says what they cost");
	const types = { ...state.definition.types, work: { ...state.definition.types["work"], kind: "loop" } };
	const loop = { ...state, definition: { ...state.definition, types: types as typeof state.definition.types } };
	assert.equal(estimateText(estimateOf(loop, [])), null);
	assert.equal(estimateText(estimateOf(loop, [earlier("tiny", 3, 0)])), "about $3.00 (from 1 earlier run here)");
});

test("if sessions of earlier runs did not report their cost, what is known of it is the least", () => {
	const { state } = new World(linear({ work: {} }));
	const known = earlier("tiny", 3, 0);
	const part: RunSummary = { ...known, overview: { ...known.overview!, costMore: true } };
	assert.equal(estimateText(estimateOf(state, [known, part])), "about 1 session, at least $3.00 (from 2 earlier runs here)");
});

test("only the newest runs count", () => {
	const { state } = new World(linear({ work: {} }));
	const runs = [...Array.from({ length: 10 }, () => earlier("tiny", 1, 0)), earlier("tiny", 1000, 0)];
	assert.deepEqual(estimateOf(state, runs), { sessions: 1, cost_usd: 1, from_runs: 10 });
});
