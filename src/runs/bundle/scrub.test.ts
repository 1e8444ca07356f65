import assert from "node:assert/strict";
import { test } from "node:test";
import { scrubber } from "./scrub.ts";

test("what must not leave the machine is taken out, and nothing else", () => {
	const scrub = scrubber(["hunter2-of-the-environment"], "/home/ann");
	// Put together here, so that nobody takes them for real ones.
	const credentials = [
		`sk-${"a1B2".repeat(6)}`,
		`ghp_${"a1B2".repeat(6)}`,
		`glpat-${"a1B2".repeat(6)}`,
		`xoxb-${"1".repeat(12)}`,
		`AKIA${"A".repeat(16)}`,
		`AIza${"a".repeat(35)}`,
		`eyJ${"a".repeat(12)}.${"b".repeat(12)}.${"c".repeat(12)}`,
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
		"hunter2-of-the-environment",
	];
	for (const secret of credentials) assert.equal(scrub(`a ${secret} b`), "a *** b", secret);
	assert.equal(scrub("postgres://me:secret@host/db"), "postgres://me:***@host/db");
	assert.equal(scrub("-----BEGIN PRIVATE KEY-----\nnever ends"), "***");
	assert.equal(scrub("in /home/ann/project"), "in ~/project");
	for (const plain of ["https://host:8080/path@x", "task-12345678901234567890", "sk-short", "see ghp_docs"])
		assert.equal(scrub(plain), plain);
	assert.equal(scrubber([], "/")("/a/b"), "/a/b");
});
