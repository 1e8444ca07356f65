import assert from "node:assert/strict";
import { test } from "node:test";
import { storyIdProblem } from "./story-id.ts";

test("X-06 an id becomes a file and a branch: letters, digits and a few signs, and nothing that git refuses", () => {
	for (const id of ["A", "0", "US-001", "1.2", "a_b.c-d", `A${"x".repeat(63)}`, "lock", "a.locked"])
		assert.equal(storyIdProblem(id), null, id);
	for (const id of ["", ".a", "-a", "_a", "a b", "a/b", "ä", `A${"x".repeat(64)}`, "a\n"])
		assert.equal(
			storyIdProblem(id),
			"an id has 1 to 64 letters, digits, `.`, `_` or `-` and starts with a letter or digit",
			JSON.stringify(id),
		);
	assert.equal(storyIdProblem("a..b"), "an id may not contain `..`");
	for (const id of ["a.", "a.lock"]) assert.equal(storyIdProblem(id), "an id may not end in `.` or `.lock`", id);
});
