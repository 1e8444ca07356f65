// Edits that are taken: every step type that may edit does, with every operation, in one run; then the limit of thirty steps.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { StoryRecord } from "../../src/format/workflow-state/document.ts";
import { edit, type FakeAgent, fakeAgent } from "../support/fake-agent.ts";
import { runDynamic, runFolder, step, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { exists, list, repository } from "../support/scratch.ts";

const add = (target: string, ...steps: readonly (readonly [type: string, description: string])[]) => ({
	operation: "add_after",
	target_step_id: target,
	reason: `more after ${target}`,
	new_steps: steps.map(([type, description]) => ({ type, description })),
});

describe("edits of all kinds, from all steps that may edit", () => {
	let agent: FakeAgent;
	let after: StoryRecord;
	let repo: string;

	before(async () => {
		repo = repository();
		agent = fakeAgent([
			{ when: { type: "planning" }, do: [edit([add("step-009", ["coding", "extra"])])] },
			{ when: { type: "architecture" }, do: [edit([add("step-001", ["review", "look again"])])] },
			{
				when: { type: "test_architecture" },
				do: [
					edit([
						{
							operation: "split",
							target_step_id: "step-005",
							reason: "two parts",
							replacement_steps: [
								{ type: "coding", description: "part one" },
								{ type: "coding", description: "part two" },
							],
						},
					]),
				],
			},
			{
				when: { step: "step-013" },
				do: [
					"mkdir -p work && echo one > work/one.txt && git add -A && git commit -q -m one",
					edit([
						{ operation: "edit_description", target_step_id: "step-008", reason: "be careful", new_description: "review with care 5512" },
					]),
				],
			},
			{
				when: { type: "initial_testing" },
				do: [
					edit([
						{ operation: "skip", target_step_id: "step-009", reason: "no tests were added" },
						add("step-011", ["linting", "once more"]),
					]),
				],
			},
			// One operation alone need not be in a list.
			{
				when: { step: "step-008" },
				do: [edit({ operation: "reorder", reason: "lint first", new_order: ["step-015", "step-011", "step-010"] })],
			},
			{ when: { type: "final_review", nth: 1 }, do: [edit([add("step-011", ["coding", "last fix"])])] },
		]);
		await runDynamic(repo, agent);
		after = story(repo);
	});

	const edits = () => after.history.filter((entry) => entry.action === "workflow_edit");
	const detailsOf = (operation: string) => edits().find((entry) => entry.details["operation"] === operation)?.details ?? {};

	it("D-34 D-35 D-37 D-76 runs the steps in the order of the list that the edits made", () => {
		assert.deepEqual(
			agent.calls().map((call) => call.step),
			["001", "002", "003", "012", "004", "013", "014", "006", "007", "008", "015", "011", "010", "016", "010"].map((n) => `step-${n}`),
		);
		assert.equal(after.status, "completed");
	});
	it("D-75 D-40 numbers new steps from step-011 on, never twice, wherever they are put", () => {
		assert.deepEqual(
			after.steps.map((s) => s.id),
			["001", "012", "002", "003", "004", "013", "014", "006", "007", "008", "009", "015", "011", "016", "010"].map((n) => `step-${n}`),
		);
	});
	it("D-79 D-80 D-83 records add_after with target, reason, the ids given and the order before and after", () => {
		const { operation, target_step_id, reason, new_steps, before: was, after: is } = detailsOf("add_after");
		assert.deepEqual([operation, target_step_id, reason], ["add_after", "step-009", "more after step-009"]);
		assert.deepEqual(new_steps, [{ id: "step-011", type: "coding", description: "extra" }]);
		assert.ok(
			Array.isArray(was) && Array.isArray(is) && !was.includes("step-011") && is.indexOf("step-011") === is.indexOf("step-009") + 1,
		);
		for (const entry of edits())
			assert.ok(typeof entry.details["operation"] === "string" && entry.details["reason"] !== "", JSON.stringify(entry));
	});
	it("D-84 takes a completed step as the target of add_after, and what it adds runs next", () => {
		assert.equal(agent.calls()[3]?.step, "step-012");
		assert.match(agent.calls()[3]?.prompt ?? "", /look again/);
	});
	it("D-85 puts the parts of a split step in its place and says what it was", () => {
		assert.ok(!after.steps.some((s) => s.id === "step-005"));
		assert.deepEqual([step(after, "step-013").description, step(after, "step-014").description], ["part one", "part two"]);
		assert.match(JSON.stringify(detailsOf("split")), /Implement the changes/);
	});
	it("D-49 D-72 D-78 D-86 skips a pending step with the reason given", () => {
		const skipped = step(after, "step-009");
		assert.deepEqual(
			[skipped.status, skipped.skip_reason, skipped.error, skipped.started_at],
			["skipped", "no tests were added", null, null],
		);
		assert.ok(after.history.some((entry) => entry.action === "step_skipped" && entry.step_id === "step-009"));
	});
	it("D-87 D-80 takes a reorder of exactly the pending steps, with the order before and after", () => {
		assert.deepEqual(detailsOf("reorder")["before"], ["step-011", "step-015", "step-010"]);
		assert.deepEqual(detailsOf("reorder")["after"], ["step-015", "step-011", "step-010"]);
	});
	it("D-88 D-80 changes the description of a pending step, and keeps the old one", () => {
		assert.match(agent.calls().find((call) => call.step === "step-008")?.prompt ?? "", /review with care 5512/);
		assert.deepEqual(
			[detailsOf("edit_description")["old_description"], detailsOf("edit_description")["new_description"]],
			["Self-review against acceptance criteria", "review with care 5512"],
		);
	});
	it("D-93 D-94 runs final_review again after the steps that it put before itself, and that is no restart", () => {
		assert.deepEqual(agent.of("final_review").length, 2);
		const last = step(after, "final_review");
		assert.deepEqual([last.status, last.restart_count], ["completed", 0]);
		assert.ok(edits().some((entry) => entry.step_id === "step-010" && entry.details["operation"] === "reopen"));
		assert.equal(after.steps.at(-1)?.id, "step-010");
	});
	it("D-163 D-102 leaves no edit file behind that was taken", () => {
		assert.deepEqual(list(runFolder(repo), "workflow_edits"), []);
		assert.ok(!exists(runFolder(repo), "scratch_one-shot.md"));
	});
	it("D-162 tells only steps that may edit where and how", () => {
		for (const call of agent.calls()) {
			const may = !["context_gathering", "linting", "prune_tests"].includes(call.type);
			assert.equal(call.prompt.includes(`${runFolder(repo)}/workflow_edits/one-shot.json`), may, call.type);
			const words = [
				"add_after",
				"split",
				"skip",
				"reorder",
				"edit_description",
				"restart",
				"target_step_id",
				"new_steps",
				"replacement_steps",
				"new_order",
				"new_description",
				"reason",
			];
			if (may) for (const word of words) assert.ok(call.prompt.includes(word), `${call.type}: ${word}`);
			if (may) assert.match(call.prompt, /rename|mv /i, call.type);
			else assert.match(call.prompt, /may not|not allowed/i, call.type);
		}
	});
});

describe("the limit of thirty steps", () => {
	const many = (n: number) => add("step-008", ...Array.from({ length: n }, (_, i) => ["prune_tests", `n ${i}`] as const));
	const restart = { operation: "restart", target_step_id: "$PAWL_STEP_ID", reason: "wrong", new_description: "again" };

	it("D-95 D-57 D-62 rejects the file that would go beyond it as a whole; restarts do not count", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{ when: { type: "planning" }, do: [edit([many(19)])] },
			{ when: { type: "architecture" }, do: [edit([{ operation: "skip", target_step_id: "step-004", reason: "small" }, many(2)])] },
			{ when: { type: "test_architecture" }, do: [edit([many(1)])] },
			...[1, 2, 3].map((nth) => ({ when: { type: "coding", nth }, do: [edit([restart])] })),
			{ when: { type: "initial_testing" }, do: [edit([many(1)])] },
		]);
		await runDynamic(repo, agent);
		const after = story(repo);
		assert.equal(after.steps.length, 30);
		assert.equal(step(after, "step-004").status, "completed", "nothing of the rejected file was taken");
		assert.deepEqual(list(runFolder(repo), "workflow_edits/rejected"), [
			"one-shot-step-003-1.json",
			"one-shot-step-003-1.reason.txt",
			"one-shot-step-007-1.json",
			"one-shot-step-007-1.reason.txt",
		]);
		assert.match(agent.of("test_architecture")[0]?.prompt ?? "", /31 steps; the limit is 30/);
		assert.equal(step(after, "coding").restart_count, 3);
		assert.equal(after.status, "completed");
		assert.equal(
			after.steps.some((s) => s.id === "step-031"),
			false,
			"ids of rejected edits are not used up",
		);
		assert.ok(after.steps.some((s) => s.id === "step-030"));
	});
});
