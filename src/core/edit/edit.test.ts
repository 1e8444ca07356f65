import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionOf, dynamic, edits } from "../testing/builders.suite.ts";
import { add, describe, reorder, restart, skip, split } from "../testing/operations.suite.ts";
import { World } from "../testing/world.suite.ts";
import { decideEdits } from "./edit.ts";

/** A story of the dynamic workflow in which this step runs. */
const at = (type: string): World => new World(dynamic(), { stories: ["A"] }).until(type);

/** Ends the running step with these edits and tells why they were rejected; [] where they were not. */
function submit(w: World, type: string, ...operations: unknown[]): readonly string[] {
	const events = w.end(type, { edits: edits(...operations) });
	return events.find((e) => e.event === "edit_rejected")?.reasons ?? [];
}

const PENDING_AFTER_PLANNING = ["step-003", "step-004", "step-005", "step-006", "step-007", "step-008", "step-009", "step-010"];

test("D-38 D-40 a claimed story has the ten steps, all pending and empty, and the first one added is step-011", () => {
	const w = new World(dynamic(), { stories: ["A"] });
	assert.deepEqual(
		w
			.scope("A")
			.steps.filter((s) => s.type !== "merge")
			.map((s) => `${s.id} ${s.type}`),
		[
			"step-001 context_gathering",
			"step-002 planning",
			"step-003 architecture",
			"step-004 test_architecture",
			"step-005 coding",
			"step-006 linting",
			"step-007 initial_testing",
			"step-008 review",
			"step-009 prune_tests",
			"step-010 final_review",
		],
	);
	const pending = w.find("A", "review");
	assert.deepEqual(
		[pending.startedAt, pending.completedAt, pending.notes, pending.restarts, pending.usage.costUsd],
		[null, null, null, 0, null],
	);
	w.until("planning");
	assert.deepEqual(submit(w, "planning", add("step-005", "coding")), []);
	assert.deepEqual(w.ids("A").slice(4, 6), ["step-005", "step-011"]);
});

test("D-83 D-75 D-76 add_after puts steps right after the target, with consecutive ids", () => {
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", add("step-007", "coding", "linting", "initial_testing")), []);
	const around = w.scope("A").steps.slice(6, 11);
	assert.deepEqual(
		around.map((s) => s.type),
		["initial_testing", "coding", "linting", "initial_testing", "review"],
	);
	assert.deepEqual(
		around.slice(1, 4).map((s) => s.id),
		["step-011", "step-012", "step-013"],
	);
	w.until("architecture");
	submit(w, "architecture", add("step-004", "coding"));
	assert.equal(w.scope("A").steps[4]?.id, "step-014");
	w.play();
	assert.deepEqual(w.started.slice(3, 10), [
		"A test_architecture",
		"A coding",
		"A coding",
		"A linting",
		"A initial_testing",
		"A coding",
		"A linting",
	]);
});

test("D-84 add_after may name a step in any status, also the running and a completed one", () => {
	const w = at("review");
	assert.deepEqual(submit(w, "review", add("step-007", "coding"), add("step-008", "linting"), add("step-009", "coding")), []);
	assert.deepEqual(w.list("A").slice(6, 12), [
		"initial_testing completed",
		"coding in_progress",
		"review completed",
		"linting pending",
		"prune_tests pending",
		"coding pending",
	]);
});

test("D-79 D-80 the record of an edit says what was asked, with the new ids, and what it was before and after", () => {
	const w = at("planning");
	submit(w, "planning", add("step-005", "coding"), describe("step-008", "look twice"), skip("step-004"));
	const [added, described, skipped] = w.all("workflow_edited").map((e) => e.details);
	assert.equal(added?.operation, "add_after");
	assert.equal(added?.target_step_id, "step-005");
	assert.equal(added?.new_steps?.length, 1);
	const id = added?.new_steps?.[0]?.id ?? "";
	assert.ok(Array.isArray(added?.before) && !added.before.includes(id));
	assert.ok(Array.isArray(added?.after) && added.after.includes(id));
	assert.deepEqual([described?.old_description, described?.new_description], ["do review", "look twice"]);
	assert.equal(skipped?.reason, "not needed");
	assert.ok(w.all("workflow_edited").every((e) => e.step === "step-002" && e.details.reason !== ""));
});

test("D-85 split replaces one pending step by several with new ids in its place", () => {
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", split("step-005", "coding", "test_architecture", "coding")), []);
	assert.deepEqual(w.list("A").slice(3, 8), [
		"test_architecture pending",
		"coding pending",
		"test_architecture pending",
		"coding pending",
		"linting pending",
	]);
	assert.ok(!w.ids("A").includes("step-005"));
});

test("D-86 D-49 skip marks a pending step with its reason and it is not run", () => {
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", skip("step-004")), []);
	assert.deepEqual([w.step("A", "step-004").status, w.step("A", "step-004").skipReason], ["skipped", "not needed"]);
	w.play();
	assert.ok(!w.started.includes("A test_architecture"));
	assert.equal(w.story("A").status, "completed");
});

test("D-87 reorder takes exactly the pending steps, with final_review last", () => {
	const w = at("planning");
	const swapped = ["step-004", "step-003", ...PENDING_AFTER_PLANNING.slice(2)];
	assert.deepEqual(submit(w, "planning", reorder(...swapped)), []);
	assert.deepEqual(w.ids("A").slice(2, 10), swapped);
	assert.equal(w.scope("A").steps.at(-1)?.type, "merge", "a step that agents do not see stays where it is");
	assert.equal(w.started.at(-1), "A test_architecture");
});

for (const [what, order] of Object.entries({
	"one is missing": PENDING_AFTER_PLANNING.slice(1),
	"one is foreign": [...PENDING_AFTER_PLANNING, "step-777"],
	"one is completed": ["step-001", ...PENDING_AFTER_PLANNING],
	"one is running": ["step-002", ...PENDING_AFTER_PLANNING],
	"one is there twice": [...PENDING_AFTER_PLANNING.slice(0, 7), "step-009", "step-010"],
	"final_review is not last": ["step-010", ...PENDING_AFTER_PLANNING.slice(0, 7)],
}))
	test(`D-87 reorder is rejected where ${what}`, () => {
		const w = at("planning");
		assert.equal(submit(w, "planning", reorder(...order)).length, 1);
		assert.deepEqual(w.ids("A").slice(2, 10), PENDING_AFTER_PLANNING);
	});

test("D-88 D-52 a description can be changed while a step is pending only; the running one needs restart", () => {
	const w = at("coding");
	assert.match(submit(w, "coding", describe("step-005")).join(), /restart/);
	assert.equal(w.step("A", "step-005").description, "do coding");
	w.until("review");
	assert.match(submit(w, "review", describe("step-005")).join(), /completed/);
	w.until("final_review");
	const again = at("planning");
	assert.deepEqual(submit(again, "planning", describe("step-005", "do it well")), []);
	assert.equal(again.step("A", "step-005").description, "do it well");
});

test("D-48 D-54 D-56 D-89 D-125 restart: tree put back into restarts/, counted, new description, the same step again", () => {
	const w = at("coding");
	assert.deepEqual(submit(w, "coding", restart("step-005", "the other way")), []);
	const again = w.step("A", "step-005");
	assert.deepEqual([again.status, again.description, again.restarts, again.attempt], ["in_progress", "the other way", 1, 2]);
	const [back] = w.asked("rollback");
	assert.deepEqual([back?.folder, back?.name, back?.commit], ["restarts", "A-step-005-1", "commit-of-step-005-1"]);
	assert.ok(
		w.effects.indexOf(back!) < w.effects.findIndex((e) => e.effect === "start_attempt" && e.step === "step-005" && e.attempt === 2),
		"the tree is put back before the next attempt starts",
	);
	const details = w.all("workflow_edited")[0]?.details;
	assert.deepEqual(
		[details?.operation, details?.reason, details?.old_description, details?.new_description],
		["restart", "went wrong", "do coding", "the other way"],
	);
});

test("D-89 D-53 only the running step can be restarted, with a reason and a new description, and once a file", () => {
	for (const operations of [
		[restart("step-006")],
		[restart("step-004")],
		[{ ...restart("step-005"), reason: undefined }],
		[{ ...restart("step-005"), reason: "  " }],
		[{ ...restart("step-005"), new_description: undefined }],
		[restart("step-005"), restart("step-005")],
	]) {
		const w = at("coding");
		assert.equal(submit(w, "coding", ...operations).length, 1, JSON.stringify(operations));
		assert.deepEqual([w.step("A", "step-005").status, w.step("A", "step-005").restarts], ["completed", 0]);
	}
});

test("D-54 D-55 three restarts are allowed; the fourth request is rejected, fails the step and the story", () => {
	const w = at("coding");
	for (let n = 1; n <= 3; n++) {
		assert.deepEqual(submit(w, "coding", restart("step-005")), []);
		assert.equal(w.step("A", "step-005").restarts, n);
	}
	assert.match(submit(w, "coding", add("step-005", "linting"), restart("step-005")).join(), /restart limit/);
	assert.equal(w.started.filter((s) => s === "A coding").length, 4);
	assert.equal(w.step("A", "step-005").status, "failed");
	assert.match(w.step("A", "step-005").error ?? "", /restart limit/);
	assert.equal(w.story("A").status, "failed");
	assert.equal(w.all("workflow_edited").length, 3);
	assert.deepEqual(
		w.asked("rollback").map((r) => r.name),
		["A-step-005-1", "A-step-005-2", "A-step-005-3", "A-step-005"],
	);
});

test("D-54 after three restarts the fourth execution may still end well", () => {
	const w = at("coding");
	for (let n = 0; n < 3; n++) submit(w, "coding", restart("step-005"));
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("D-104 restart together with others: they apply first, then the step runs again", () => {
	const w = at("coding");
	assert.deepEqual(submit(w, "coding", restart("step-005"), add("step-005", "linting"), skip("step-009")), []);
	assert.deepEqual(w.list("A").slice(4, 7), ["coding in_progress", "linting pending", "linting pending"]);
	assert.equal(w.step("A", "step-009").status, "skipped");
});

test("D-90 D-91 a mandatory step is neither skipped nor split away; final_review is not split at all", () => {
	for (const operation of [
		skip("step-006"),
		skip("step-010"),
		split("step-006", "coding"),
		split("step-010", "review"),
		split("step-010", "final_review"),
	]) {
		const w = at("planning");
		assert.equal(submit(w, "planning", operation).length, 1, JSON.stringify(operation));
		assert.equal(w.step("A", operation.target_step_id).status, "pending");
	}
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", split("step-006", "coding", "linting")), [], "a split of linting with a linting in it is fine");
});

test("D-92 D-37 nothing can be put after final_review, and no second one can be added", () => {
	for (const operation of [add("step-010", "coding"), add("step-005", "final_review"), split("step-005", "coding", "final_review")]) {
		const w = at("planning");
		assert.equal(submit(w, "planning", operation).length, 1, JSON.stringify(operation));
	}
});

test("D-82 agents cannot add rebase_resolve; internal steps can be neither added, nor named, nor seen", () => {
	const definition = dynamic();
	const merge = new World(definition, { stories: ["A"] }).find("A", "merge").id;
	for (const operation of [
		add("step-005", "rebase_resolve"),
		add("step-005", "merge"),
		add("step-005", "stories"),
		skip(merge),
		add(merge, "coding"),
		describe(merge),
	]) {
		const w = at("planning");
		const [reason] = submit(w, "planning", operation);
		assert.ok(reason, JSON.stringify(operation));
		assert.equal(w.find("A", "merge").status, "pending");
	}
	const w = at("planning");
	assert.match(submit(w, "planning", reorder(...PENDING_AFTER_PLANNING, merge)).join(), /no pending step/);
});

test("D-93 D-94 final_review that puts steps before itself goes back to pending, uncounted, and runs again last", () => {
	const w = at("final_review");
	assert.deepEqual(submit(w, "final_review", add("step-009", "coding")), []);
	const review = w.step("A", "step-010");
	assert.deepEqual([review.status, review.restarts], ["pending", 0]);
	assert.equal(w.all("step_reopened").at(-1)?.step, "step-010");
	w.play();
	assert.deepEqual(w.started.slice(-4), ["A final_review", "A coding", "A final_review", "A merge"]);
	assert.equal(w.story("A").status, "completed");
});

test("D-37 D-50 a step cannot skip itself", () => {
	for (const [type, id, then] of [
		["coding", "step-005", "completed"],
		// T-19: a last step whose edits are rejected runs again.
		["final_review", "step-010", "in_progress"],
	] as const) {
		const w = at(type);
		assert.equal(submit(w, type, skip(id)).length, 1);
		assert.equal(w.step("A", id).status, then);
	}
});

test("D-95 D-62 thirty steps are the limit, including finished and skipped ones but not internal ones; the story continues", () => {
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", skip("step-004"), add("step-005", ...Array<string>(19).fill("coding"))), []);
	w.until("architecture");
	assert.match(submit(w, "architecture", add("step-005", "coding", "coding")).join(), /limit is 30/);
	w.until("coding");
	assert.deepEqual(submit(w, "coding", add("step-005", "coding")), []);
	w.end("coding", { edits: edits(add("step-005", "coding")) });
	assert.match(w.all("edit_rejected").at(-1)?.reasons.join() ?? "", /limit is 30/);
	w.end("coding", { edits: edits(split("step-008", "review", "review")) });
	assert.equal(w.all("edit_rejected").length, 3);
	assert.deepEqual(submit(w, "coding", split("step-008", "review")), [], "one for one does not grow the list");
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("D-57 a full list does not limit restarts", () => {
	const w = at("planning");
	submit(w, "planning", add("step-005", ...Array<string>(20).fill("coding")));
	w.until("coding");
	for (let n = 0; n < 3; n++) assert.deepEqual(submit(w, "coding", restart("step-005")), []);
});

test("D-96 D-97 one bad operation rejects all; every reason is told; ids are not used up", () => {
	const w = at("planning");
	const before = w.scope("A");
	const reasons = submit(w, "planning", add("step-005", "coding"), skip("step-006"), describe("step-099"), describe("step-008"));
	assert.equal(reasons.length, 2);
	assert.match(reasons[0] ?? "", /operation 2.*mandatory/);
	assert.match(reasons[1] ?? "", /operation 3.*step-099/);
	assert.deepEqual(w.scope("A").steps.slice(3), before.steps.slice(3));
	assert.equal(w.scope("A").nextNumber, before.nextNumber);
	w.until("architecture");
	submit(w, "architecture", add("step-005", "coding"));
	assert.equal(w.find("A", "coding").id, "step-011");
});

test("D-97 operations are checked one after the other: an add makes a reorder of the old ids incomplete, a skip makes it too long", () => {
	for (const first of [add("step-005", "coding"), skip("step-004")]) {
		const w = at("planning");
		assert.equal(submit(w, "planning", first, reorder(...PENDING_AFTER_PLANNING)).length, 1);
		assert.equal(w.step("A", "step-004").status, "pending");
	}
	const w = at("planning");
	assert.deepEqual(submit(w, "planning", skip("step-004"), reorder("step-003", ...PENDING_AFTER_PLANNING.slice(2))), []);
});

test("D-98 D-99 D-163 a rejection does not fail the step, is written to the story's scratch file, and sets the file apart", () => {
	const w = at("planning");
	submit(w, "planning", skip("step-006"));
	assert.equal(w.step("A", "step-002").status, "completed");
	assert.equal(w.started.at(-1), "A architecture");
	const [told] = w.asked("append_scratch");
	assert.equal(told?.scope, "A");
	assert.match(told?.text ?? "", /step-006 \(linting\) is mandatory/);
	assert.deepEqual(
		w.asked("settle_edits").map((e) => e.how),
		["rejected"],
	);
});

test("D-102 a single object counts as a list of one; anything else is a rejection", () => {
	const w = at("planning");
	w.end("planning", { edits: { operations: skip("step-004") } });
	assert.equal(w.step("A", "step-004").status, "skipped");
	for (const operations of ["x", 7, null, true, [null], [[skip("step-004")]], {}]) {
		const other = at("planning");
		other.end("planning", { edits: { operations } });
		assert.equal(other.all("edit_rejected").length, 1, JSON.stringify(operations));
	}
	const unread = at("planning");
	unread.end("planning", { edits: { problem: "the edit file is not JSON" } });
	assert.deepEqual(unread.all("edit_rejected")[0]?.reasons, ["the edit file is not JSON"]);
});

test("D-103 unknown operation, type or target, empty steps, a missing reason or description are rejections", () => {
	for (const operation of [
		{ ...skip("step-004"), operation: "delete" },
		{ ...skip("step-004"), operation: undefined },
		{ ...skip("step-004"), reason: undefined },
		{ ...skip("step-004"), reason: "" },
		{ ...skip("step-004"), reason: 4 },
		skip("step-044"),
		skip("__proto__"),
		add("step-005", "deploying"),
		add("step-005", "constructor"),
		add("step-005"),
		{ ...add("step-005", "coding"), new_steps: "coding" },
		{ ...add("step-005", "coding"), new_steps: [{ type: "coding" }] },
		{ ...add("step-005", "coding"), new_steps: ["coding"] },
		split("step-005"),
		{ ...describe("step-005"), new_description: "" },
		{ operation: "reorder", reason: "x", new_order: "step-003" },
	]) {
		const w = at("planning");
		const before = w.ids("A");
		assert.equal(submit(w, "planning", operation).length, 1, JSON.stringify(operation));
		assert.deepEqual(w.ids("A"), before);
	}
});

test("D-33 D-36 D-105 steps of these types may not edit, whatever they ask for", () => {
	for (const type of ["context_gathering", "linting", "prune_tests"]) {
		const w = at(type);
		assert.match(submit(w, type, describe("step-010")).join(), /may not edit/);
		assert.equal(w.step("A", "step-010").description, "do final_review");
		assert.equal(w.find("A", type).status, "completed");
	}
});

test("D-34 D-35 D-37 steps of these types may edit", () => {
	for (const type of ["planning", "architecture", "test_architecture", "coding", "initial_testing", "review"]) {
		const w = at(type);
		assert.deepEqual(submit(w, type, describe("step-010")), [], type);
	}
	const w = at("final_review");
	assert.deepEqual(submit(w, "final_review", add("step-009", "coding")), []);
});

test("D-119 edits of a failed attempt are not applied", () => {
	for (const signal of ["agent_error", "timeout"]) {
		const w = at("planning");
		w.end("planning", { signal, edits: edits(skip("step-004")) });
		assert.equal(w.step("A", "step-004").status, "pending");
		assert.deepEqual(
			w.asked("settle_edits").map((e) => e.how),
			["failed"],
		);
	}
});

test("D-114 D-115 edits and completion are one decision; the same result again changes nothing", () => {
	const w = at("planning");
	const job = w.job("planning");
	w.end(job, { edits: edits(add("step-005", "coding")) });
	const { steps } = w.scope("A");
	const events = w.end(job, { edits: edits(add("step-005", "coding")) });
	assert.deepEqual(
		events.map((e) => e.event),
		["attempt_ignored"],
	);
	assert.deepEqual(w.scope("A").steps, steps);
});

test("an edit file with more operations than anybody needs, or with endless texts, is rejected", () => {
	const w = at("planning");
	const scope = w.scope("A");
	const current = w.step("A", "step-002");
	const decide = (...operations: unknown[]) => decideEdits({ operations }, scope, current, dynamic());
	assert.equal(decide(...Array(101).fill(describe("step-005"))).ok, false);
	assert.equal(decide(...Array(100).fill(describe("step-005"))).ok, true);
	assert.equal(decide(describe("step-005", "x".repeat(20_000))).ok, false);
	const long = decide({ ...skip("s".repeat(5000)) });
	assert.ok(!long.ok && long.reasons.join("").length < 500, "a reason is never long");
});

test("the limits are the definition's, not constants", () => {
	const definition = definitionOf({
		types: { stories: { each: { steps: [{ type: "work" }] } }, work: { edits: true } },
		steps: ["stories"],
		limits: { steps: 2, restarts: 0 },
	});
	const w = new World(definition, { stories: ["A"] });
	assert.deepEqual(submit(w, "work", add("step-001", "work")), []);
	assert.equal(submit(w, "work", add("step-001", "work")).length, 1);
	const other = new World(definition, { stories: ["A"] });
	assert.match(submit(other, "work", restart("step-001")).join(), /restart limit/);
	assert.equal(other.story("A").status, "failed");
});
