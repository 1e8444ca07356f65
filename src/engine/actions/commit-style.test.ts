import assert from "node:assert/strict";
import { test } from "node:test";
import { inStyleOf } from "./commit-style.ts";

test("T-14 a subject follows the repository's own style", () => {
	const conventional = ["fix(parser): accept tabs", "feat(list)!: sort", "docs: say how", "Merge it"];
	assert.equal(inStyleOf(conventional, "Add a --shout option"), "feat: add a --shout option");
	assert.equal(inStyleOf(conventional, "fix: a thing"), "fix: a thing");
	assert.equal(inStyleOf(["Accept tabs", "Sort by name", "fix: one"], "Add a --shout option"), "Add a --shout option");
	assert.equal(inStyleOf([], "Add it"), "Add it");
});
