// What a person's approval of a waiting step takes, and what it does not take.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { failedCheck, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const approve = (w: World, reason = ""): unknown =>
	w.feed({ type: "decide", id: "d1", scope: "A", step: null, verdict: "approve", reason });
const make: TypePart = { checks: ["test"], on: { checks_failed: { action: "retry" } } };

test("G-01 a step that asks about refs keeps its outcome: an approval takes it, with the checks that failed", () => {
	const w = new World(stories({ make }), { stories: ["A"] });
	w.end("make", { unclear: "somebody deleted branch wip", checks: [failedCheck()] });
	assert.equal(w.state.status, "waiting");
	approve(w);
	assert.deepEqual([w.find("A", "make").attempt, w.state.status], [2, "running"], "the failed check sends it back");
	assert.match(w.find("A", "make").feedback ?? "", /check test failed/);
	w.end("make", { unclear: "somebody deleted branch wip" });
	approve(w);
	assert.deepEqual([w.story("A").status, w.story("A").changed], ["completed", true]);
});

test("G-22 the verdict of a step that asks about refs is not lost, and nothing of its report counts before the answer", () => {
	const back: Route = { action: "goto", target: "make", set: { why: "{{WHY}}" } };
	const judge: TypePart = { writes: "none", on: { bad: back } };
	const w = new World(stories({ make, judge }), { stories: ["A"] });
	w.end("make");
	w.end("judge", { signal: "bad", fields: { WHY: "wrong name" }, kept: [{ name: "notes", text: "x" }], unclear: "somebody moved tag v1" });
	assert.deepEqual([w.scope("A").kept, w.scope("A").fields], [[], {}]);
	approve(w);
	assert.equal(w.started.at(-1), "A make");
	assert.deepEqual([w.scope("A").kept.length, w.scope("A").fields["why"]], [1, "wrong name"]);
});

test("G-01 T-31 approving a check that cannot run takes that one only: what else failed goes back, and nobody is asked twice", () => {
	const asks: TypePart = { ...make, on: { ...make.on, broken: { action: "wait", target: "person" } } };
	const broken = { name: "smoke", command: "no-such", exitCode: 127, output: "", signal: "broken" };
	const w = new World(stories({ make: asks }), { stories: ["A"] });
	w.end("make", { checks: [broken, failedCheck()] });
	assert.equal(w.state.status, "waiting");
	approve(w);
	assert.deepEqual([w.state.status, w.find("A", "make").attempt], ["running", 2]);
	assert.deepEqual(
		w.scope("A").failing?.map(({ name }) => name),
		["test"],
		"nobody is told to repair what a person accepted",
	);
	w.end("make", { checks: [broken] });
	assert.equal(w.story("A").status, "completed");
});

test("T-67 an answer to a question that was answered meanwhile decides nothing about the next one", () => {
	const ask: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail" } } };
	const w = new World(stories({ first: ask, second: ask }), { stories: ["A"] });
	const version = () => w.state.stories[0]?.scope.steps.find((step) => step.status === "waiting")?.question?.version ?? 0;
	const asked = version();
	const answer = (id: string) => w.feed({ type: "decide", id, scope: "A", step: null, verdict: "approve", reason: "", ask: asked });
	answer("d1");
	assert.deepEqual([w.find("A", "first").status, w.find("A", "second").status], ["completed", "waiting"]);
	assert.notEqual(version(), asked);
	assert.deepEqual(answer("d2"), []);
	assert.equal(w.find("A", "second").status, "waiting");
});

test("I23 a question about one member of a gate is asked when the round is complete, and its answer decides nothing for the others", () => {
	const review: TypePart = {
		kind: "gate",
		writes: "none",
		verdicts: ["fine", "bad"],
		members: [
			{ role: "first", blocking: true },
			{ role: "second", blocking: true },
		],
		on: { fine: { action: "next" }, bad: { action: "goto", target: "make", max: 1, per: "story" } },
	};
	const w = new World(stories({ make, review }), { stories: ["A"] });
	w.end("make");
	w.end("review first", { signal: "fine", unclear: "somebody moved tag v1" });
	assert.deepEqual([w.state.status, w.jobs.map((job) => job.role)], ["running", ["second"]], "the other one still works");
	w.end("review second", { signal: "bad", fields: {} });
	assert.equal(w.state.status, "waiting");
	assert.match(w.find("A", "review").feedback ?? "", /tag v1/);
	approve(w);
	assert.equal(w.started.at(-1), "A make", "the worst verdict counts, not the one that was asked about");
});
