import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseWorkflowState, renderWorkflowState, type WorkflowState } from "./document.ts";

const example = readFileSync(new URL("./fixtures/workflow-state-000.json", import.meta.url), "utf8");
const read = (text: string): WorkflowState => {
	const result = parseWorkflowState(text);
	assert.ok(result.ok, JSON.stringify(result));
	return result.state;
};
/** What is said against the document's example after a change. */
const changed = (change: (file: WorkflowState) => void): readonly string[] => {
	const value: WorkflowState = JSON.parse(example);
	change(value);
	const result = parseWorkflowState(JSON.stringify(value));
	assert.ok(!result.ok, "it was accepted");
	return result.problems;
};

test("D-67 D-68 D-69 D-77 X-14 the document's own example is read, whole", () => {
	const state = read(example);
	assert.deepEqual(state, JSON.parse(example));
	assert.deepEqual(Object.keys(state.stories), ["US-001", "US-002"]);
	assert.equal(state.stories["US-002"]?.steps[3]?.status, "in_progress");
	assert.equal(state.stories["US-002"]?.history[1]?.action, "workflow_edit");
});

test("D-110 writing it again gives the same text, except for spellings that JSON data does not have", () => {
	const again = renderWorkflowState(read(example));
	// The example writes 0.10, 0.20 and a list on one line; everything else is byte for byte what it was.
	const spelled = example.replaceAll("0.10,", "0.1,").replaceAll("0.20,", "0.2,").replace('["US-001"]', '[\n        "US-001"\n      ]');
	assert.equal(again, spelled);
	assert.equal(renderWorkflowState(read(again)), again);
});

test("keys that the document does not know are kept, in their place", () => {
	const text = example
		.replace('"version": 1,', '"zeta": {"a": []}, "version": 1,')
		.replaceAll('"type": "review",', '"mood": 1, "type": "review",');
	assert.equal(renderWorkflowState(read(text)), `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
	assert.deepEqual(read(`\uFEFF${example}`), read(example));
});

test("D-70 D-75 D-78 what does not fit is refused, all of it, by name", () => {
	const text = example
		.replace('"version": 1', '"version": 2')
		.replace('"2025-01-15T10:00:00Z"', '"yesterday"')
		.replace('"status": "completed"', '"status": "done"')
		.replace('"step-001"', '"1"')
		.replace('"story_claimed"', '"story_stolen"')
		.replace('"restart_count": 0', '"restart_count": -1');
	const result = parseWorkflowState(text);
	assert.ok(!result.ok);
	const all = result.problems.join("\n");
	for (const name of [
		"version:",
		"created_at:",
		"stories.US-001.status:",
		"stories.US-001.steps[0].id:",
		"stories.US-001.history[0].action:",
		"stories.US-001.steps[0].restart_count:",
	]) {
		assert.ok(all.includes(name), `${name} in\n${all}`);
	}
	assert.equal(result.problems.length, 6);
});

test("D-68 D-75 stories and steps must agree with each other", () => {
	assert.match(changed((file) => Object.assign(file.stories["US-001"]!, { story_id: "US-009" })).join(), /US-001\.story_id: is "US-009"/);
	assert.match(changed((file) => Object.assign(file.stories["US-001"]!, { depends_on: ["US-404"] })).join(), /no story "US-404"/);
	assert.match(changed((file) => Object.assign(file.stories["US-001"]!.steps[1]!, { id: "step-001" })).join(), /step-001 appears twice/);
	assert.match(changed((file) => Object.assign(file.stories, { "../x": file.stories["US-001"]! })).join(), /\.\.\/x/);
});

test("refuses texts of another kind, without a crash", () => {
	const deep = "[".repeat(20_000) + "]".repeat(20_000);
	for (const text of ["", "null", "[]", "{}", example.slice(0, -5), deep, example.replace('"details": {}', `"details": {"x": ${deep}}`)])
		assert.ok(!parseWorkflowState(text).ok);
});
