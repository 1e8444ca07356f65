import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addedMarkers } from "../tree/markers.ts";
import { Fixture, run } from "./merge-fixture.suite.ts";

const fixtures: Fixture[] = [];
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(files: Readonly<Record<string, string>>): Fixture {
	const f = new Fixture(files);
	fixtures.push(f);
	return f;
}

const CONFLICT = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> 1234567 (theirs)\n";
const DIFF3 = "<<<<<<< HEAD\nours\n||||||| base\nwas\n=======\ntheirs\n>>>>>>> theirs\n";

test("G-12: a story that committed conflict markers is a conflict: base stays, and the next attempt can put it right", async () => {
	const f = fixture({ "a.txt": "one\n" });
	const one = await f.story(1, "US-001", { "a.txt": "first\n" });
	const two = await f.story(2, "US-002", { "a.txt": "second\n" });
	await f.merge(one);
	const base = f.git("rev-parse", "main");
	assert.throws(() => run(two.path, "rebase", "-q", "main"));
	run(two.path, "add", "-A");
	run(two.path, "-c", "core.editor=true", "rebase", "--continue");
	assert.match(f.read("a.txt", two.path), /^<<<<<<< /);
	let checked = false;
	const check = async (): Promise<readonly string[]> => {
		checked = true;
		return [];
	};
	assert.deepEqual(await f.merge(two, { check }), { result: "conflict", paths: ["a.txt"], markers: ["a.txt:1", "a.txt:5"] });
	assert.equal(checked, false);
	assert.equal(f.git("rev-parse", "main"), base);
	assert.equal(run(two.path, "status", "--porcelain"), "");
	f.commit(two, { "a.txt": "first\nsecond\n" });
	assert.equal((await f.merge(two)).result, "merged");
	assert.equal(f.read("a.txt"), "first\nsecond\n");
});

test("G-12: only what the story adds counts", async () => {
	const f = fixture({ "docs/conflicts.md": `# Conflicts\n\n${DIFF3}`, "a.txt": "a\n" });
	const tree = await f.story(1, "US-001", { "docs/conflicts.md": `# Conflicts\n\nThey look so:\n\n${DIFF3}\nMore.\n` });
	f.commit(tree, { "docs/moved.md": DIFF3, "docs/conflicts.md": "See moved.md\n", "a.txt": "b\n" });
	assert.equal((await f.merge(tree)).result, "merged");
});

const cases: readonly (readonly [what: string, text: string, lines: readonly number[]])[] = [
	["a whole conflict", `x\n${CONFLICT}`, [2, 6]],
	["with the common ancestor", DIFF3, [1, 3, 7]],
	["its beginning alone", "<<<<<<< HEAD\nours\n", [1]],
	["its end alone", "ours\n=======\n>>>>>>> theirs\n", [3]],
	["without what encloses it", "ours\n||||||| base\nwas\n=======\n", [2]],
	["longer markers", "<<<<<<<<<< HEAD\n==========\n>>>>>>>>>> x\n", [1, 3]],
	["with carriage returns", CONFLICT.replaceAll("\n", "\r\n"), [1, 5]],
	["without a name", "<<<<<<<\n=======\n>>>>>>>\n", [1, 3]],
	["without a last line end", "x\n>>>>>>> theirs", [2]],
	["a title that is underlined", "License\n=======\n", []],
	["bars of a table", "|||||||\n", []],
	["shift operators", "a <<<<<<< b\n<<<<<<<b\n", []],
	["an indented example", "    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n", []],
	["lines that look like a patch", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<<<<<<< HEAD\n", []],
];
for (const [what, text, lines] of cases) {
	test(`G-12: ${what}`, async () => {
		const f = fixture({ "a.txt": "a\n" });
		f.write({ 'näme "x".txt': text });
		f.git("add", "-A");
		f.git("commit", "-qm", "story");
		const found = await addedMarkers(f.root, "HEAD~1", "HEAD");
		assert.deepEqual(
			found,
			lines.map((line) => ({ path: 'näme "x".txt', line })),
		);
	});
}
