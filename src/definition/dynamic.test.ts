// The built-in workflow `dynamic` against document 000.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Definition, FAILURES } from "../core/definition.ts";
import { loadDefinition } from "./load.ts";
import { formatProblem } from "./problem.ts";

let dynamic: Definition;
before(async () => {
	const loaded = await loadDefinition(fileURLToPath(new URL("../../workflows/dynamic", import.meta.url)));
	assert.ok(loaded.ok, loaded.ok ? "" : loaded.problems.map(formatProblem).join("\n"));
	assert.deepEqual(loaded.warnings, []);
	dynamic = loaded.definition;
});

const TEN = [
	["context_gathering", 15, false, "Explore codebase, DB schema, docs, and related code"],
	["planning", 10, true, "Produce implementation plan based on gathered context"],
	["architecture", 10, true, "Design code structure and identify files to modify"],
	["test_architecture", 10, true, "Design test strategy and identify test files"],
	["coding", 30, true, "Implement the changes"],
	["linting", 5, false, "Run formatters and lint checks"],
	["initial_testing", 20, true, "Run tests and identify failures"],
	["review", 10, true, "Self-review against acceptance criteria"],
	["prune_tests", 10, false, "Remove redundant tests"],
	["final_review", 15, true, "Final verification and commit"],
] as const;

test("D-33 D-34 D-35 D-36 D-37 D-39 D-42: timeouts, editing and descriptions of the step types", () => {
	for (const [name, minutes, edits, description] of TEN) {
		const type = dynamic.types[name];
		assert.deepEqual([type?.timeoutMs, type?.edits, type?.description], [minutes * 60_000, edits, description], name);
		assert.ok(dynamic.prompts[type?.prompt ?? ""], `${name} has a prompt`);
	}
	assert.deepEqual([dynamic.types.rebase_resolve?.timeoutMs, dynamic.types.rebase_resolve?.byEngine], [15 * 60_000, true]);
	assert.deepEqual(dynamic.limits, { steps: 30, restarts: 3 });
});

test("D-38: a story has the ten steps in order, then the merge that nobody sees", () => {
	assert.deepEqual(dynamic.types.stories?.each, {
		steps: [...TEN.map(([type]) => ({ type })), { type: "merge" }],
		concurrency: 0,
		order: "dependencies",
		onFailure: "block",
		expectsChange: true,
	});
	assert.deepEqual(
		[dynamic.types.merge?.internal, dynamic.types.merge?.when],
		[
			true,
			[
				{ field: "workspace", op: "is", value: "worktree" },
				{ field: "changed", op: "is", value: "true" },
			],
		],
	);
});

test("linting and final_review are mandatory, final_review is last, the first four only read", () => {
	const names = (has: (name: string) => boolean | undefined) => TEN.map(([name]) => name).filter(has);
	assert.deepEqual(
		names((n) => dynamic.types[n]?.mandatory),
		["linting", "final_review"],
	);
	assert.deepEqual(
		names((n) => dynamic.types[n]?.last),
		["final_review"],
	);
	assert.deepEqual(
		names((n) => dynamic.types[n]?.writes === "none"),
		["context_gathering", "planning", "architecture", "test_architecture"],
	);
	assert.deepEqual(dynamic.types.final_review?.checks, ["*"]);
});

test("D-139: a conflict inserts rebase_resolve before final_review, which runs again, three times at most", () => {
	const fail = { action: "fail", target: "story" };
	assert.deepEqual(dynamic.types.merge?.routes.conflict, {
		action: "insert",
		steps: [{ type: "rebase_resolve" }],
		before: "final_review",
		reopen: ["final_review", "merge"],
		max: 3,
		per: "story",
		exhausted: fail,
	});
	assert.deepEqual(dynamic.types.merge?.routes.dirty, { action: "wait", target: "time" });
	assert.deepEqual(dynamic.types.merge?.routes.empty, fail);
});

test("T-12 a step that is added because a check failed is called a repair, not the work that it repairs", () => {
	for (const name of ["linting", "initial_testing", "final_review", "merge"])
		assert.deepEqual(dynamic.types[name]?.routes.checks_failed?.steps?.[0], { type: "coding", description: "Repair what failed" }, name);
});

test("failures roll back and fail the story; a usage limit waits, but not forever; a lost step runs again", () => {
	const routes = dynamic.types.coding?.routes ?? {};
	const exhausted = { action: "fail", target: "story", rollback: "failures" };
	for (const failure of FAILURES) {
		const route = routes[failure];
		if (failure === "rate_limited" || failure === "overloaded")
			assert.deepEqual(route, {
				...{ action: "wait", target: "time", rollback: "failures", per: "step", exhausted },
				max: failure === "overloaded" ? 20 : 100,
			});
		else if (failure === "auth" || failure === "out_of_credit")
			assert.deepEqual(route, { action: "fail", target: "run", rollback: "failures" });
		else if (failure === "lost")
			assert.deepEqual([route?.steps, route?.max, route?.per, route?.rollback], [[{ type: "same" }], 3, "step", "failures"]);
		else if (failure === "boundary_violation")
			assert.deepEqual(route, { action: "retry", rollback: "failures", max: 1, per: "step", exhausted }, "T-11: put back, told, once more");
		else assert.deepEqual(route, { action: "fail", target: "story", rollback: "failures" }, failure);
	}
});
