import assert from "node:assert/strict";
import { test } from "node:test";
import { closest } from "./closest.ts";

test("a slip of the hand finds its word: letters changed, missing, too many, swapped, in another case", () => {
	const known = ["checks", "parallel", "model", "on"];
	for (const [word, meant] of [
		["chekcs", "checks"],
		["check", "checks"],
		["paralel", "parallel"],
		["Models", "model"],
		["no", "on"],
	] as const)
		assert.equal(closest(word, known), meant, word);
});

test("the same word in another number is nearer than one that has fewer letters changed", () => {
	assert.equal(closest("story", ["history", "stories"]), "stories");
	assert.equal(closest("tests", ["rests", "test"]), "test");
});

test("an unlike or far too long word has no suggestion; the nearest of several wins", () => {
	assert.equal(closest("colour", ["checks", "model"]), null);
	assert.equal(closest("x".repeat(100_000), ["x"]), null);
	assert.equal(closest("word", []), null);
	assert.equal(closest("texts", ["rests", "tests", "nexts"]), "tests");
});
