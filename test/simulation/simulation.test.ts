// Random histories of the engine in process, each from one seed. More of them, or one again: PAWL_SEEDS=1-2000, PAWL_SEEDS=1234.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { simulate } from "./simulate.ts";

const RUNS = 40;

/** Some that are always tried, then others each time. */
function seeds(): number[] {
	const [from, to] = (process.env["PAWL_SEEDS"] ?? "").split("-").map(Number);
	if (from) return Array.from({ length: (to ?? from) - from + 1 }, (_, n) => from + n);
	const start = randomInt(1_000_000_000);
	return [...Array.from({ length: RUNS / 2 }, (_, n) => n + 1), ...Array.from({ length: RUNS / 2 }, (_, n) => start + n)];
}

test("I1 I4 I6 I7 I8 I17 I18 random faults: nothing is lost or doubled, and when they stop every story lands", async (t) => {
	const wrong: string[] = [];
	const sum = { kills: 0, failures: 0, events: 0, landed: 0 };
	for (const seed of seeds()) {
		const history = await simulate(seed);
		wrong.push(...history.wrong.map((text) => `PAWL_SEEDS=${seed}: ${text}`));
		for (const key of ["kills", "failures", "events", "landed"] as const) sum[key] += history[key];
	}
	t.diagnostic(JSON.stringify(sum));
	assert.deepEqual(wrong, []);
	assert.ok(sum.kills > 0 && sum.landed > 0);
});

test("a seed is one history: the same events each time", async () => {
	for (const seed of [3, 7, 11]) assert.equal((await simulate(seed)).journal, (await simulate(seed)).journal, `PAWL_SEEDS=${seed}`);
});
