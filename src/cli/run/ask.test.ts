// What the person at the terminal is asked, and which words count as an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear, type TypePart } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { Context } from "../context.ts";
import { questionLines } from "../text/question.ts";
import { questionsIn, verdictOf } from "./ask.ts";
import { notARequest } from "./one-shot.ts";

const approval: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } };

test("T-65: the question shows what needs approval and the notes of the step before, without control codes", () => {
	const world = new World(linear({ plan: {}, agree: approval, work: {} }));
	world.end("plan", { notes: "first this\nthen \u001b[2Jthat" });
	const step = world.state.root.steps.find((s) => s.type === "agree");
	assert.ok(step);
	assert.deepEqual(
		questionLines(world.state, "@run", step, "agree with the plan", 80, (text) => text),
		["", "agree waits for you: agree with the plan", "", "  first this", "  then that", ""],
	);
});

test("T-65: yes and no decide; anything else is decided later", () => {
	assert.deepEqual(["y", " YES ", "n", "no", "", "ok", "later", null].map(verdictOf), [
		"approve",
		"approve",
		"reject",
		"reject",
		null,
		null,
		null,
		null,
	]);
});

test("questions of a list are asked one by one; a text, or a list of one, is one question", () => {
	assert.deepEqual(questionsIn("Some things:\n- JSON or YAML?\n  (YAML is there already)\n\n2. For whom?\n"), [
		"JSON or YAML? (YAML is there already)",
		"For whom?",
	]);
	assert.deepEqual(questionsIn(" JSON or YAML?\nOr both? "), ["JSON or YAML?\nOr both?"]);
	assert.deepEqual(questionsIn("- JSON or YAML?"), ["- JSON or YAML?"]);
});

test("a question in words is shown line by line", () => {
	const on = { ask: { action: "wait", target: "answer", max: 1, per: "run", exhausted: { action: "fail", target: "run" } } } as const;
	const world = new World(linear({ plan: { on } }));
	world.end("plan", { signal: "ask", error: "- a?\n- \u001b[2Jb?" });
	const step = world.find("@run", "plan");
	assert.deepEqual(
		questionLines(world.state, "@run", step, step.feedback ?? "", 80, (text) => text),
		["", "plan asks:", "  - a?", "  - b?", ""],
	);
});

const here = { commands: { status: {}, run: {} }, services: { oneShotWorkflow: "dynamic" } } as unknown as Context;

test("T-66: one word is not a request, and a similar command is suggested; a sentence is one, even in a script without spaces", () => {
	assert.match(notARequest(here, "staus") ?? "", /did you mean status\?/);
	assert.match(notARequest(here, "refactor") ?? "", /there is no command refactor; .*pawl run dynamic "refactor"/);
	for (const request of ["Fix the pager", "修复登录错误"]) assert.equal(notARequest(here, request), null);
});
