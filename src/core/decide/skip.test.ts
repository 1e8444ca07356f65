import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionOf, dynamic, failedCheck, linear, plan, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
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

test("I21 checks that decide about a delivery are passed by no other step", () => {
	const checks: TypePart = { kind: "action", proves: true, on: { checks_failed: { action: "goto", target: "repair", max: 2 } } };
	const repair: TypePart = { detour: true, on: { again: { action: "next", rollback: "failures" } } };
	for (const found of [[failedCheck()], []]) {
		const w = new World(linear({ work: {}, checks, repair }));
		w.end("work");
		w.end("checks", { signal: "checks_failed", checks: found });
		// They passed on a tree that is put back.
		w.end("repair", { signal: "again", checks: [{ ...failedCheck(), exitCode: 0 }] });
		assert.deepEqual([w.state.status, w.started.at(-1)], ["running", "checks"], "they run again");
		w.end("checks", {});
		assert.equal(w.state.status, "completed");
	}
});

test("I17 I21 a workflow that leads past its failed checks runs them a few times more, and then the run fails", () => {
	const w = new World(linear({ work: {}, checks: { kind: "action", proves: true, on: { checks_failed: { action: "next" } } } }));
	w.end("work");
	for (let i = 0; i < 4; i++) w.end("checks", { signal: "checks_failed", checks: [failedCheck()] });
	assert.deepEqual([w.state.status, /checks failed/.test(w.state.reason ?? "")], ["failed", true]);
});

test("I17 G-16 the only step that can give a run its stories cannot be skipped: without them the run fails, and no retry helps", () => {
	const report = { notes: "text", keys: [], signals: [], stories: "STORIES_JSON" } as const;
	const tells: TypePart = { scope: "run", report };
	const planned = (atLeast: number, ...first: string[]) =>
		new World(
			definitionOf({
				// In a pipeline every report may hold stories; one that comes after the work on them is too late.
				steps: ["look", ...first, "stories", "late"],
				types: {
					look: { scope: "run" },
					first: tells,
					second: tells,
					late: tells,
					stories: { each: { steps: plan("work"), atLeast } },
					work: {},
				},
			}),
		);
	const why = (w: World, type: string) => whyNotSkip(w.state, "@run", w.find("@run", type));
	const only = planned(1, "first");
	assert.match(why(only, "first") ?? "", /the run has no stories without it/);
	const before = only.events.length;
	only.feed({ type: "skip_step", scope: "@run", step: only.find("@run", "first").id, reason: "no" });
	assert.equal(only.events.length, before);
	assert.equal(why(planned(0, "first"), "first"), null, "none are needed");
	const two = planned(1, "first", "second");
	assert.deepEqual([why(two, "first"), why(two, "second")], [null, null], "the other one can give them");
	two.feed({ type: "skip_step", scope: "@run", step: two.find("@run", "first").id, reason: "no" });
	assert.match(why(two, "second") ?? "", /the run has no stories without it/);
	const given = planned(1, "first", "second");
	given.end("look");
	given.end("first", { stories: [storyOf("A")] });
	assert.equal(given.find("@run", "second").status, "in_progress");
	given.end("second", { signal: "rate_limited", retryAt: given.at + 1000 });
	assert.equal(why(given, "second"), null, "there are stories");
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
