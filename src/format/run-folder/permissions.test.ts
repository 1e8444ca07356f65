import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { controlPlaneText, mayWrite, RULES } from "./permissions.ts";

test("R-37: the template is generated from the rules and has all of them", () => {
	const text = controlPlaneText();
	assert.equal(readFileSync(new URL("../../../workflows/ralph/templates/CONTROL_PLANE.md", import.meta.url), "utf8"), text);
	for (const { file, may } of RULES) {
		const name = file.replace(/^\//, "");
		const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\`${file.startsWith("/") ? " of the repository" : ""} |`));
		const want = (["worker", "reviewer", "steering"] as const).map((who) => (may.includes(who) ? "yes" : "no"));
		assert.deepEqual(
			row
				?.split("|")
				.slice(2, 5)
				.map((cell) => cell.trim()),
			want,
			name,
		);
	}
});

test("R-36 R-37: code is the worker's; a transcript is its author's", () => {
	const who = ["worker", "reviewer", "steering"] as const;
	assert.deepEqual(
		who.map((w) => mayWrite(w, null, true)),
		[true, false, false],
	);
	assert.deepEqual(
		who.map((w) => mayWrite(w, "transcripts/0001-worker.md", true)),
		[false, false, false],
	);
	assert.deepEqual(
		who.map((w) => mayWrite(w, "transcripts/mine.md", false)),
		[true, true, true],
	);
	assert.deepEqual(
		who.map((w) => mayWrite(w, "output/worker_result.json", false)),
		[true, false, false],
	);
	assert.deepEqual(
		who.map((w) => mayWrite(w, "progress.md", true)),
		[true, true, true],
	);
});
