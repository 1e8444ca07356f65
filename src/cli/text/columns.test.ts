import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../core/testing/any-text.suite.ts";
import { columnsOf, cutTo, fold, foldTo, padTo } from "./columns.ts";

test("wide characters and emoji take two columns, marks and colours none", () => {
	assert.deepEqual(["abc", "…→é", "e\u0301", "宽字", "🚀", "\u001b[31mred\u001b[39m", ""].map(columnsOf), [3, 3, 1, 4, 2, 3, 0]);
});

test("a cut text says so, and its colours end where they did", () => {
	assert.equal(cutTo("hello", 5), "hello");
	assert.equal(cutTo("hello!", 5), "hell…");
	assert.equal(cutTo("宽字符", 4), "宽…");
	assert.equal(cutTo("\u001b[31mhello\u001b[39m!", 4), "\u001b[31mhel…\u001b[39m");
	assert.equal(cutTo("hello", 0), "");
	assert.equal(padTo("宽", 4), "宽  ");
});

test("a folded text keeps its words and its indent; the last line is cut", () => {
	assert.deepEqual(foldTo("  one two three four", 10, 4, 3), ["  one two", "    three", "    four"]);
	assert.deepEqual(foldTo("one two three four", 8, 2, 2), ["one two", "  three…"]);
	assert.deepEqual(foldTo("extraordinary", 6, 2, 3), ["extra…"]);
});

test("whatever the text, no line is wider than asked", () => {
	const text = anyText().filter((s) => !s.includes("\u001b"));
	fc.assert(
		fc.property(text, fc.nat(40), fc.nat(20), fc.integer({ min: 1, max: 4 }), (s, columns, indent, most) => {
			assert.ok(columnsOf(cutTo(s, columns)) <= columns);
			const lines = foldTo(s, columns, indent, most);
			assert.ok(lines.length <= most && lines.every((line) => columnsOf(line) <= columns));
		}),
	);
});

test("G-16: a reason is folded and never cut: every word is there, and a word longer than a line is broken", () => {
	assert.deepEqual(fold("why: one two three four", 12, 2), ["why: one two", "  three four"]);
	assert.deepEqual(fold("extraordinarily long", 10, 2), ["extraordin", "  arily", "  long"]);
	fc.assert(
		fc.property(
			fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 60 })),
			fc.integer({ min: 10, max: 60 }),
			fc.nat(20),
			(words, columns, indent) => {
				const text = words.join(" ");
				const lines = fold(text, columns, indent);
				assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
				assert.ok(lines.every((line) => columnsOf(line) <= columns));
			},
		),
	);
});
