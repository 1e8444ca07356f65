// What agents may and may not ask for, and what pawl answers (T-05, T-19).
import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic, edits, failedCheck, stories } from "../testing/builders.suite.ts";
import { add, describe, reorder, skip, split } from "../testing/operations.suite.ts";
import { World } from "../testing/world.suite.ts";
import { isAddable } from "./allowed.ts";
import { decideEdits } from "./edit.ts";

const at = (type: string): World => new World(dynamic(), { stories: ["A"] }).until(type);

test('T-05 `{"operations": [...]}` around the operations is understood', () => {
	const w = at("planning");
	w.end("planning", { edits: { operations: { operations: [skip("step-004")] } } });
	assert.equal(w.step("A", "step-004").status, "skipped");
	const wrong = at("planning");
	wrong.end("planning", { edits: { operations: { operations: { skip: 1 } } } });
	assert.match(wrong.all("edit_rejected")[0]?.reasons.join() ?? "", /operation 1: `reason` is missing/);
});

test("T-19 (e) an empty list is not an edit: nothing is rejected, and the file is removed", () => {
	for (const operations of [[], { operations: [] }]) {
		const w = at("planning");
		w.end("planning", { edits: { operations } });
		assert.deepEqual([w.all("edit_rejected").length, w.asked("append_scratch").length], [0, 0]);
		assert.deepEqual(
			w.asked("settle_edits").map((e) => e.how),
			["applied"],
		);
	}
});

test("T-19 (d) a message names the field, the one that was meant, and the limit that was passed", () => {
	const w = at("planning");
	const scope = w.scope("A");
	const reason = (...operations: unknown[]): string => {
		const decision = decideEdits({ operations }, scope, w.step("A", "step-002"), dynamic());
		return decision.ok ? "" : decision.reasons.join("\n");
	};
	const { target_step_id: id, ...noTarget } = skip("step-004");
	const rows: readonly (readonly [object, RegExp])[] = [
		[{ ...noTarget, step_id: id }, /operation 1 \("skip"\): `target_step_id` is missing: call `step_id` by that name/],
		[noTarget, /`target_step_id` is missing$/],
		[skip("step-044"), /`target_step_id`: there is no step "step-044" in this story/],
		[{ ...skip("step-004"), reason: "x".repeat(16_385) }, /`reason` has 16,385 characters, and 16,384 are the most/],
		[{ ...skip("step-004"), reason: "  " }, /`reason` is empty/],
		[{ ...skip("step-004"), reason: 4 }, /`reason` must be a text, and is 4/],
		[{ reason: "r", op: "skip", target_step_id: "step-004" }, /`operation` is missing: call `op` by that name/],
		[{ operation: "add_after", reason: "r", target_step_id: "step-005", steps: [] }, /`new_steps` is missing: call `steps` by that name/],
		[{ operation: "split", reason: "r", target_step_id: "step-005", new_steps: [] }, /`replacement_steps` is missing: call `new_steps`/],
		[
			{ operation: "edit_description", reason: "r", target_step_id: "step-005", description: "x" },
			/`new_description` is missing: call `description`/,
		],
		[{ operation: "reorder", reason: "r", order: [] }, /`new_order` is missing: call `order`/],
		[{ ...add("step-005", "coding"), new_steps: [{ type: "coding" }] }, /a step of `new_steps`: `description` is missing/],
		[add("step-005", "deploying"), /`new_steps`: unknown step type "deploying"; there are context_gathering, planning, .*prune_tests$/],
	];
	for (const [operation, message] of rows) assert.match(reason(operation), message);
	assert.match(reason(...Array(101).fill(skip("step-004"))), /holds 101 operations, and 100 are the most/);
});

test("T-19 (f) the limit refuses growth, not a change that adds nothing", () => {
	const w = at("planning");
	w.end("planning", { edits: edits(add("step-005", ...Array<string>(20).fill("coding"))) });
	w.until("merge");
	w.end("merge", { signal: "conflict" });
	w.end("rebase_resolve");
	assert.equal(w.scope("A").steps.filter((s) => s.type !== "merge").length, 31, "the engine has put in one more than the limit");
	const scope = {
		...w.scope("A"),
		steps: w.scope("A").steps.map((s) => (s.type === "prune_tests" ? { ...s, status: "pending" as const } : s)),
	};
	const decide = (...operations: unknown[]) => decideEdits({ operations }, scope, w.find("A", "final_review"), dynamic());
	const id = w.find("A", "prune_tests").id;
	assert.equal(decide(split(id, "review")).ok, true);
	assert.equal(decide(split(id, "review", "review")).ok, false);
	assert.equal(decide(describe(id, "other")).ok, true);
});

// A story with steps of every kind ahead.
const KINDS = stories(
	{
		plan: { edits: true },
		code: {},
		approve: { kind: "approval" },
		review: { kind: "gate", members: [{ role: "check", blocking: true }] },
		build: { kind: "command", command: "build" },
		publish: { kind: "action", action: "x" },
		again: { kind: "loop", loop: { schedule: "W", roles: { W: { role: "w" } }, max: "2", inject: {} } },
		tidy: {},
	},
	{},
);

test("T-19 (b) agents cannot skip, split, re-describe or move past a step that a person, a review or the engine does", () => {
	const w = new World(KINDS, { stories: ["A"] });
	const id = (type: string): string => w.find("A", type).id;
	const reason = (...operations: unknown[]): string => {
		const decision = decideEdits({ operations }, w.scope("A"), w.find("A", "plan"), KINDS);
		return decision.ok ? "" : decision.reasons.join("\n");
	};
	for (const [type, who] of [
		["approve", /a person decides it/],
		["review", /it is a review/],
		["build", /the engine does it/],
		["publish", /the engine does it/],
	] as const) {
		for (const operation of [skip(id(type)), split(id(type), "code"), describe(id(type), "wave it through")])
			assert.match(reason(operation), who);
		assert.equal(reason(add(id(type), "code")), "", "work may be put behind it");
	}
	const [code, approve, review, build, publish, again, tidy] = w.ids("A").slice(1);
	assert.match(
		reason(reorder(approve!, code!, review!, build!, publish!, again!, tidy!)),
		/must stay where it is, and no step can be moved past it/,
	);
	assert.match(reason(reorder(code!, approve!, build!, review!, publish!, again!, tidy!)), /must stay where it is/);
	assert.match(reason(reorder(tidy!, approve!, review!, build!, publish!, again!, code!)), /must stay where it is/);
	assert.equal(reason(reorder(code!, approve!, review!, build!, publish!, tidy!, again!)), "");
	for (const operation of [skip(again!), describe(code!, "x"), skip(tidy!)]) assert.equal(reason(operation), "");
});

test("T-19 (c) exactly the types that can be added are offered", () => {
	const offered = Object.values(KINDS.types)
		.filter(isAddable)
		.map((type) => type.name);
	assert.deepEqual(offered, ["plan", "code", "tidy"]);
	const w = new World(KINDS, { stories: ["A"] });
	for (const type of Object.keys(KINDS.types)) {
		const decision = decideEdits({ operations: [add("step-001", type)] }, w.scope("A"), w.find("A", "plan"), KINDS);
		assert.equal(decision.ok, offered.includes(type), type);
	}
});

test("T-19 (a) a last step whose edits are rejected runs again with the reasons, three times; then the story fails with them", () => {
	const w = at("final_review");
	const wrong = {
		signal: "done",
		notes: "NO: the form is not checked",
		edits: { operations: [{ operation: "add_after", step_id: "step-009" }] },
	};
	for (let n = 0; n < 3; n++) {
		w.end("final_review", wrong);
		const step = w.find("A", "final_review");
		assert.deepEqual([step.status, w.story("A").status], ["in_progress", "in_progress"]);
		assert.match(step.feedback ?? "", /its edits were rejected: operation 1 \("add_after"\): `reason` is missing/);
	}
	w.end("final_review", wrong);
	assert.equal(w.story("A").status, "failed");
	assert.match(w.story("A").error ?? "", /final_review.*edits were rejected.*`reason` is missing/);
	assert.ok(!w.started.includes("A merge"));
});

test("T-19 (a) a failing check has its own route; a step that is not the last continues", () => {
	const w = at("final_review");
	w.end("final_review", { checks: [failedCheck()], edits: { operations: [{}] } });
	assert.equal(w.started.at(-1), "A coding");
	const review = at("review");
	review.end("review", { edits: { operations: [{}] } });
	assert.equal(review.started.at(-1), "A prune_tests");
});
