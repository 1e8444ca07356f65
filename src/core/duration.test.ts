import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "./duration.ts";

test("reads the units, alone and together", () => {
	const cases: [string, number][] = [
		["15m", 900_000],
		["2h", 7_200_000],
		["90s", 90_000],
		["500ms", 500],
		["1h30m", 5_400_000],
		["1.5h", 5_400_000],
		["1.25h", 4_500_000],
		["1.25m", 75_000],
		["1.25s", 1_250],
		["1.75ms", 2],
		["1m500ms", 60_500],
		["0s", 0],
		[" 5s ", 5_000],
	];
	for (const [text, ms] of cases) assert.equal(parseDuration(text), ms, text);
});

test("refuses what has no unit, a wrong one, or a wrong order", () => {
	for (const text of ["", " ", "10", "m", "5 m", "5d", "-5m", "5m2h", "5m5m", "1e3s", "5M", "٣m", `${"9".repeat(400)}h`])
		assert.equal(parseDuration(text), null, text);
});

test("a written duration can be read back", () => {
	assert.equal(formatDuration(5_400_000), "1h30m");
	assert.equal(formatDuration(0), "0s");
	assert.equal(formatDuration(90_500), "1m30s500ms");
	fc.assert(fc.property(fc.nat({ max: 10 ** 12 }), (ms) => assert.equal(parseDuration(formatDuration(ms)), ms)));
});
