import assert from "node:assert/strict";
import { test } from "node:test";
import { money } from "./money.ts";

test("T-64: money is written as people write it, without a tail of digits", () => {
	assert.deepEqual([0, 0.09759999999999999, 0.05, 0.0004, 0.1 + 0.2, 3.32, 1234.5].map(money), [
		"$0.00",
		"$0.0976",
		"$0.05",
		"$0.0004",
		"$0.30",
		"$3.32",
		"$1234.50",
	]);
	assert.doesNotMatch([1e308, Infinity, Number.NaN].map(money).join(), /Infinity|NaN|e\+/);
});
