// What an attempt cost, and the source of that number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { priced } from "./price.ts";

const used = { costUsd: null, inputTokens: 2_400_000, outputTokens: 100_000 };
const PRICES = { input: 1, output: 10, cached: 0.1 };

test("a reported cost is taken as it is", () => {
	assert.deepEqual(priced({ ...used, costUsd: 0 }, 0, PRICES), { usage: { ...used, costUsd: 0 }, costFrom: "reported" });
});

test("the price table counts cached input apart, where it has a price for it", () => {
	assert.deepEqual(priced(used, 400_000, PRICES), { usage: { ...used, costUsd: 3.04 }, costFrom: "price table" });
	assert.equal(priced(used, 400_000, { input: 1, output: 10 }).usage.costUsd, 3.4);
	assert.equal(priced(used, null, PRICES).usage.costUsd, 3.4);
});

test("an unknown cost stays unknown, never zero", () => {
	assert.deepEqual(priced(used, 0, null), { usage: used, costFrom: "unknown" });
	const half = { costUsd: null, inputTokens: 10, outputTokens: null };
	assert.deepEqual(priced(half, 0, PRICES), { usage: half, costFrom: "unknown" });
});
