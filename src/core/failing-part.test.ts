import assert from "node:assert/strict";
import { test } from "node:test";
import { failingPart } from "./failing-part.ts";

const passing = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `ok ${from + i} - a test that passes`);

test("T-12 short output is given as it is", () => assert.equal(failingPart("a\nb\n", 100), "a\nb"));

test("T-12 finds the failing line anywhere, with the lines after it, and keeps the end", () => {
	for (const at of [0, 200, 399]) {
		const lines = [...passing(0, at), "not ok - THE ONE", "  expected 1", "  got 2", ...passing(at, 400), "# fail 1"];
		const part = failingPart(lines.join("\n"), 2000);
		for (const wanted of ["not ok - THE ONE", "  expected 1", "  got 2", "# fail 1"]) assert.ok(part.includes(wanted), `${at}: ${wanted}`);
		assert.ok(part.length < 2200);
	}
});

test("T-12 a summary without failures is not a failure", () => {
	const lines = ["# 0 failed here", ...passing(0, 400), "Error: the one", ...passing(0, 300)];
	assert.match(failingPart(lines.join("\n"), 1500), /Error: the one/);
	assert.doesNotMatch(failingPart(lines.join("\n"), 1500), /0 failed here/);
});

test("T-12 one endless line is cut at its beginning", () => assert.equal(failingPart("x".repeat(5000), 100), "x".repeat(100)));
