import assert from "node:assert/strict";
import { test } from "node:test";
import { storyIdProblem } from "../../core/story-id.ts";
import { readRequest } from "./request.ts";

const story = (text: string) => {
	const result = readRequest(text);
	assert.ok(result.ok);
	return result.story;
};

test("D-156 a request is one story: its first line is the title, all of it the description", () => {
	const text = "\n  Teach the parser\tto accept tabs  \n\nAll of them.\n";
	assert.deepEqual(story(text), {
		id: "one-shot",
		title: "Teach the parser to accept tabs",
		description: text,
		criteria: [],
		priority: 1,
		dependsOn: [],
	});
	assert.equal(storyIdProblem("one-shot"), null);
});

test("a long first line is cut to 72 characters, never inside one", () => {
	assert.equal(story("a".repeat(72)).title, "a".repeat(72));
	assert.equal(story("a".repeat(73)).title, `${"a".repeat(71)}…`);
	assert.equal(story("👩‍🚀".repeat(80)).title, `${"👩‍🚀".repeat(71)}…`);
	assert.equal(story("x".repeat(5_000_000)).title.length, 72);
});

test("an empty request is a problem", () => {
	for (const text of ["", " \n\t"]) {
		const result = readRequest(text);
		assert.ok(!result.ok);
		assert.match(result.problems[0]!.message, /empty/);
	}
});
