// The beginning of the prompt of a step that runs again, whatever its prompt file says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, failedCheck } from "../core/testing/builders.suite.ts";
import { World } from "../core/testing/world.suite.ts";
import { opening } from "./opening.ts";

const first = (w: World, type: string, more: { template?: string; diffs?: string[] } = {}) =>
	opening({ state: w.state, scope: w.scope("A"), step: w.find("A", type), template: more.template ?? "", diffs: more.diffs ?? [] });

const at = (type: string) => new World(dynamic(), { stories: ["A"] }).until(type);

test("G-15 a first attempt gets no explanation", () => assert.equal(first(at("coding"), "coding"), ""));

test("G-15 T-12 a step that repairs is told which check failed, by which command, and what it printed", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	const text = first(w, "coding");
	for (const part of ["What fails now", "`npm run test`", "exited 1", "boom"]) assert.ok(text.includes(part), part);
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
	assert.match(text, /Why this step runs again[\s\S]*check test failed[\s\S]*A-step-010\.diff/);
	assert.doesNotMatch(first(w, "final_review", { template: "{{ feedback }}" }), /Why this step runs again/);
});
