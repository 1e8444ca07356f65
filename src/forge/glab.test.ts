import assert from "node:assert/strict";
import { test } from "node:test";
import { description } from "./glab.ts";

test("a text of an agent cannot tell GitLab what to do: no line of it is a quick action", () => {
	assert.equal(
		description("Why\n/merge\n  /assign @me\na /label\n```sh\n/usr/bin/x\n```\n/approve\n"),
		"Why\n\\/merge\n  \\/assign @me\na /label\n```sh\n/usr/bin/x\n```\n\\/approve\n",
	);
});

test("a fence is closed by its like only", () => {
	assert.equal(description("````\n```\n/a\n````\n/b"), "````\n```\n/a\n````\n\\/b");
	assert.equal(description("~~~\n```\n/a\n~~~\n/b"), "~~~\n```\n/a\n~~~\n\\/b");
	assert.equal(description("```\n``` x\n/a\n"), "```\n``` x\n/a\n");
});

test("a text that would not fit into an argument is cut", () => {
	assert.ok(Buffer.byteLength(description("ä".repeat(200_000))) < 128 * 1024);
});
