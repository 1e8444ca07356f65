// The beginning of the prompt of a step that runs again, whatever its prompt file says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, failedCheck } from "../core/testing/builders.suite.ts";
import { World } from "../core/testing/world.suite.ts";
import { opening, taskWithoutShown } from "./opening.ts";

const first = (w: World, type: string, more: { template?: string; diffs?: string[]; steer?: string; why?: string } = {}) =>
	opening({ state: w.state, scope: w.scope("A"), step: w.find("A", type), template: "", diffs: [], steer: "", ...more });

const at = (type: string) => new World(dynamic(), { stories: ["A"] }).until(type);

test("G-15 a first attempt gets no explanation", () => assert.equal(first(at("coding"), "coding"), ""));

test("G-15 T-12 a step that repairs is told which check failed, by which command, and what it printed", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	const text = first(w, "coding");
	for (const part of ["What fails now", "`npm run test`", "exited 1", "boom"]) assert.ok(text.includes(part), part);
});

test("G-15 a check that stands at the top is not named once more by the task of the step that repairs it; another reason stays", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	const step = w.find("A", "coding");
	assert.match(step.description, /^\S.* \(after: check test failed: `npm run test` exited 1\)$/);
	assert.doesNotMatch(taskWithoutShown(w.state, w.scope("A"), step), /after|failed: /);
	const both = { ...step, description: `${step.description.slice(0, -1)}; it is too slow)` };
	assert.match(taskWithoutShown(w.state, w.scope("A"), both), / \(after: it is too slow\)$/);
	const other = { ...step, description: "Mend it (after: the roof leaks)" };
	assert.equal(taskWithoutShown(w.state, w.scope("A"), other), other.description);
});

test("T-12 T-13 once somebody has worked on it, the check is named without its old output; the step that fails again has the new one", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	w.end("coding");
	const text = first(w, "linting");
	assert.match(
		text,
		/^After step-\d+ \(initial_testing\) pawl ran the check `test` \(`npm run test`\): it exited 1\. Since then step-\d+ \(coding\) has worked/,
	);
	assert.doesNotMatch(text, /What fails now|boom/);
	w.until("initial_testing");
	w.end("initial_testing", { checks: [{ ...failedCheck(), output: "bang" }] });
	assert.match(first(w, "coding"), /What fails now[\s\S]*bang/);
});

test("T-13 a step that changed nothing has not worked on a failing check: its output stays", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	w.end("coding", { changed: false });
	assert.match(first(w, "linting"), /What fails now[\s\S]*boom/);
});

test("T-12 once the check passes, nothing of it is left", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	w.until("initial_testing");
	w.end("initial_testing", { checks: [{ ...failedCheck(), exitCode: 0, output: "" }] });
	assert.equal(first(w, "review"), "");
});

test("G-15 adds why it runs again if the prompt itself does not, and where the rolled-back work is", () => {
	const w = at("final_review");
	w.end("final_review", { checks: [failedCheck()] });
	const text = first(w, "final_review", { diffs: ["/runs/failures/A-step-010.diff"] });
	assert.match(text, /check `test`[\s\S]*exited 1[\s\S]*A-step-010\.diff/);
	const conflict = at("merge");
	conflict.end("merge", { signal: "conflict", error: "conflict with main in a.txt" });
	assert.match(first(conflict, "final_review"), /Why this step runs again[\s\S]*conflict with main/);
	assert.doesNotMatch(first(conflict, "final_review", { template: "{{ feedback }}" }), /Why this step runs again/);
});

test("T-18 what a person said stands with the task, once", () => {
	assert.match(first(at("planning"), "planning", { steer: "- use tabs" }), /<from_the_user>\n- use tabs/);
	assert.equal(first(at("planning"), "planning", { steer: "- use tabs", template: "Said: {{ steer }}" }), "");
});

test("G-15 T-13 a step that runs again after somebody has worked on the reason is told so: it must not do that work once more", () => {
	const w = at("merge");
	w.end("merge", { signal: "conflict", error: "conflict with main in a.txt" });
	assert.match(first(w, "final_review"), /conflict with main in a\.txt\n<\/reason>/);
	w.end("rebase_resolve");
	assert.match(
		first(w, "final_review"),
		/conflict with main in a\.txt\. Since then step-\d+ \(rebase_resolve\) has worked on it\.\n<\/reason>/,
	);
});

test("G-15 where the format says why, the reason of the route is not repeated", () => {
	const w = at("final_review");
	w.end("final_review", { checks: [failedCheck()] });
	assert.doesNotMatch(first(w, "final_review", { why: "" }), /Why this step runs again/);
	assert.match(first(w, "final_review", { why: "the lint fails" }), /Why this step runs again[\s\S]*the lint fails/);
});

test("T-12 a failed check that is shown at the top is not named a second time as the reason; what else the reason says stays", () => {
	const w = at("final_review");
	w.end("final_review", { checks: [failedCheck()] });
	const why = (reason: string) => first(w, "final_review", { why: reason });
	const named = "check test failed: `npm run test` exited 1";
	assert.match(why(named), /What fails now/);
	assert.doesNotMatch(why(named), /Why this step runs again/);
	assert.doesNotMatch(why(`execute: ${named}`), /Why this step runs again/);
	assert.match(why(`${named}; check lint failed: \`npm run lint\` exited 2`), /<reason>\ncheck lint failed: `npm run lint` exited 2\n</);
	assert.match(
		why("the checks fail on the merged tree: test: `npm run test` exited 1\nboom"),
		/<reason>\nthe checks fail on the merged tree\n</,
	);
});

test("T-12 what a command printed is shown once, however many checks run it", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck(), { ...failedCheck(), name: "all_tests_pass" }] });
	const text = first(w, "coding");
	assert.match(text, /pawl ran the checks `test` and `all_tests_pass` \(`npm run test`\): it exited 1/);
	assert.equal(text.split("boom").length, 2);
});

test("G-15 whoever mends a report is told either to look at what is there or to do again what is gone, never both", () => {
	const w = at("coding");
	const told = (putBack: boolean) =>
		opening({
			state: w.state,
			scope: w.scope("A"),
			step: { ...w.find("A", "coding"), feedback: "no STATUS line", unread: "I did it.", putBack },
			...{ template: "", diffs: [], steer: "" },
		});
	assert.match(told(false), /still in the tree\. Check what still holds instead of beginning anew, and end with/);
	assert.match(told(true), /gone from the tree: do that again, and end with/);
	assert.doesNotMatch(told(true), /instead of beginning anew/);
});
