// The four other documents in the language of workflows: that they load shows that its constructs suffice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Definition } from "../core/definition.ts";
import { loadDefinition } from "./load.ts";
import { mermaid } from "./mermaid.ts";
import { formatProblem } from "./problem.ts";
import { showDefinition } from "./show.ts";

async function load(name: string): Promise<Definition> {
	const loaded = await loadDefinition(fileURLToPath(new URL(`fixtures/${name}.yml`, import.meta.url)));
	assert.ok(loaded.ok, loaded.ok ? "" : loaded.problems.map(formatProblem).join("\n"));
	assert.deepEqual(loaded.warnings, []);
	return loaded.definition;
}

test("feature-dev: verify sends the story back to implement, two times at most", async () => {
	const { types } = await load("feature-dev");
	assert.deepEqual(types.verify?.routes.retry, {
		action: "goto",
		target: "implement",
		set: { feedback: "{{ISSUES}}" },
		max: 2,
		per: "story",
		exhausted: { action: "fail", target: "run" },
	});
	assert.deepEqual(types.fix?.routes.done, { action: "goto", target: "back" });
});

test("ralph: reviewers and steering are called in without moving the schedule", async () => {
	const { types } = await load("ralph");
	assert.deepEqual(
		[types.iterations?.loop?.inject.steering_requested, types.iterations?.routes.steering_requested],
		["S", { action: "retry" }],
	);
	assert.equal(types.iterations?.routes.promise?.action, "complete");
});

test("phased: re-plans spend a budget of the run", async () => {
	const { types, budgets } = await load("phased");
	assert.deepEqual(
		[types.pre_check?.routes.re_plan?.spend, budgets.re_plans?.limit, types.execute?.routes.unreadable?.max],
		["re_plans", 3, 30],
	);
});

test("gated: a blocked split reworks the plan once, then the run gives up", async () => {
	const { types, resume, roles } = await load("gated");
	assert.deepEqual(types.review_split?.routes.block, {
		action: "goto",
		target: "rework_plan",
		spend: "plan_rework",
		exhausted: { action: "abort" },
	});
	assert.deepEqual(roles.check_final?.report.signals[1], { signal: "plan_level", when: { VERDICT: "*" }, finding: "plan" });
	assert.equal(resume, "never");
});

for (const name of ["feature-dev", "ralph", "phased", "gated"])
	test(`${name} is shown in 80 columns, and as a flowchart`, async () => {
		const definition = await load(name);
		for (const line of showDefinition(definition).split("\n")) assert.ok(line.length <= 80, line);
		assert.match(mermaid(definition), /^flowchart TD\n/);
	});
