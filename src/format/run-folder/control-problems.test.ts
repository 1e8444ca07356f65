import assert from "node:assert/strict";
import { test } from "node:test";
import { controlProblems } from "./control-problems.ts";

const problems = (text: string): string[] => controlProblems({ text });

test("T-42 a control.json that asks for what it can ask for has no problems", () => {
	assert.deepEqual(controlProblems({ missing: true }), []);
	assert.deepEqual(problems("{}"), []);
	assert.deepEqual(
		problems('\uFEFF{"pause": true, "stop": false, "stop_soft": 1, "stop_hard": 0, "reason": "why", "review_now": null}'),
		[],
	);
	assert.deepEqual(problems('{"skip_iteration": 2, "add_iterations": 5, "review_next": true}'), []);
});

test("T-42 syntax, types and unknown keys are named, each with what it should be", () => {
	assert.deepEqual(problems('{\n  "pause": tru'), ["control.json asks for nothing: line 2 is no JSON: a value is expected here"]);
	assert.deepEqual(problems(" \n"), ["control.json asks for nothing: it is empty"]);
	assert.deepEqual(problems("[true]"), ["control.json asks for nothing: it holds no JSON object"]);
	assert.deepEqual(controlProblems({ problem: "it is a symbolic link" }), ["control.json asks for nothing: it is a symbolic link"]);
	assert.deepEqual(problems('{"pauze": true, "mine": 1}'), [
		'control.json: "pauze" is none of its keys and is ignored (did you mean pause?)',
		'control.json: "mine" is none of its keys and is ignored',
	]);
	assert.deepEqual(problems('{"stop_soft": "yes", "pause": "true", "add_iterations": true, "skip_iteration": -1, "reason": 5}'), [
		'control.json: stop_soft must be true or false, and "yes" is ignored',
		'control.json: pause must be true or false, and "true" is ignored',
		"control.json: add_iterations must be a whole number, and true is ignored",
		"control.json: skip_iteration must be true, false or a whole number, and -1 is ignored",
		"control.json: reason must be a text, and 5 is ignored",
	]);
});
