// What a step's input says about the answers to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readReport } from "../../core/report/report.ts";
import { compileGrammar } from "../../definition/roles.ts";
import { grammar } from "./answers.ts";

const REVIEW = `Review it.

NOTE: be kind.

If it can be merged, answer with:
STATUS: done
DECISION: approved

If not, answer with:
STATUS: retry
DECISION: changes_requested
FEEDBACK:
- one line for each thing

RULES: none`;
const signal = (input: string, text: string, sendsBack = true): string =>
	readReport(
		compileGrammar(grammar("STATUS: done", input, sendsBack), [], () => undefined),
		text,
	).signal;

test("G-17 A-75 what belongs to a retry alone contradicts done, in any pipeline whose step can send back", () => {
	assert.equal(signal(REVIEW, "STATUS: done\nDECISION: changes_requested\nFEEDBACK:\n- a"), "retry");
	assert.equal(signal(REVIEW, "STATUS: done\nDECISION: approved"), "done");
	assert.equal(signal("Check {{changes}}", "STATUS: done\nISSUES:\n- a"), "unreadable", "of somebody else, who says it in a persona");
	assert.equal(signal("Check {{changes}}", "STATUS: done\nDECISION: needs work"), "retry");
	assert.equal(signal("Say\nSTATUS: done\nor\nSTATUS: retry\nBROKEN: what", "STATUS: done\nBROKEN: the door"), "unreadable");
});

test("G-17 a step that finds things for others may be done and have issues", () => {
	const scan = "Look for weaknesses.\n\nSTATUS: done\nISSUES: what you found";
	assert.equal(signal(scan, "STATUS: done\nISSUES:\n- a", false), "done");
	assert.equal(signal(scan, "STATUS: done\nISSUES:\n- a", true), "done", "its input asks for them");
	assert.equal(signal("Look for weaknesses.", "STATUS: done\nISSUES:\n- a\nDECISION: rejected", false), "done");
});

test("G-17 a report should have the keys of its answer and no others", () => {
	assert.deepEqual(grammar("STATUS: done", REVIEW, true).wants, { done: ["DECISION"], retry: ["DECISION", "FEEDBACK"] });
	assert.deepEqual(grammar("STATUS: done", "Do it.\n\nSTATUS: done\nSTORIES_JSON: []\nBRANCH: x", false).wants, { done: ["BRANCH"] });
	assert.equal(grammar("STATUS: done", "Do it.", false).wants, undefined);
});
