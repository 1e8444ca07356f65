import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findJsonError } from "./json-error.ts";

test("names the first wrong place", () => {
	const cases: [string, number, RegExp][] = [
		["", 0, /ends too early/],
		["[1,]", 3, /a value/],
		['{"a": 1,}', 8, /comma too many/],
		['{"a" 1}', 5, /`:`/],
		['{"a": 1 "b": 2}', 8, /`,` or `}`/],
		["[1 2]", 3, /`,` or `]`/],
		["[1]]", 3, /nothing more/],
		['["a\nb"]', 3, /on its line/],
		['["a', 1, /not closed/],
		['["\\x"]', 2, /escape/],
		["[01]", 1, /a value/],
		["{'a': 1}", 1, /double quotes/],
		["[undefined]", 1, /a value/],
		["[1}", 2, /`]`/],
	];
	for (const [text, offset, message] of cases) {
		const error = findJsonError(text);
		assert.equal(error?.offset, offset, text);
		assert.match(error!.message, message, text);
	}
});

test("agrees with JSON.parse on damaged documents", () => {
	const damaged = fc
		.tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom("", ",", "}", "]", '"', ":", "1", "-", "\\", "\n", "tru", "e5", "."))
		.map(([text, at, cut, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut));
	fc.assert(
		fc.property(damaged, (text) => {
			let valid = true;
			try {
				JSON.parse(text);
			} catch {
				valid = false;
			}
			assert.equal(findJsonError(text) === null, valid);
		}),
		{ numRuns: 2000 },
	);
});
