import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf, minutesOf } from "../../scripts/prove-lanes.ts";
import { PARTS } from "../../scripts/prove-parts.ts";
import { resultOf, tableOf } from "../../scripts/prove-run.ts";

const part = { counts: (f: Readonly<Record<string, unknown>>) => `${f["runs"]} runs` };

test("lanes of the same length, each part once, the longest last", () => {
	assert.deepEqual(lanesOf({ a: 3, b: 2, c: 2, d: 3 }, 2), [
		["b", "a"],
		["c", "d"],
	]);
	assert.deepEqual(lanesOf({ a: 1 }, 2), [["a"]]);
	const shares = Object.fromEntries(Object.entries(PARTS).map(([name, { share }]) => [name, share]));
	for (const count of [2, 3]) {
		const sums = lanesOf(shares, count).map((lane) => lane.reduce((sum, name) => sum + (shares[name] ?? 0), 0));
		assert.ok(Math.max(...sums) - Math.min(...sums) <= 4, `${sums}`);
	}
});

test("what one part took too much, the later ones give: the whole keeps to its time", () => {
	assert.equal(minutesOf([3, 1], 4), 3);
	assert.equal(minutesOf([1], 0.5), 0.5);
	assert.equal(minutesOf([1, 1], -2), 0);
});

test("a part that had to be ended has found what it said so far, and is no violation itself; one that crashed is", () => {
	const said = ["seed 1", "5 runs"];
	assert.deepEqual(resultOf(part, { said, code: null, isOver: true }).violations, []);
	assert.match(resultOf(part, { said, code: null, isOver: true }).counts, /^STOPPED: .*5 runs/);
	assert.deepEqual(resultOf(part, { said: ["VIOLATION x", ...said], code: null, isOver: true }).violations, ["VIOLATION x"]);
	assert.equal(resultOf(part, { said, code: 1, isOver: false }).violations.length, 1);
});

test("figures, kills and violations of a part stand in the table", () => {
	const said = ['{"runs":7,"kills":5,"violations":["it broke"]}'];
	const result = resultOf(part, { said, code: 1, isOver: false });
	assert.deepEqual(result, { counts: "7 runs", kills: 5, violations: ["it broke"] });
	const table = tableOf([
		{ name: "a", what: "kills", seed: 1, seconds: 2, ...result },
		{ name: "b", what: "more", seed: 1, seconds: 2, ...result },
	]);
	assert.match(table, /\| kills \| 7 runs \| 1 \| 1 \| 2 \|/);
	assert.match(table, /10 kills of real runs \| 2 \|/);
});
