import assert from "node:assert/strict";
import { test } from "node:test";
import { failingPart, saysWhatIsWrong } from "./failing-part.ts";

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

test("T-12 which lines say what is wrong", () => {
	const wrong = [
		"not ok 3 - it",
		"FAIL a",
		"2 failed",
		"1 failure",
		"failing",
		"an error",
		"errors: 2",
		"panicked at",
		"panic!",
		"Exception in",
		"AssertionError",
		"Traceback (most",
		"✗ a",
		"✖ b",
		"❌",
		"E   x",
	];
	const fine = [
		"ok 1",
		"0 failed",
		"0 fail, 3 passed",
		"0 error",
		"0 errors",
		"# fail 0",
		"errors: 0",
		"failed: 0",
		"failover",
		"terror",
		"panicky",
		"Exceptional",
		"# E  x",
		"E",
	];
	for (const line of wrong) assert.equal(saysWhatIsWrong(line), true, line);
	for (const line of fine) assert.equal(saysWhatIsWrong(line), false, line);
});

test("T-12 one line before a failure and three after it; what is left out is counted; a third is kept for the end", () => {
	const lines = Array.from({ length: 40 }, (_, i) => `line ${String(i).padStart(2, "0")}`);
	lines[10] = "not ok 10";
	const text = failingPart(`${lines.join("\n")}\n\n`, 100);
	assert.deepEqual(text.split("\n"), [
		"… (9 lines left out)",
		"line 09",
		"not ok 10",
		"line 11",
		"line 12",
		"line 13",
		"… (22 lines left out)",
		"line 36",
		"line 37",
		"line 38",
		"line 39",
	]);
	lines[2] = "not ok 02";
	lines[10] = "line 10";
	assert.equal(failingPart(lines.join("\n"), 100).split("\n")[0], "… (1 line left out)");
	assert.equal(failingPart("x".repeat(100), 100), "x".repeat(100), "what fits stays whole");
});

test("T-12 what is shown of a long output: the end, and each failure with a line before it and three after it, as far as there is room", () => {
	const output = ["one", "two", "Error: x", "four", "five", "six", "seven", "eight", "nine", "ten"].join("\n");
	const shown = (most: number) => failingPart(output, most).split("\n");
	const around = ["two", "Error: x", "four", "five", "six"];
	assert.equal(failingPart(output, output.length), output, "it has room as a whole");
	assert.deepEqual(shown(40), ["… (1 line left out)", ...around, "… (2 lines left out)", "nine", "ten"]);
	assert.deepEqual(shown(36), ["… (1 line left out)", ...around, "… (2 lines left out)", "nine", "ten"], "exactly that much");
	assert.deepEqual(shown(35), ["… (1 line left out)", ...around.slice(0, -1), "… (3 lines left out)", "nine", "ten"]);
	assert.deepEqual(shown(27), ["… (1 line left out)", "two", "Error: x", "four", "… (4 lines left out)", "nine", "ten"]);
	const two = ["Error: a", "b", "c", "d", "e", "f", "g", "Error: h", "i", "j", "k", "l", "m".repeat(40), "end"].join("\n");
	assert.deepEqual(failingPart(two, 60).split("\n"), [
		...["Error: a", "b", "c", "d", "… (2 lines left out)", "g", "Error: h", "i", "j", "k", "… (2 lines left out)", "end"],
	]);
	const long = ["Error: a", "x".repeat(50), "c", "Error: d", "y".repeat(30), "end"].join("\n");
	assert.deepEqual(
		failingPart(long, 30).split("\n"),
		["Error: a", "… (4 lines left out)", "end"],
		"what has no room ends it: a later failure is no more telling",
	);
});
