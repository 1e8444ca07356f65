import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, type PrdDoc, passedCount, permitted, readDoc, readSteered, withStories } from "./stories.ts";

const doc = (value: unknown, indent = 2): PrdDoc => {
	const read = readDoc(`${JSON.stringify(value, null, indent)}\n`);
	assert.ok(read.ok, read.ok ? "" : read.problems.join("; "));
	return read.doc;
};
const story = (id: string, passes = false, more = {}) => ({ id, title: id, passes, notes: "", ...more });

test("C-16 R-15: every dialect is read; a story that does not say whether it passes is named", () => {
	assert.equal(passedCount(doc([story("S1", true), story("S2")])), 1);
	assert.equal(doc({ userStories: [story("US-1")] }).key, "userStories");
	const silent = readDoc(JSON.stringify({ stories: [{ id: "S1", title: "x" }] }));
	assert.deepEqual(silent.ok ? [] : silent.problems, ['story "S1" has no `passes`: it must be true or false']);
});

test("C-16: a rewritten file keeps its indentation, its end and its unknown keys", () => {
	const text = '{\n\t"mine": 1,\n\t"stories": [\n\t\t{"id": "S1", "title": "x", "passes": false, "odd": [1]}\n\t]\n}\n\n';
	const read = readDoc(text);
	assert.ok(read.ok);
	const written = withStories(
		read.doc,
		read.doc.stories.map((s) => ({ ...s, passes: true })),
	).text;
	assert.deepEqual(JSON.parse(written), { mine: 1, stories: [{ id: "S1", title: "x", passes: true, odd: [1] }] });
	assert.match(written, /^\{\n\t"mine": 1,[\s\S]*\}\n\n$/);
	assert.equal(withStories(doc([story("S1")], 0), [story("S1", true)]).text, `[${JSON.stringify(story("S1", true))}]\n`);
});

test("C-16: what is put back or taken back changes the values and nothing of the layout", () => {
	const text = `{"run_id": "x",\n  "stories": [\n    {"id": "S1", "title": "a", "passes": true,  "acceptance_criteria": ["a", "b"], "notes": ""},\n    {"id": "S2",\n "title": "b", "passes": false}\n  ]}\n`;
	const read = (from: string): PrdDoc => {
		const found = readDoc(from);
		assert.ok(found.ok);
		return found.doc;
	};
	const doc = read(text);
	const [first, second] = doc.stories;
	const made = withStories(doc, [{ ...first, passes: false, notes: 'not "yet"' }, second!]);
	assert.equal(made.text, text.replace('"passes": true', '"passes": false').replace('"notes": ""', '"notes": "not \\"yet\\""'));
	assert.deepEqual(made.stories.map(idOf), ["S1", "S2"]);
	const worker = permitted("worker", doc, read(text.replace('"a", "b"', '"a"').replace('"passes": false', '"passes": true')));
	assert.equal(worker.doc.text, text.replace('"passes": false', '"passes": true'), "criteria are back, the claim stays");
	assert.deepEqual(worker.refused, ["story S1 (acceptance_criteria)"]);
});

test("R-36: a worker's allowed changes are kept byte for byte", () => {
	const before = doc({ stories: [story("S1"), story("S2")] });
	const after = doc({ stories: [story("S1", true, { notes: "n" }), story("S2")] }, 1);
	assert.deepEqual(permitted("worker", before, after), { doc: after, refused: [] });
});

test("R-36: a worker that reorders, adds, takes away or rewords stories changes nothing but passes and notes", () => {
	const before = doc({ title: "t", loop_settings: { a: 1 }, stories: [story("S1"), story("S2")] });
	const tries = [
		{ title: "t", loop_settings: { a: 1 }, stories: [story("S2"), story("S1")] },
		{ title: "t", loop_settings: { a: 1 }, stories: [story("S1")] },
		{ title: "t", loop_settings: { a: 1 }, stories: [story("S1"), story("S2"), story("S3", true)] },
		{ title: "t", loop_settings: { a: 1 }, stories: [story("S1", false, { verification_commands: ["true"] }), story("S2")] },
		{ title: "u", loop_settings: { a: 2 }, extra: 1, stories: [story("S1"), story("S2")] },
		[story("S1"), story("S2")],
	];
	const refused = tries.map((value) => {
		const made = permitted("worker", before, doc(value));
		assert.deepEqual(made.doc.value, before.value);
		return made.refused.join(", ");
	});
	assert.deepEqual(refused, [
		"the list of stories",
		"the list of stories",
		"the list of stories",
		"story S1 (verification_commands)",
		"`title`, `loop_settings`, `extra`",
		"`title`, `loop_settings`",
	]);
});

test("R-23: a reviewer takes a pass back and gives none", () => {
	const before = doc({ stories: [story("S1", true), story("S2")] });
	const made = permitted("reviewer", before, doc({ stories: [story("S1", false, { notes: "not met" }), story("S2", true)] }));
	assert.deepEqual(made.doc.stories, [story("S1", false, { notes: "not met" }), story("S2")]);
	assert.deepEqual(made.refused, ["`passes` of S2"]);
});

test("R-35: steering may change open stories freely, but no story that passes", () => {
	const before = doc({ run_id: "r", loop_settings: { a: 1 }, stories: [story("S1", true), story("S2", true, { n: 1 }), story("S3")] });
	const after = { run_id: "x", description: "new", stories: [story("S9"), story("S2", true, { n: 2, notes: "told" }), story("S3", true)] };
	const made = permitted("steering", before, doc(after));
	assert.deepEqual(made.doc.value, {
		description: "new",
		run_id: "r",
		loop_settings: { a: 1 },
		stories: [story("S1", true), story("S9"), story("S2", true, { n: 1, notes: "told" }), story("S3")],
	});
	assert.deepEqual(made.refused, [
		"story S2, which passes",
		"`passes` of S3",
		"story S1, which passes and was removed",
		"`run_id`",
		"`loop_settings`",
	]);
	const fine = doc({
		run_id: "r",
		loop_settings: { a: 1 },
		stories: [story("S1", true), story("S2", true, { n: 1 }), story("S3a"), story("S3b")],
	});
	assert.deepEqual(permitted("steering", before, fine), { doc: fine, refused: [] });
});

test("R-35: a list from which steering removed a story that passes and that others need is valid again with that story", () => {
	const before = doc({ stories: [story("S1", true), story("S2")] });
	const text = JSON.stringify({ stories: [story("S2a", false, { depends_on: ["S1"] }), story("S2b")] });
	assert.equal(readDoc(text).ok, false);
	const read = readSteered(before, text);
	assert.ok(read.ok);
	const made = permitted("steering", before, read.doc);
	assert.deepEqual(
		made.doc.stories.map((s) => s["id"]),
		["S1", "S2a", "S2b"],
	);
	assert.deepEqual(made.refused, ["story S1, which passes and was removed"]);
	for (const broken of ["{", "[]", "7", JSON.stringify({ stories: [story("S2", false, { depends_on: ["S9"] })] })])
		assert.equal(readSteered(before, broken).ok, false, broken);
});
