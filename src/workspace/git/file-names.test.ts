import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { test } from "node:test";
import { bytesOf, raw, textOf } from "./file-names.ts";

/** Bytes that begin, go on with or break a character of UTF-8, and those of the characters that stand for a byte. */
const BYTES = [0x2f, 0x61, 0x7f, 0x80, 0x8f, 0x9e, 0x9f, 0xa0, 0xbf, 0xc0, 0xc3, 0xe0, 0xe9, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff];

function* all(length: number): Generator<readonly number[]> {
	if (length === 0) yield [];
	else for (const start of all(length - 1)) for (const byte of BYTES) yield [...start, byte];
}

test("each name is a string of its own, which gives its bytes back and survives JSON", () => {
	const seen = new Set<string>();
	for (let length = 1; length <= 4; length++)
		for (const name of all(length)) {
			// Only these begin something that long.
			if (length === 4 && ![0xf0, 0xf4].includes(name[0] ?? 0)) continue;
			const bytes = Buffer.from(name);
			const text = textOf(bytes);
			if (!bytesOf(text).equals(bytes) || seen.has(text) || !text.isWellFormed()) assert.fail(bytes.toString("hex"));
			seen.add(text);
		}
});

test("what is UTF-8 stays as it is, beside what is not", () => {
	for (const name of ["", "a", "é", "名前", "\ufffd", "😀", "\u{10f400}", "a\n\0b"]) {
		assert.deepEqual([textOf(Buffer.from(name)), Buffer.from(raw(name)), isUtf8(bytesOf(name))], [name, Buffer.from(name), true]);
		assert.equal(textOf(Buffer.concat([Buffer.from(name), Buffer.from([0x2f, 0xe9])])).startsWith(`${name}/`), true, name);
	}
});
