// Money as it stands in JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usd } from "./json-values.ts";
import { NOTHING_SPENT, spentJson } from "./spent.ts";

test("money in JSON has at most six decimals, and unknown stays unknown", () => {
	assert.equal(JSON.stringify(0.1 + 0.2), "0.30000000000000004");
	assert.equal(JSON.stringify(usd(0.1 + 0.2)), "0.3");
	assert.equal(spentJson({ ...NOTHING_SPENT, costUsd: 0.0015373 + 0.0015546 }).cost_usd, 0.003092);
	assert.equal(usd(null), null);
	assert.equal(usd(0), 0);
});
