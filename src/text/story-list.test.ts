import assert from "node:assert/strict";
import { test } from "node:test";
import { type Prd, readPrd } from "./story-list.ts";

const read = (value: unknown): Prd => {
	const result = readPrd(typeof value === "string" ? value : JSON.stringify(value));
	assert.ok(result.ok, JSON.stringify(result));
	return result.prd;
};
const refused = (value: unknown): readonly string[] => {
	const result = readPrd(typeof value === "string" ? value : JSON.stringify(value, null, 2));
	assert.ok(!result.ok, "it was accepted");
	for (const p of result.problems) assert.ok(p.line >= 1 && p.column >= 1);
	return result.problems.map((p) => p.message);
};
const story = (id: string, more: object = {}) => ({ id, title: `Story ${id}`, ...more });

test("D-03 D-04 a plain Ralph prd.json is read, and nothing of it is lost", () => {
	const prd = read({
		project: "shop",
		branchName: "ralph/shop",
		description: "A shop",
		userStories: [
			{
				id: "US-001",
				title: "Cart",
				description: "A cart",
				acceptanceCriteria: ["adds", "removes"],
				priority: 2,
				passes: false,
				notes: "n",
			},
		],
	});
	assert.deepEqual([prd.name, prd.branch, prd.description], ["shop", "ralph/shop", "A shop"]);
	assert.deepEqual(prd.stories, [
		{ id: "US-001", title: "Cart", description: "A cart", criteria: ["adds", "removes"], priority: 2, dependsOn: [] },
	]);
	assert.deepEqual(prd.extras["US-001"], { notes: "n" });
});

test("D-03 the other dialects: name and dependsOn, run folders in snake case, a bare array", () => {
	const tui = read({ name: "tui", userStories: [story("A"), story("B", { dependsOn: ["A"], labels: ["x"], metadata: { k: 1 } })] });
	assert.equal(tui.name, "tui");
	assert.deepEqual(tui.stories[1]?.dependsOn, ["A"]);
	assert.deepEqual(tui.extras.B, { labels: ["x"], metadata: { k: 1 } });

	const folder = read({
		run_id: "r1",
		title: "Folder",
		loop_settings: { review_every_n_iterations: 3 },
		stories: [story("S1", { size: "XS", passes: false, acceptance_criteria: ["c"], verification_commands: ["npm t"], depends_on: [] })],
	});
	assert.equal(folder.name, "Folder");
	assert.deepEqual(folder.stories[0]?.criteria, ["c"]);
	assert.deepEqual(folder.extras.S1, { size: "XS", verification_commands: ["npm t"] });
	assert.deepEqual(folder.rest.loop_settings, { review_every_n_iterations: 3 });

	assert.deepEqual(
		read([story("A"), story("B")]).stories.map((s) => s.id),
		["A", "B"],
	);
});

test("D-05 D-11 missing keys have defaults; null counts as missing; passes and expects_change are read", () => {
	const [a, b] = read([
		story("A", { depends_on: null, priority: null, passes: null }),
		story("B", { depends_on: ["A", "A"], passes: true, expects_change: false }),
	]).stories;
	assert.deepEqual(a, { id: "A", title: "Story A", description: "", criteria: [], priority: 1, dependsOn: [] });
	assert.deepEqual(b, {
		id: "B",
		title: "Story B",
		description: "",
		criteria: [],
		priority: 1,
		dependsOn: ["A"],
		passes: true,
		expectsChange: false,
	});
});

test("D-09 priorities are kept; list order replaces missing ones, and without any all stories are equal", () => {
	assert.deepEqual(
		read([story("A"), story("B")]).stories.map((s) => s.priority),
		[1, 1],
	);
	assert.deepEqual(
		read([story("A", { priority: 30 }), story("B"), story("C", { priority: 0.5 })]).stories.map((s) => s.priority),
		[30, 2, 0.5],
	);
});

test("D-06 a cycle is named once with all its members", () => {
	const messages = refused([
		story("A", { depends_on: ["B"] }),
		story("B", { depends_on: ["C"] }),
		story("C", { depends_on: ["A"] }),
		story("D"),
	]);
	assert.equal(messages.length, 1);
	assert.match(messages[0]!, /cycle: A, B, C$/);
});

test("D-07 an unknown dependency names both ids; a story that needs itself is refused", () => {
	const messages = refused([story("A", { depends_on: ["US-404"] }), story("B", { dependsOn: ["B"] })]);
	assert.match(messages[0]!, /"A".*"US-404"/);
	assert.match(messages[1]!, /"B" depends on itself/);
});

test("ids that differ only in case are refused: some file systems hold them to be one", () => {
	const result = readPrd('[\n  {"id": "US-1a", "title": "a"},\n  {"id": "us-1A", "title": "b"}\n]');
	assert.ok(!result.ok);
	const message = 'the ids "US-1a" and "us-1A" differ only in case, and would share a branch on some systems';
	assert.deepEqual(result.problems, [{ line: 3, column: 4, message }]);
});

test("D-08 a duplicate id is named, with the place of both", () => {
	const result = readPrd('[\n  {"id": "US-001", "title": "a"},\n  {"id": "US-001", "title": "b"}\n]');
	assert.ok(!result.ok);
	assert.deepEqual(result.problems, [{ line: 3, column: 4, message: 'the id "US-001" is used twice (first in line 2)' }]);
});

test("X-06 ids that could leave a folder, name an option or break a branch are refused by name", () => {
	for (const id of ["../x", "a..b", "--exec=x", "a/b", "", " A", "a b", "é", "x".repeat(65), "a.lock", "a.", "A\n"]) {
		const messages = refused([story(id)]);
		assert.equal(messages.length, 1, id);
		if (id !== "") assert.ok(messages[0]!.includes(JSON.stringify(id)), id);
	}
	for (const id of ["US-001", "1", "a.b_c-d", "x".repeat(64), "run"]) assert.equal(read([story(id)]).stories[0]?.id, id);
});

test("titles may hold anything", () => {
	const title = '"; rm -rf $HOME `x`\nFixes: #1 \u202e é 🙂';
	assert.equal(read([story("A", { title })]).stories[0]?.title, title);
});

test("all mistakes are reported at once, in the order of the file", () => {
	const text = `{
  "stories": [
    {"id": "A", "title": 7, "depends_on": "B"},
    {"id": 5, "title": "t"},
    "x",
    {"id": "B", "title": "t", "passes": "yes", "priority": "high",
     "acceptance_criteria": [1], "depends_on": ["B", "Z"]}
  ]
}`;
	const result = readPrd(text);
	assert.ok(!result.ok);
	assert.deepEqual(
		result.problems.map((p) => [p.line, p.column]),
		[
			[3, 17],
			[3, 29],
			[4, 6],
			[5, 5],
			[6, 5],
			[6, 5],
			[6, 31],
			[6, 48],
			[7, 6],
		],
	);
	assert.match(
		result.problems.map((p) => p.message).join(" "),
		/title.*depends_on.*`id`.*not an object.*"Z".*itself.*passes.*priority.*acceptance_criteria/,
	);
});

test("refuses a text that is not a PRD with line and column; accepts a BOM", () => {
	const broken = readPrd('{\n  "stories": [,]\n}');
	assert.ok(!broken.ok);
	assert.deepEqual([broken.problems[0]?.line, broken.problems[0]?.column], [2, 15]);
	assert.match(broken.problems[0]!.message, /not JSON/);
	for (const text of ["", "null", "3", '"x"', "{}", '{"stories": {}}', '{"stories": []}', "[]", '{"stories": [{}], "userStories": [{}]}'])
		assert.equal(refused(text).length, 1, text);
	assert.equal(read(`\uFEFF${JSON.stringify([story("A")])}`).stories.length, 1);
});

test("I16 a text nested 100,000 deep is refused, never a crash", () => {
	const deep = "[".repeat(100_000) + "]".repeat(100_000);
	const nested = readPrd(`[{"id": "A", "title": "t", "metadata": ${deep}}]`);
	assert.match(nested.ok ? "" : (nested.problems[0]?.message ?? ""), /nested more than 200 levels deep/);
	assert.ok(!readPrd(deep).ok);
});

test("T-09: refuses a repeated key with line and column, in a story and in the document", () => {
	const text =
		'{"name": "a", "name": "b", "userStories": [\n{"id": "A", "title": "t", "acceptanceCriteria": ["x"],\n "acceptanceCriteria": ["y"]}]}';
	const read = readPrd(text);
	assert.deepEqual(read.ok ? [] : read.problems.map(({ line, message }) => [line, message]), [
		[1, 'the key "name" appears twice'],
		[3, 'story 1 has the key "acceptanceCriteria" twice'],
	]);
});
