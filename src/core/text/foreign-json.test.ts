import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { asJson, DEEPEST, foreignValue, readForeignJson } from "./foreign-json.ts";

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

test("I16 what is not JSON has no value and says why; what cannot be written has no text", () => {
	assert.equal(foreignValue("{"), undefined);
	const read = readForeignJson("{");
	assert.ok(!read.ok && /JSON/.test(read.message));
	for (const text of ["", " \n", "\uFEFF"]) assert.deepEqual(readForeignJson(text), { ok: false, message: "it is empty" });
	for (const text of ["x", "the end", "nil", "-", "]", "\u00a0é"])
		assert.deepEqual(readForeignJson(text), { ok: false, message: "it does not begin like JSON" }, text);
	for (const text of [" true", "\n-1.5", "\uFEFF null", "false", '\t"x"']) assert.equal(readForeignJson(text).ok, true, text);
	const circle: { self?: unknown } = {};
	circle.self = circle;
	assert.deepEqual([asJson({ a: [1, null] }), asJson(undefined), asJson(circle), asJson(1n)], ['{"a":[1,null]}', "null", null, null]);
});

test("I16 levels count where they are open: not beside each other, not in texts, whatever is escaped there", () => {
	const isDeep = (text: string): boolean => {
		const read = readForeignJson(text);
		return !read.ok && read.message === "it is nested more than 200 levels deep";
	};
	const [lists, objects] = ["[".repeat(DEEPEST), '{"a":'.repeat(DEEPEST)];
	assert.equal(isDeep(`${lists}${"]".repeat(DEEPEST)}`), false);
	assert.equal(isDeep(`[${"[],".repeat(300)}[]]`), false, "lists beside each other");
	assert.equal(isDeep(`[${"{},".repeat(300)}{}]`), false, "objects beside each other");
	for (const open of [`${lists}[`, `${objects}{`, `${lists}{`, `["",${lists}`, `["\\\\",${lists}`, `["\\"",${lists}`, `["]",${lists}`])
		assert.equal(isDeep(open), true, `${open.slice(0, 9)}…`);
	for (const text of [`"${lists}[`, `["\\",${lists}`, `["${lists}["]`, `{"a":"${lists}["}`])
		assert.equal(isDeep(text), false, `${text.slice(0, 9)}…`);
});
