import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEEPEST, foreignValue, readForeignJson } from "./foreign-json.ts";

test("I16 reads what JSON.parse reads, with or without a BOM", () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			assert.deepEqual(foreignValue(JSON.stringify(value)), JSON.parse(JSON.stringify(value)));
			assert.deepEqual(foreignValue(`\uFEFF${JSON.stringify(value, null, 2)}`), JSON.parse(JSON.stringify(value)));
		}),
	);
	assert.equal(readForeignJson('{"a":').ok, false);
});

test("I16 refuses what is nested so deeply that it could not be written again; brackets in texts do not count", () => {
	const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
	assert.equal(readForeignJson(nested(DEEPEST)).ok, true);
	assert.deepEqual(readForeignJson(nested(DEEPEST + 1)), { ok: false, message: "it is nested more than 200 levels deep" });
	assert.equal(readForeignJson(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`).ok, false);
	const text = JSON.stringify({ a: "[".repeat(5000), 'b"\\': `\\"${"{".repeat(5000)}\\` });
	assert.deepEqual(foreignValue(text), JSON.parse(text));
});
