import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswers, readCriteria } from "./criterion.ts";

test("S-34 S-38: criteria are called by their words, and single backticks are commands", () => {
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
