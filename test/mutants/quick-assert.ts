// Stands in for node:assert/strict: the same comparisons without their explanations, which take longer than the tests of a mutant.
import strict from "node:assert/strict";

const TWO = ["equal", "deepEqual", "notEqual", "notDeepEqual", "match", "doesNotMatch"] as const;
const compared = Object.fromEntries(
	TWO.map((name) => [
		name,
		(actual: never, expected: never, message?: string | Error) => strict[name](actual, expected, message ?? "it is not as expected"),
	]),
);
const ok = (value: unknown, message?: string | Error): asserts value => strict.ok(value, message ?? "it is not so");

// biome-ignore lint/style/noDefaultExport: node:assert has one.
export default Object.assign(ok, strict, compared, { ok });
