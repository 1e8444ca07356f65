import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, failedCheck, linear, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

test("skip: a person skips a pending or failed step, and the story continues; the journal says that it was a person", () => {
	const w = new World(dynamic(), { stories: ["A"], options: { base: "main" } });
	w.until("A planning", {});
	w.feed({ type: "skip_step", scope: "A", step: "step-003", reason: "not needed" });
	assert.equal(w.story("A").scope.steps.find((s) => s.id === "step-003")?.skipReason, "a person: not needed");
	assert.ok(w.events.some((e) => e.event === "decided" && e.verdict === "skip" && e.reason === "not needed"));
	w.end("A planning");
	assert.equal(w.started.at(-1), "A test_architecture");
	w.end("A test_architecture", { signal: "agent_error", error: "it broke" });
	assert.deepEqual([w.story("A").status, w.state.status], ["failed", "failed"]);
	w.feed({ type: "skip_step", scope: "A", step: "step-004", reason: "by hand" });
	assert.deepEqual([w.story("A").status, w.state.status, w.started.at(-1)], ["in_progress", "running", "A coding"]);
});

test("skip: running, done and pawl's own steps cannot be skipped", () => {
	const w = new World(dynamic(), { stories: ["A"], options: { base: "main" } });
	w.until("A planning", {});
	const before = w.events.length;
	const merge = w.story("A").scope.steps.find((s) => s.type === "merge");
	for (const step of ["step-001", "step-002", merge?.id ?? "", "step-099"]) w.feed({ type: "skip_step", scope: "A", step, reason: "no" });
	assert.equal(w.events.length, before);
});

test("I21 a person who skips the repair of failed checks does not skip the checks", () => {
	const checks: TypePart = { kind: "action", proves: true, on: { checks_failed: { action: "goto", target: "repair", max: 2 } } };
	const repair: TypePart = { detour: true, on: { done: { action: "goto", target: "back" } } };
	const w = new World(linear({ work: {}, checks, repair }));
	w.end("work");
	w.end("checks", { signal: "checks_failed", checks: [failedCheck()] });
	w.end("repair", { unclear: "somebody moved tag v1" });
	assert.equal(w.state.status, "waiting");
	w.feed({ type: "skip_step", scope: "@run", step: w.find("@run", "repair").id, reason: "by hand" });
	assert.deepEqual([w.state.status, w.started.at(-1)], ["running", "checks"], "they run again");
	// A check for conflict markers says nothing when there are none.
	w.end("checks", { checks: [] });
	assert.equal(w.state.status, "completed");
});

test("I17 I21 a workflow that leads past its failed checks runs them a few times more, and then the run fails", () => {
	const w = new World(linear({ work: {}, checks: { kind: "action", proves: true, on: { checks_failed: { action: "next" } } } }));
	w.end("work");
	for (let i = 0; i < 4; i++) w.end("checks", { signal: "checks_failed", checks: [failedCheck()] });
	assert.deepEqual([w.state.status, /checks failed/.test(w.state.reason ?? "")], ["failed", true]);
});
