// A few random histories of each layer, some always the same and one new each time; `npm run simulate` plays many more. Where the engine is broken on
// purpose, the simulation says so.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import type { Event } from "../../src/core/event.ts";
import { apply } from "../../src/core/fold/apply.ts";
import type { RunState } from "../../src/core/model.ts";
import { findStep } from "../../src/core/query.ts";
import { coreHistory } from "./core-history.ts";
import { coreScenario } from "./core-scenario.ts";
import { minimise } from "./minimise.ts";
import { historyOf, playSeed } from "./play.ts";
import { LAYERS, type Layer } from "./report.ts";

const FIXED: Readonly<Record<Layer, readonly number[]>> = {
	core: Array.from({ length: 15 }, (_, n) => n + 1),
	engine: [1, 2, 3, 4],
	shared: [1, 2, 3, 4],
};

for (const layer of LAYERS)
	test(`I1 I2 I3 I4 I6 I7 I10 I14 I17 I18 I21 I23 random histories of the ${layer} layer`, async (t) => {
		const seed = randomInt(1_000_000_000);
		t.diagnostic(`npm run simulate -- --layer ${layer} --seed ${seed} --runs 1`);
		let events = 0;
		for (const one of [...FIXED[layer], seed]) {
			const { figures, violation } = await playSeed(layer, one);
			events += figures.events;
			assert.equal(violation, null, JSON.stringify(violation, null, 1));
		}
		assert.ok(events > 100);
	});

test("I4 a person retries a step that failed, and its work goes to a detour", async () => {
	const { wrong, journal } = await coreHistory({ ...coreScenario(104523), workflow: 205 });
	assert.deepEqual(wrong, []);
	let state: RunState | null = null;
	let sentOn = 0;
	for (const event of JSON.parse(journal()) as Event[]) {
		if (state !== null && event.event === "step_completed" && findStep(state, event.scope, event.step)?.status === "failed") sentOn++;
		state = apply(state, event);
	}
	assert.equal(sentOn, 1);
});

test("a seed is one history: the same events each time", async () => {
	for (const layer of LAYERS)
		for (const seed of layer === "core" ? [3, 5] : [3])
			assert.equal((await historyOf(layer, seed)).journal(), (await historyOf(layer, seed)).journal(), `${layer} ${seed}`);
});

test("a failing history is made shorter, as long as it still fails", async () => {
	const scenario = coreScenario(2);
	const crashes = (of: typeof scenario): boolean =>
		of.turns.some((turn) => turn.deed === "end") && of.turns.some((turn) => turn.deed === "person");
	assert.ok(crashes(scenario) && scenario.turns.length > 4);
	const shorter = await minimise(scenario, ["turns", "stories"], async (one) => crashes(one));
	assert.deepEqual([shorter.turns.map((turn) => turn.deed).sort(), shorter.stories.length], [["end", "person"], 0]);
	assert.deepEqual((await coreHistory(shorter)).wrong, []);
});
