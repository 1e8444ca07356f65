// Edits that are not taken. Six steps of a run may each try one, so that a run proves six cases: nothing is changed, the step completes,
// the file is set aside with the reason, and the next prompt has it.
import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { before, describe, it } from "node:test";
import { edit, type FakeAgent } from "../support/fake-agent.ts";
import { runDynamic, runFolder, STEP_TYPES, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { exists, list, put, read, scratchFolder } from "../support/scratch.ts";

interface Case {
	readonly name: string;
	/** What it writes, given the ids that are pending then; a string is written as it is, {sh} is run instead. */
	readonly edit: unknown | ((pending: readonly string[]) => unknown) | { readonly sh: string };
	readonly why: RegExp;
}

const EDITORS = ["planning", "architecture", "test_architecture", "coding", "initial_testing", "review"] as const;
const on = (operation: string, target: string, more: object = {}) => [{ operation, target_step_id: target, reason: "because", ...more }];
const fresh = (...types: string[]) => types.map((type) => ({ type, description: "something" }));
const order = (ids: readonly string[]) => [{ operation: "reorder", reason: "because", new_order: ids }];
const FILE = '"$PAWL_SHARED_DIR/workflow_edits/$PAWL_STORY_ID.json"';

const outside = scratchFolder("outside");
put(outside, { "valid.json": JSON.stringify(on("skip", "step-009")), large: "[" });
truncateSync(`${outside}/large`, 100 * 1024 * 1024);

const CASES: readonly Case[] = [
	{ name: "D-50 skipping the running step", edit: on("skip", "$PAWL_STEP_ID"), why: /is in_progress; only pending/ },
	{
		name: "D-52 describing a completed step",
		edit: on("edit_description", "step-001", { new_description: "new" }),
		why: /step-001.*is completed/,
	},
	{ name: "D-52 skipping a completed step", edit: on("skip", "step-001"), why: /step-001.*is completed/ },
	{
		name: "D-52 splitting a completed step",
		edit: on("split", "step-001", { replacement_steps: fresh("coding") }),
		why: /step-001.*is completed/,
	},
	{
		name: "D-53 a restart without a reason",
		edit: [{ operation: "restart", target_step_id: "$PAWL_STEP_ID", new_description: "x" }],
		why: /`reason` is missing/,
	},
	{ name: "D-53 a restart without a description", edit: on("restart", "$PAWL_STEP_ID"), why: /`new_description` is missing/ },
	{
		name: "D-82 adding rebase_resolve",
		edit: on("add_after", "step-009", { new_steps: fresh("rebase_resolve") }),
		why: /rebase_resolve are added by the engine only/,
	},
	{
		name: "D-82 adding the engine's merge",
		edit: on("add_after", "step-009", { new_steps: fresh("merge") }),
		why: /unknown step type "merge"/,
	},
	{ name: "D-87 a reorder that leaves one out", edit: (pending: readonly string[]) => order(pending.slice(1)), why: /missing: step-/ },
	{
		name: "D-87 a reorder with a foreign id",
		edit: (pending: readonly string[]) => order(["step-099", ...pending]),
		why: /no pending step: "step-099"/,
	},
	{
		name: "D-87 a reorder with a duplicate",
		edit: (pending: readonly string[]) => order([...pending.slice(0, 1), ...pending]),
		why: /twice/,
	},
	{
		name: "D-87 a reorder with final_review not last",
		edit: (pending: readonly string[]) => order(pending.toReversed()),
		why: /final_review must stay last/,
	},
	{
		name: "D-88 describing the running step",
		edit: on("edit_description", "$PAWL_STEP_ID", { new_description: "x" }),
		why: /is running; use restart/,
	},
	{ name: "D-89 restarting another step", edit: on("restart", "step-009", { new_description: "x" }), why: /only the running step/ },
	{ name: "D-90 skipping linting", edit: on("skip", "step-006"), why: /linting\) is mandatory/ },
	{
		name: "D-90 D-91 splitting linting into something else",
		edit: on("split", "step-006", { replacement_steps: fresh("coding") }),
		why: /mandatory/,
	},
	{
		name: "D-91 splitting final_review",
		edit: on("split", "step-010", { replacement_steps: fresh("coding") }),
		why: /final_review cannot be split/,
	},
	{ name: "D-90 D-91 skipping final_review", edit: on("skip", "step-010"), why: /mandatory/ },
	{
		name: "D-92 adding after final_review",
		edit: on("add_after", "step-010", { new_steps: fresh("coding") }),
		why: /nothing may come after final_review/,
	},
	{
		name: "D-91 adding a second final_review",
		edit: on("add_after", "step-009", { new_steps: fresh("final_review") }),
		why: /must stay the last step/,
	},
	{
		name: "D-96 one bad operation after a good one",
		edit: [...on("skip", "step-009"), ...on("skip", "step-010")],
		why: /operation 2 \("skip"\)/,
	},
	{
		name: "D-97 a reorder of the pending steps as they were before the operation in front of it",
		edit: (pending: readonly string[]) => [...on("add_after", "step-008", { new_steps: fresh("coding") }), ...order(pending)],
		why: /missing: step-011/,
	},
	{ name: "D-102 a text", edit: '"x"', why: /must hold a JSON array/ },
	{ name: "D-102 truncated JSON", edit: '[{"operation": "ski', why: /is not JSON/ },
	{ name: "D-102 an empty file", edit: "", why: /is not JSON/ },
	{
		name: "T-19 a field by another name",
		edit: [{ operation: "skip", step_id: "step-009", reason: "r" }],
		why: /`target_step_id` is missing: call `step_id`/,
	},
	{ name: "D-102 a list of numbers", edit: [1], why: /must be a JSON object/ },
	{ name: "D-103 an unknown operation", edit: on("remove", "step-009"), why: /unknown operation "remove"/ },
	{
		name: "D-103 an unknown step type",
		edit: on("add_after", "step-009", { new_steps: fresh("dancing") }),
		why: /unknown step type "dancing"/,
	},
	{
		name: "D-103 a type that every object has",
		edit: on("add_after", "step-009", { new_steps: fresh("constructor") }),
		why: /unknown step type "constructor"/,
	},
	{ name: "D-103 no new steps", edit: on("add_after", "step-009", { new_steps: [] }), why: /non-empty array/ },
	{ name: "D-103 no reason", edit: [{ operation: "skip", target_step_id: "step-009" }], why: /`reason` is missing/ },
	{ name: "D-103 an unknown target", edit: on("skip", "step-077"), why: /no step "step-077"/ },
	{
		name: "D-103 a value nested ten thousand deep",
		edit: `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
		why: /nested too deep|nested more than|must be a JSON object/,
	},
	{ name: "D-102 a FIFO", edit: { sh: `mkfifo ${FILE}` }, why: /not a regular file/ },
	{ name: "D-102 a symlink to a good file", edit: { sh: `ln -s ${outside}/valid.json ${FILE}` }, why: /symbolic link/ },
	{
		name: "D-102 a hard link to a good file",
		edit: { sh: `cp ${outside}/valid.json "$home/linked" && ln "$home/linked" ${FILE}` },
		why: /hard links/,
	},
	{ name: "D-102 a symlink to /dev/zero", edit: { sh: `ln -s /dev/zero ${FILE}` }, why: /symbolic link/ },
	{ name: "D-102 100 MB", edit: { sh: `cp --sparse=always ${outside}/large ${FILE}` }, why: /bytes; at most/ },
	{ name: "D-102 a folder", edit: { sh: `mkdir -p ${FILE}/x` }, why: /not a regular file/ },
	{ name: "D-102 invalid UTF-8", edit: { sh: `printf '[\\377\\376]' > ${FILE}` }, why: /is not JSON/ },
	{ name: "D-102 a broken symlink", edit: { sh: `ln -s /nowhere/at/all ${FILE}` }, why: /symbolic link/ },
];

const pendingAt = (type: string): string[] =>
	STEP_TYPES.map((_, i) => `step-${String(i + 1).padStart(3, "0")}`).slice(STEP_TYPES.indexOf(type) + 1);

function action(one: Case, type: string): string {
	const value: unknown = typeof one.edit === "function" ? (one.edit as (pending: readonly string[]) => unknown)(pendingAt(type)) : one.edit;
	return typeof value === "object" && value !== null && "sh" in value ? String(value.sh) : edit(value);
}

/** Six cases a run; those of splitting linting must come before it has run, so the list is cut as it stands and checked below. */
const RUNS = Array.from({ length: Math.ceil(CASES.length / EDITORS.length) }, (_, i) =>
	CASES.slice(i * EDITORS.length, (i + 1) * EDITORS.length),
);

for (const [i, cases] of RUNS.entries())
	describe(`D-98 D-99 D-163 rejected edits, run ${i + 1} of ${RUNS.length}`, () => {
		const repo = quickRepository();
		let agent: FakeAgent;

		before(async () => {
			const rule = (type: string, one: Case) => ({
				when: { type },
				do: [...(type === "coding" ? ["echo x > x.txt"] : []), action(one, type)],
			});
			agent = quickAgent(cases.map((one, at) => rule(EDITORS[at] ?? "", one)));
			await runDynamic(repo, agent);
		});

		it("changes nothing: the ten steps run in their order and all of them complete", () => {
			assert.deepEqual(agent.types(), STEP_TYPES);
			const after = story(repo);
			assert.deepEqual(
				after.steps.map((s) => [s.type, s.status]),
				STEP_TYPES.map((type) => [type, "completed"]),
			);
			assert.ok(!after.history.some((entry) => entry.action === "workflow_edit"));
		});
		for (const [at, one] of cases.entries())
			it(one.name, () => {
				const type = EDITORS[at] ?? "";
				const call = agent.of(type)[0];
				const next = agent.calls()[STEP_TYPES.indexOf(type) + 1];
				const reason = read(runFolder(repo), `workflow_edits/rejected/one-shot-${call?.step}-1.reason.txt`);
				assert.match(reason, one.why);
				assert.match(next?.prompt ?? "", /were rejected as a whole/);
				assert.match(next?.prompt ?? "", one.why);
				assert.ok(list(runFolder(repo), "workflow_edits/rejected").includes(`one-shot-${call?.step}-1.json`));
				assert.ok(!exists(runFolder(repo), "workflow_edits/one-shot.json"), "the next step does not find it");
			});
	});

it("D-102 leaves what an edit file pointed at as it was", () => {
	assert.equal(read(outside, "valid.json"), JSON.stringify(on("skip", "step-009")));
	assert.deepEqual(list(outside), ["large", "valid.json"]);
});

describe("who may edit, and which file is read", () => {
	it("D-33 D-36 D-105 rejects a good edit from a step that may not edit", async () => {
		const repo = quickRepository();
		const good = edit(on("add_after", "step-009", { new_steps: fresh("coding") }));
		const agent = quickAgent(["context_gathering", "linting", "prune_tests"].map((type) => ({ when: { type }, do: [good] })));
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types(), STEP_TYPES);
		for (const [step, type] of [
			["step-001", "context_gathering"],
			["step-006", "linting"],
			["step-009", "prune_tests"],
		])
			assert.match(read(runFolder(repo), `workflow_edits/rejected/one-shot-${step}-1.reason.txt`), new RegExp(`${type} may not edit`));
	});
	it("D-37 T-19 lets final_review neither skip itself nor put anything after itself: it runs again and is told", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{
				when: { type: "final_review", nth: 1 },
				do: [edit([...on("skip", "step-010"), ...on("add_after", "step-010", { new_steps: fresh("coding") })])],
			},
		]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types(), [...STEP_TYPES, "final_review"]);
		assert.match(agent.of("final_review")[1]?.prompt ?? "", /cannot be skipped[\s\S]*nothing may come after/);
		const reason = read(runFolder(repo), "workflow_edits/rejected/one-shot-step-010-1.reason.txt");
		assert.match(reason, /cannot be skipped[\s\S]*nothing may come after/);
	});
	it("D-100 reads no file but the story's own", async () => {
		const repo = quickRepository();
		const good = on("skip", "step-009");
		const agent = quickAgent([
			{ when: { type: "planning" }, do: [edit(good, "US-002"), edit(good, "one-shot.json.bak"), edit(good, "ONE-SHOT")] },
		]);
		const ended = await runDynamic(repo, agent);
		assert.deepEqual(agent.types(), STEP_TYPES);
		assert.ok(exists(runFolder(repo), "workflow_edits/US-002.json"), "another story's file is not touched");
		assert.doesNotMatch(ended.stderr, /edit by|edit rejected/);
	});
});
