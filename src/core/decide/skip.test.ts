import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, failedCheck, linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { whyNotSkip } from "./skip.ts";

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

test("G-16 a person who may not skip a step learns why", () => {
	const types: Record<string, TypePart> = {
		work: { on: { bad: { action: "fail", target: "story" } } },
		look: {},
		prove: { kind: "command", proves: true },
		merge: { kind: "action" },
		ask: { kind: "approval", on: { approved: { action: "next" } } },
	};
	const w = new World(stories(types), { stories: ["A", "B"] });
	const why = (scope: string, type: string) =>
		whyNotSkip(
			w.state,
			scope,
			w.scope(scope).steps.find((step) => step.type === type),
		);
	assert.deepEqual(
		["work", "look", "prove", "merge", "ask", "nothing"].map((type) => why("A", type)),
		[
			"it is under way; pawl pause stops it first",
			null,
			"it decides whether the work is delivered; only --no-checks leaves that out, when the run is started",
			"pawl itself does it",
			"a person has to answer it: pawl approve, or pawl reject",
			"there is no such step",
		],
	);
	assert.equal(why("@run", "stories"), "pawl itself does it");
	const [step] = w.scope("A").steps;
	assert.equal(whyNotSkip(w.state, "B", step && { ...step, status: "pending" }), "the story is unclaimed");
	assert.equal(whyNotSkip(w.state, "X", step), "the story is unknown");
	w.end("A work");
	assert.equal(why("A", "work"), "it is completed");
	w.end("A look");
	assert.equal(why("A", "look"), "it is completed");
	w.end("A prove");
	w.end("A merge");
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	assert.equal(why("A", "look"), "the story is completed");
	w.end("B work", { signal: "bad" });
	assert.deepEqual([w.state.status, why("A", "look"), why("B", "work"), why("B", "look")], ["failed", "the run is failed", null, null]);
	const never = { ...w.state, definition: { ...w.state.definition, resume: "never" as const } };
	assert.equal(whyNotSkip(never, "B", w.find("B", "work")), "its workflow does not go on with a run");
});
