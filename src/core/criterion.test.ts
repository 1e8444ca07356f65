import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswers, readCriteria } from "./criterion.ts";

test("S-34 S-38: criteria are called by their words, and the command that ends one proves it", () => {
	assert.deepEqual(
		readCriteria([
			"File exists `test -f work/1.1.txt`",
			"Notes are written",
			"`npm test`",
			"Uses ``bcrypt`` for it",
			"Both `a -x` and `b`",
			"notes ARE written!",
			"Prüfung läuft",
			"***",
		]).map((c) => [c.slug, ...c.commands]),
		[
			["file_exists", "test -f work/1.1.txt"],
			["notes_are_written"],
			["npm_test", "npm test"],
			["uses_bcrypt_for_it"],
			["both_and", "a -x", "b"],
			["notes_are_written_2"],
			["prüfung_läuft"],
			["criterion"],
		],
	);
});

test("T-31: a span in backticks is a command if it is the whole criterion or ends it; words after it make it a mention", () => {
	const cases: readonly [string, readonly string[], readonly string[], string?][] = [
		["`parseTags` is exported", [], ["parseTags"], "parsetags_is_exported"],
		["`npm test` passes", ["npm test"], [], "npm_test_passes"],
		["`npm test` passes.", ["npm test"], []],
		["All of `npm test` succeeds", ["npm test"], []],
		["**`npm test`** exits 0", ["npm test"], []],
		["`npm test` exits with code 0", ["npm test"], []],
		["Its tests pass (`npm test`).", ["npm test"], []],
		["`npm test` and `npm run lint` pass", ["npm test", "npm run lint"], []],
		["`parseTags` and `npm test` pass", ["npm test"], ["parseTags"]],
		["`parseTags` returns a list: `npm test`", ["npm test"], ["parseTags"], "parsetags_returns_a_list"],
		["`npm test` passes on `main` too", [], ["npm test", "main"]],
		["`npm test` exits 1", [], ["npm test"]],
		["The field `role` of `User` is a string", [], ["role", "User"]],
		["``code`` stays text, ``whatever``", [], []],
		["` `", [], []],
	];
	for (const [text, commands, mentions, slug] of cases) {
		const [one] = readCriteria([text]);
		assert.deepEqual([one?.commands, one?.mentions], [commands, mentions], text);
		if (slug !== undefined) assert.equal(one?.slug, slug);
	}
});

test("S-34: reads what a report says about them, however it is written", () => {
	const answers = readAnswers("- file_exists: true\n* `Notes are written`: FALSE\n- **both_and**: yes\nprose: maybe\n- x: trueish\n");
	assert.deepEqual(
		[...answers],
		[
			["file_exists", true],
			["notes_are_written", false],
			["both_and", true],
		],
	);
});

test("S-34 T-31 what ends a criterion, what joins commands, and how a name is made", () => {
	const cases: readonly [string, string, readonly string[]][] = [
		["`npm test` succeed", "npm_test_succeed", ["npm test"]],
		["`npm test` exit 0", "npm_test_exit_0", ["npm test"]],
		["Both `a -x`, and `b -y` pass", "both_and_pass", ["a -x", "b -y"]],
		["`a -x` or and `b -y` pass", "a_x_or_and_pass", ["b -y"]],
		["`a -x` and then `b -y` pass", "a_x_and_then_pass", ["b -y"]],
		["`a -x`, `b -y` and `c -z` pass", "a_x_b_y_and_c_z_pass", ["a -x", "b -y", "c -z"]],
		["`a  -x` and `b` pass", "a_x_and_b_pass", ["a  -x", "b"]],
		["   `npm test`", "npm_test", ["npm test"]],
		["It works.. `npm test` — passes!!", "it_works_passes", ["npm test"]],
		["  __It__ works  ", "it_works", []],
		["``  a b  `` is long", "a_b_is_long", []],
		["Ⅻ ﬁles", "xii_files", []],
		["Is`a -x`and`b -y`pass", "is_and_pass", ["a -x", "b -y"]],
		["`npm test` exits, with code 0", "npm_test_exits_with_code_0", ["npm test"]],
	];
	for (const [text, slug, commands] of cases) {
		const [one] = readCriteria([text]);
		assert.deepEqual([one?.slug, one?.commands], [slug, commands], text);
	}
	assert.deepEqual(
		readCriteria(["same", "same", "same", "same 2", "same"]).map((one) => one.slug),
		["same", "same_2", "same_3", "same_2_2", "same_4"],
	);
	assert.equal(
		readCriteria([`${"long ".repeat(40)}`])[0]?.slug,
		`${"long_".repeat(15)}long`,
		"no more than eighty letters, and no line at its end",
	);
});

test("S-34 answers: at the beginning of a line, after bullets and quotes, with any of the words, and nothing else", () => {
	const read = (line: string) => [...readAnswers(line)][0] ?? null;
	for (const word of ["true", "yes", "met", "Yes"]) assert.deepEqual(read(`- a: ${word}`), ["a", true], word);
	for (const word of ["false", "no", "unmet"]) assert.deepEqual(read(`- a: ${word}`), ["a", false], word);
	assert.deepEqual(read("> | a b | yes"), ["a_b", true]);
	assert.deepEqual(read("a b: yes"), ["a_b", true]);
	assert.deepEqual(read("a=true"), ["a", true]);
	assert.deepEqual(read("a : **true**"), ["a", true]);
	assert.deepEqual(read("- a   b:\t true"), ["a_b", true]);
	assert.equal(read("see x: y, a: true"), null, "the first colon decides");
	assert.equal(read("a true"), null);
	assert.equal(read(`${" ".repeat(600)}a: true`), null, "what is far out is not looked at");
});
