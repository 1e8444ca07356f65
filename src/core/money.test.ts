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
	assert.deepEqual([0.1, 0.0999, 0.051, -0.05, -3, 999_999_999_999].map(money), [
		...["$0.10", "$0.0999", "$0.0510", "$-0.05", "$-3.00", "$999999999999.00"],
	]);
	assert.deepEqual([1.23456, 0.1234, 0.00004].map(money), ["$1.23", "$0.12", "$0.00"]);
	for (const usd of [1e12, -1e12, Infinity, Number.NaN]) assert.equal(money(usd), "more than $1,000,000,000,000");
	assert.doesNotMatch([1e308, Infinity, Number.NaN].map(money).join(), /Infinity|NaN|e\+/);
});
