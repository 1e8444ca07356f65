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

test("how far a word may be: a third of the longer one, and only neighbours count as swapped", () => {
	assert.equal(closest("ab", ["ba"]), "ba");
	assert.equal(closest("abcd", ["badc"]), null, "two swaps are too many for four letters");
	assert.equal(closest("abcdef", ["badcef"]), "badcef", "two swaps in six");
	assert.equal(closest("abcdef", ["bacdfe"]), "bacdfe");
	for (const [word, other] of [
		["ab", "ca"],
		["ab", "bc"],
		["ab", "cd"],
		["a", "abc"],
		["abc", "a"],
		["", "ab"],
	] as const)
		assert.equal(closest(word, [other]), null, `from ${word} to ${other} are two changes`);
	assert.equal(closest("abc", ["cba"]), null, "letters that are not neighbours are changed, not swapped");
	assert.equal(closest("abcdef", ["abdxef"]), "abdxef", "one changed, one that is not a swap");
	assert.equal(closest("aXbcde", ["abXYZe"]), null);
	assert.equal(closest("abcdefghi", ["abcdxyzhi"]), "abcdxyzhi", "three of nine");
	assert.equal(closest("abcdefgh", ["abcdxyzh"]), null, "three of eight");
	assert.equal(closest("abcdef", ["abcd"]), "abcd", "the longer one counts: two of six");
	assert.equal(closest("seriesx", ["seryx"]), null, "the number of a word is at its end");
	assert.equal(closest("x".repeat(65), ["x".repeat(64)]), null, "too long to be compared");
	assert.equal(closest("x".repeat(64), [`${"x".repeat(63)}y`]), `${"x".repeat(63)}y`);
});
