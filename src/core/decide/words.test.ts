// The words for a step that only worked, which prompts leave out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWorked, saysOnlyWhoWorked } from "./words.ts";

test("G-15 that a step has worked on something is told apart from a reason", () => {
	assert.equal(hasWorked("final_review"), "final_review has worked on it since");
	for (const type of ["final_review", "fix-2", "work"]) assert.equal(saysOnlyWhoWorked(` ${hasWorked(type)}\n`), true);
	for (const text of ["look: final_review has worked on it since", "work has worked on it since Monday", "has worked on it since", "bad"])
		assert.equal(saysOnlyWhoWorked(text), false, text);
});
