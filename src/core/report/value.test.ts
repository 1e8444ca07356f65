// Values of a report as people write them, compared with what is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstLine, fits, isNothing, isSame, plain, shown, takesBack } from "./value.ts";

test("U-07 G-17 a value fits in any case and spelling, with a remark behind it, by a prefix or by one of several; not with a word that takes it back", () => {
	for (const said of [
		"NEEDS_WORK",
		"needs work",
		"Needs-Work.",
		"**needs work**",
		"`needs work`",
		"✅ needs work",
		"needs work (see below)",
		"needs work - because",
		"needs work, really",
		"needs work; x",
		"\n\nneeds work\nmore",
	])
		assert.equal(fits(said, "needs_work"), true, said);
	for (const said of [
		"",
		"needs",
		"needs workers",
		"needs work but not much",
		"needs work, but fine",
		"needs work (not yet)",
		"needs work - unless",
		"no, needs work",
	])
		assert.equal(fits(said, "needs_work"), false, said);
	assert.equal(fits("retry later", "retry*"), true);
	assert.equal(fits("try", "retry*"), false);
	assert.equal(fits("rest", "retry*"), false);
	assert.equal(fits("done, really", "done, really"), true, "what is wanted may look like a remark");
	assert.equal(fits("anything", "*"), true);
	assert.equal(fits("", "*"), false);
	assert.deepEqual(
		["a", "b", "c"].map((said) => fits(said, "a|b")),
		[true, true, false],
	);
});

test("G-25 two values are the same if they read the same, or if the same rules want both", () => {
	assert.equal(isSame("done", "DONE (all green)", ["done"]), true);
	assert.equal(isSame("retry now", "retry later", ["done", "retry*"]), true);
	assert.equal(isSame("done", "retry", ["done", "retry"]), false);
	assert.equal(isSame("x", "y", ["done"]), false, "nothing wants either");
	assert.equal(isSame("x", "X (see below)", []), true, "though nothing wants them");
});

test("G-17 what names nothing, and what does", () => {
	for (const value of [
		"",
		"  \n",
		"none",
		"None.",
		"N/A",
		"n / a",
		"nil",
		"0",
		"—",
		"-",
		"---",
		"(none)",
		"(none).",
		"- none",
		"1. nothing",
		"No issues found.",
		"0 failures",
		"no open problems remaining",
		"none so far",
		"nothing at all",
		"none - all fine",
		"none (of them)",
		" — ",
		"```\nnone\n```",
	])
		assert.equal(isNothing(value), true, JSON.stringify(value));
	for (const value of [
		"one",
		"none of these work",
		"no",
		"nobody",
		"no idea",
		"1 failure",
		"none\n- but this",
		"none\n2) and that",
		"none, but one",
	].filter((one) => one !== "no"))
		assert.equal(isNothing(value), false, JSON.stringify(value));
	assert.equal(isNothing("no"), true);
	assert.equal(isNothing("none\nas far as I can see"), true, "more words are no list");
});

test("a value in a message is its first line, without blanks that nobody sees, and never long", () => {
	assert.equal(shown("\n```\n  a   b\tc  \nmore"), "a b c");
	assert.equal(shown("x".repeat(80)), "x".repeat(80));
	assert.equal(shown("x".repeat(81)), `${"x".repeat(80)}…`);
	assert.equal(firstLine("\n \n"), "");
	assert.equal(plain("  **Needs_  -work**. "), "needs work");
	assert.equal(plain('"done".'), "done");
	assert.equal(plain(`${"a".repeat(600)}`).length, 500);
	for (const word of ["but", "except", "however", "unless", "provided", "once", "not yet", "BUT"])
		assert.equal(takesBack(`x ${word} y`), true, word);
	for (const word of ["butter", "exception", "not", "yet"]) assert.equal(takesBack(`x ${word} y`), false, word);
});
