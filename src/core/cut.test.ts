import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { headOf, tailOf, withoutMiddle } from "./cut.ts";

it("head and tail keep whole characters, stay in the bound and lose no more than one character's room", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(80), (text, bytes) => {
			const all = Buffer.byteLength(text);
			for (const part of [headOf(text, bytes), tailOf(text, bytes)]) {
				assert.ok(part.isWellFormed());
				assert.ok(Buffer.byteLength(part) <= bytes || part === "");
				if (all <= bytes) assert.equal(part, text);
				else assert.ok(Buffer.byteLength(part) > bytes - 4);
			}
			assert.ok(text.startsWith(headOf(text, bytes)) && text.endsWith(tailOf(text, bytes)));
		}),
	);
});
it("a text with its middle left out says so and where the rest is", () => {
	const cut = withoutMiddle(`start${"x".repeat(1000)}end`, 100, "; see FILE");
	assert.match(cut, /^start.*\n\[\.\.\. 908 characters left out here; see FILE \.\.\.\]\n.*end$/s);
	assert.equal(withoutMiddle("short", 100, ""), "short");
});
it("counts bytes as UTF-8 does, at each of its borders", () => {
	for (const [letter, bytes] of [
		["\u007f", 1],
		["\u0080", 2],
		["\u07ff", 2],
		["\u0800", 3],
		["\uffff", 3],
		["\u{10000}", 4],
		["\u{10ffff}", 4],
	] as const) {
		const text = letter.repeat(3);
		const name = letter.codePointAt(0)?.toString(16);
		assert.equal(headOf(text, bytes * 2), letter.repeat(2), name);
		assert.equal(tailOf(text, bytes * 2), letter.repeat(2), name);
		assert.equal(headOf(text, bytes * 2 - 1), letter, name);
		assert.equal(tailOf(text, bytes * 2 - 1), letter, name);
		assert.equal(headOf(text, bytes * 3), text, name);
		assert.equal(tailOf(text, bytes * 3), text, name);
	}
	assert.equal(tailOf("\u{1f600}a", 1), "a");
	assert.equal(tailOf("a\u{1f600}", 4), "\u{1f600}");
});
