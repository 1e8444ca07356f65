import assert from "node:assert/strict";
import { test } from "node:test";
import { isLeftSubject, leftSubject } from "./left-subject.ts";
import { stories, storyOf } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const world = (title: string) => new World(stories({ work: {}, check: {} }), { stories: [storyOf("A", { title })] }).state;

test("T-14 what a step left is committed under the title of its story, or of the run, and is found again by that", () => {
	const state = world("Add  a\nfield.");
	assert.equal(leftSubject(state, "A", "work"), "Add a field (left by work)");
	assert.equal(leftSubject(state, "@run", "check"), "A run (left by check)");
	assert.equal(leftSubject(world(" \u0007 Add\u2028\t it v1.2.. "), "A", "work"), "Add it v1.2. (left by work)");
	for (const subject of ["Add a field (left by work)", "Add a field (left by check)", "A run (left by work)"])
		assert.equal(isLeftSubject(state, subject), true, subject);
	for (const subject of ["Add a field", "Add a field (left by nobody)", "Other (left by work)"])
		assert.equal(isLeftSubject(state, subject), false, subject);
});

test("T-14 a long title is cut at a word's end or within it, never with a space before the dots", () => {
	assert.equal(leftSubject(world("x".repeat(60)), "A", "work"), `${"x".repeat(60)} (left by work)`);
	assert.equal(leftSubject(world("x".repeat(61)), "A", "work"), `${"x".repeat(59)}… (left by work)`);
	assert.equal(leftSubject(world(`${"x".repeat(58)} yyy`), "A", "work"), `${"x".repeat(58)}… (left by work)`);
});
