// What an agent reads when its edits are refused, word for word, and what the journal keeps of those that are taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "../model.ts";
import { dynamic, linear, stories, typeOf } from "../testing/builders.suite.ts";
import { add, describe, reorder, restart, skip, split } from "../testing/operations.suite.ts";
import { World } from "../testing/world.suite.ts";
import { keptBy } from "./allowed.ts";
import { decideEdits } from "./edit.ts";
import { amount, MAX_TEXT, missing, short } from "./fields.ts";

const w = new World(dynamic(), { stories: ["A"] }).until("planning");
const decide = (request: unknown, scope: Scope = w.scope("A")) =>
	decideEdits({ operations: request }, scope, w.step("A", "step-002"), dynamic());
const told = (request: unknown): readonly string[] => {
	const decision = decide(request);
	return decision.ok ? [] : decision.reasons;
};
const PENDING = w
	.scope("A")
	.steps.filter((s) => s.status === "pending" && s.type !== "merge")
	.map((s) => s.id);
const OPERATIONS = "there are add_after, split, skip, reorder, edit_description and restart";
const TYPES =
	"there are context_gathering, planning, architecture, test_architecture, coding, linting, initial_testing, review, prune_tests";
const ADD = { operation: "add_after", reason: "r", target_step_id: "step-005" };

test("T-19 what is no list of operations is refused with what was found instead", () => {
	for (const request of ["skip", 7, null, undefined, true])
		assert.deepEqual(told(request), ["the edit file must hold a JSON array of operations, or one operation"]);
	assert.deepEqual(decide("skip"), { ok: false, reasons: told("skip"), restartLimit: false });
	for (const [operation, found] of [
		[7, "7"],
		[null, "null"],
		[true, "true"],
		["skip  it\n now", '"skip it now"'],
		["x".repeat(70), `"${"x".repeat(60)}"`],
		[[1], "(a list)"],
	])
		assert.deepEqual(told([operation]), [`operation 1: an operation must be a JSON object, and is ${found}`]);
	assert.deepEqual(told({ ...skip("step-004"), operations: ["x"] }), [], "what has an operation is one");
});

test("T-19 each refusal says what is wrong with which step, word for word", () => {
	const rows: readonly (readonly [object, string])[] = [
		[{ operation: {}, reason: "r" }, `unknown operation (an object); ${OPERATIONS}`],
		[{ operation: ["skip"], reason: "r" }, `unknown operation (a list); ${OPERATIONS}`],
		[{ operation: 4, reason: "r" }, `unknown operation 4; ${OPERATIONS}`],
		[add("step-010", "coding"), "nothing may come after final_review; name the step before it instead"],
		[split("step-010", "coding"), "final_review cannot be split"],
		[split("step-006", "coding"), "linting is mandatory: its replacement must contain a step of that type"],
		[skip("step-006"), "step-006 (linting) is mandatory and cannot be skipped"],
		[skip("step-002"), "step-002 (planning) is in_progress; only pending steps can be changed"],
		[split("step-001", "coding"), "step-001 (context_gathering) is completed; only pending steps can be changed"],
		[describe("step-002"), "step-002 is running; use restart to change its description"],
		[restart("step-005"), "only the running step (step-002) can be restarted"],
		[{ ...reorder(), new_order: "step-003" }, "`new_order` must be an array of step ids"],
		[reorder(...PENDING, "step-777", "step-002"), '`new_order` names what is no pending step: "step-777", "step-002"'],
		[
			reorder(...Array.from({ length: 10 }, (_, i) => `${i}`)),
			`\`new_order\` names what is no pending step: ${Array.from({ length: 10 }, (_, i) => `"${i}"`).join(", ")}`,
		],
		[
			reorder(...Array.from({ length: 12 }, (_, i) => `${i}`)),
			`\`new_order\` names what is no pending step: ${Array.from({ length: 10 }, (_, i) => `"${i}"`).join(", ")} and 2 more`,
		],
		[reorder(...PENDING.slice(2)), "`new_order` must name every pending step; missing: step-003, step-004"],
		[reorder(...PENDING, "step-003"), "`new_order` names a step twice"],
		[reorder("step-010", ...PENDING.slice(0, -1)), "final_review must stay last"],
		[reorder("step-003", "step-010", ...PENDING.slice(1, -1)), "final_review must stay last"],
		[{ ...ADD, new_steps: [] }, "`new_steps` must be a non-empty array"],
		[{ ...ADD, new_steps: "coding" }, "`new_steps` must be a non-empty array"],
		[{ ...ADD, new_steps: ["coding"] }, "`new_steps` must hold objects with type and description"],
		[{ ...ADD, new_steps: [null] }, "`new_steps` must hold objects with type and description"],
		[{ ...ADD, new_steps: [{ description: "x" }] }, `\`new_steps\`: unknown step type (none); ${TYPES}`],
		[{ ...ADD, new_steps: [{ type: ["coding"], description: "x" }] }, `\`new_steps\`: unknown step type (a list); ${TYPES}`],
		[add("step-005", "rebase_resolve"), "steps of type rebase_resolve are added by the engine only"],
		[add("step-005", "final_review"), "final_review must stay the last step, so no other can be added"],
		[add("step-005", ...Array<string>(21).fill("coding")), "the workflow would have 31 steps; the limit is 30"],
	];
	for (const [operation, reason] of rows) {
		const name = "operation" in operation && typeof operation.operation === "string" ? ` ("${operation.operation}")` : "";
		assert.deepEqual(told([operation]), [`operation 1${name}: ${reason}`]);
	}
	assert.deepEqual(told([restart("step-002"), restart("step-002")]), [
		'operation 2 ("restart"): the step is restarted by an earlier operation of this file',
	]);
	assert.deepEqual(told([skip("step-004"), describe("step-004")]), [
		'operation 2 ("edit_description"): step-004 (test_architecture) is skipped; only pending steps can be changed',
	]);
});

test("T-19 a step that others do stays as it is, and the answer says who does it", () => {
	const kinds = stories({ plan: { edits: true }, code: {}, test: {}, approve: { kind: "approval" }, tidy: {} });
	const world = new World(kinds, { stories: ["A"] });
	const [plan, code, check, approve, tidy] = world.ids("A");
	const reason = (operation: object) => {
		const decision = decideEdits({ operations: [operation] }, world.scope("A"), world.step("A", plan!), kinds);
		return decision.ok ? null : decision.reasons[0]?.replace(/^operation 1 \("\w+"\): /, "");
	};
	const how = { split: split(approve!, "code"), skipped: skip(approve!), "described otherwise": describe(approve!) };
	for (const [done, operation] of Object.entries(how))
		assert.equal(reason(operation), `${approve} (approve) cannot be ${done}: a person decides it`);
	const stays = `${approve} (approve) must stay where it is, and no step can be moved past it: a person decides it`;
	assert.equal(reason(reorder(code!, tidy!, approve!, check!)), stays, "one of two went past it, another came");
	assert.equal(reason(reorder(code!, approve!, check!, tidy!)), stays);
	assert.equal(reason(reorder(check!, code!, approve!, tidy!)), null);
	for (const [kind, who] of Object.entries({
		approval: "a person decides it",
		gate: "it is a review",
		command: "the engine does it",
		action: "the engine does it",
		each: "the engine does it",
		agent: null,
		loop: null,
	} as const))
		assert.equal(keptBy(typeOf("x", { kind: kind as "agent" })), who, kind);
});

test("D-79 D-80 what the journal keeps of each operation: the lists as agents see them, before and after", () => {
	const all = w.ids("A");
	const seen = all.slice(0, -1);
	const taken = (operation: object) => {
		const decision = decide([operation]);
		assert.ok(decision.ok);
		return { details: decision.edits[0]?.details, order: decision.edits[0]?.order, added: decision.added, restart: decision.restart };
	};
	const made = { id: "step-011", type: "coding", description: "more coding" };
	assert.deepEqual(taken(add("step-005", "coding")), {
		details: {
			operation: "add_after",
			reason: "needed",
			target_step_id: "step-005",
			new_steps: [made],
			before: seen,
			after: seen.toSpliced(5, 0, "step-011"),
		},
		order: all.toSpliced(5, 0, "step-011"),
		added: 1,
		restart: null,
	});
	assert.deepEqual(taken(split("step-005", "coding", "review")), {
		details: {
			operation: "split",
			reason: "too big",
			target_step_id: "step-005",
			new_steps: [made, { id: "step-012", type: "review", description: "more review" }],
			before: { order: seen, step: { id: "step-005", type: "coding", description: "do coding" } },
			after: { order: seen.toSpliced(4, 1, "step-011", "step-012") },
		},
		order: all.toSpliced(4, 1, "step-011", "step-012"),
		added: 2,
		restart: null,
	});
	assert.deepEqual(taken(skip("step-004")), {
		details: {
			operation: "skip",
			reason: "not needed",
			target_step_id: "step-004",
			before: { status: "pending" },
			after: { status: "skipped" },
		},
		order: all,
		added: 0,
		restart: null,
	});
	const order = ["step-004", "step-003", ...PENDING.slice(2)];
	assert.deepEqual(taken(reorder(...order)), {
		details: { operation: "reorder", reason: "better so", before: PENDING, after: order },
		order: ["step-001", "step-002", ...order, all.at(-1)],
		added: 0,
		restart: null,
	});
	const text = { reason: "clearer", old_description: "do coding", new_description: "another text" };
	assert.deepEqual(taken(describe("step-005")).details, { operation: "edit_description", target_step_id: "step-005", ...text });
	const again = taken(restart("step-002"));
	assert.deepEqual([again.details?.operation, again.details?.old_description, again.restart], ["restart", "do planning", "from scratch"]);
});

test("T-19 a list with a step whose type the workflow does not have can still be changed", () => {
	const scope = { ...w.scope("A"), steps: w.scope("A").steps.map((s) => (s.id === "step-008" ? { ...s, type: "gone" } : s)) };
	for (const operation of [skip("step-008"), split("step-008", "coding"), add("step-008", "coding"), reorder(...PENDING)])
		assert.equal(decide([operation], scope).ok, true, operation.operation);
	const one = linear({ plan: { edits: true } });
	const run = new World(one);
	assert.equal(decideEdits({ operations: [add("step-001", "plan")] }, run.scope(), run.step("@run", "step-001"), one).ok, true);
});

test("T-19 how fields, amounts and values are told", () => {
	assert.deepEqual([amount(12), amount(1234), amount(1_234_567)], ["12", "1,234", "1,234,567"]);
	assert.deepEqual(
		[short("a\n\tb"), short(undefined), short([]), short({}), short(null), short(1.5), short(false)],
		['"a b"', "(none)", "(a list)", "(an object)", "null", "1.5", "false"],
	);
	assert.equal(missing({ raeson: "x" }, "reason"), "`reason` is missing: call `raeson` by that name");
	assert.equal(missing({ operation: "x", type: "y", new_order: [] }, "reason"), "`reason` is missing");
	const others = {
		operation: "op action type",
		target_step_id: "step_id step target id target_id after",
		new_steps: "steps replacement_steps",
		replacement_steps: "steps new_steps",
		new_order: "order steps",
		new_description: "description text",
		description: "new_description text task",
		reason: "why rationale",
	};
	for (const [name, words] of Object.entries(others))
		for (const word of words.split(" "))
			assert.equal(missing({ [word]: "x" }, name), `\`${name}\` is missing: call \`${word}\` by that name`, "as agents call it");
	assert.equal(missing({ unlike: 1 }, "unknown"), "`unknown` is missing");
	const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, 1]));
	assert.equal(missing({ ...many, raeson: "x" }, "reason"), "`reason` is missing", "no more than fifty are compared");
	assert.deepEqual(told([{ ...skip("step-004"), reason: "x".repeat(MAX_TEXT) }]), [], "the longest text");
});
