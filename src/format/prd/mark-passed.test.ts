import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { markPassed } from "./mark-passed.ts";

test("D-10 only the value changes: indentation, key order, unknown keys, CRLF, BOM and the end of the file stay", () => {
	const text =
		'\uFEFF{\r\n\t"userStories": [\r\n\t\t{ "passes" :false , "id": "US-002", "n": 1.0 },\r\n\t\t{"id":"US-001","x":{"passes":false,"id":"US-002"},\r\n\t\t"passes":\t null }],\r\n"zeta": 1e2, "a": "\\u00e9" }\r\n\r\n';
	assert.equal(markPassed(text, "US-002"), text.replace('"passes" :false', '"passes" :true'));
	assert.equal(markPassed(text, "US-001"), text.replace("\t null", "\t true"));
});

test("D-10 a story without the key gets it last, in the manner of its neighbours", () => {
	const cases: [string, string][] = [
		['[\n  {\n    "id": "A",\n    "title": "t"\n  }\n]\n', '[\n  {\n    "id": "A",\n    "title": "t",\n    "passes": true\n  }\n]\n'],
		['[{"id":"A"}]', '[{"id":"A","passes":true}]'],
		['[{ "id": "A", "b": [1, 2] }]', '[{ "id": "A", "b": [1, 2], "passes": true }]'],
		['{"stories":[{\r\n "id" : "A" }]}', '{"stories":[{\r\n "id" : "A",\r\n "passes" : true }]}'],
	];
	for (const [before, after] of cases) assert.equal(markPassed(before, "A"), after);
});

test("D-10 doing it twice is doing it once; what JSON.parse takes of a doubled key is what changes", () => {
	const once = markPassed('[{"id":"A"}]', "A");
	assert.equal(markPassed(once!, "A"), once);
	assert.equal(markPassed('[{"id":"A","passes":1,"passes":false}]', "A"), '[{"id":"A","passes":1,"passes":true}]');
});

test("D-10 does not touch a text without that story, and tells the caller", () => {
	for (const text of ["", "{", "{}", "[]", '[{"id":"B"}]', "[null, 1]", '{"stories": 3}', '{"x": [{"id": "A"}]}'])
		assert.equal(markPassed(text, "A"), null, text);
});

const value = fc.jsonValue({ maxDepth: 3 });
const stories = fc.uniqueArray(
	fc.record({ id: fc.constantFrom("A", "B", "C"), passes: fc.boolean(), other: value, '"\\{[': value }, { requiredKeys: ["id"] }),
	{
		selector: (s) => s.id,
		minLength: 1,
	},
);

test("D-10 for any document: the data differs in that one value, and the text around it is the same", () => {
	fc.assert(
		fc.property(stories, value, fc.constantFrom(undefined, 1, 2, "\t"), fc.boolean(), (list, extra, indent, crlf) => {
			const plain = JSON.stringify({ extra, userStories: list, after: extra }, null, indent);
			const text = crlf ? plain.replaceAll("\n", "\r\n") : plain;
			const target = list.at(-1)!;
			const marked = markPassed(text, target.id)!;
			const want = { extra, userStories: list.map((s) => (s === target ? { ...s, passes: true } : s)), after: extra };
			const expected = JSON.stringify(want, null, indent);
			assert.equal(marked, crlf ? expected.replaceAll("\n", "\r\n") : expected);
		}),
	);
});
