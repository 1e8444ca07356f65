// Workflows that name only what they add, at work: what pawl does on each signal of the engine, in a story and outside of one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FAILURES, type Failure } from "../core/definition.ts";
import type { RunState } from "../core/model.ts";
import { packagePath } from "../package-root.ts";
import { fails, inOrder, type Part } from "./testing/cast.suite.ts";
import { type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";

const SUMMARY = "## SUMMARY\n- it is done\n";
const works: Part = ({ files, checkout }) => {
	files.write("new.txt", `${files.read("new.txt") ?? ""}more\n`);
	checkout.commitAll("work");
	return SUMMARY;
};
const careful: HarnessOptions = {
	workflow: { yaml: readFileSync(packagePath("docs", "examples", "careful", "workflow.yml"), "utf8"), prompts: {} },
	given: "Add a file",
	files: { "README.md": "a project\n" },
	checks: { test: () => 0 },
	cast: { plan: SUMMARY, code: works, review: `VERDICT: pass\n${SUMMARY}` },
};
const storyOf = (state: RunState): string => `${state.stories[0]?.status} in a run that is ${state.status}`;

test("the twelve lines of the guide run to their end, and a review that sends work back says why", async (t) => {
	const review = inOrder("VERDICT: rework\n## SUMMARY\n- no test covers an empty list\n", `VERDICT: pass\n${SUMMARY}`);
	const h = await harness(t, { ...careful, cast: { ...careful.cast, review } });
	assert.equal(storyOf(await h.toHalt()), "completed in a run that is completed");
	const coding = h.prompts.filter(({ type }) => type === "code").map(({ prompt }) => prompt);
	assert.equal(coding.length, 2);
	assert.match(coding[1] ?? "", /## Why this step runs again\n\n<reason>\nreview: - no test covers an empty list\n<\/reason>/);
	assert.match(h.prompts.find(({ type }) => type === "review")?.prompt ?? "", /- `VERDICT:` `pass` or `rework`/);
	assert.deepEqual(await violations(h), []);
});

/** How often it may happen until the step fails for good. */
const TRIES: Partial<Record<Failure, number>> = {
	agent_error: 2,
	timeout: 2,
	stalled: 2,
	permission: 1,
	context_too_long: 1,
	auth: 1,
	out_of_credit: 1,
};

for (const [signal, tries] of Object.entries(TRIES) as [Failure, number][]) {
	test(`${signal}: the work of ${tries} attempts is put back, then the story fails, and the run with it`, async (t) => {
		const bad: Part = (turn) => {
			turn.files.write("stray.txt", "x\n");
			return fails(signal);
		};
		const h = await harness(t, { ...careful, cast: { ...careful.cast, code: bad } });
		const state = await h.toHalt();
		const account = signal === "auth" || signal === "out_of_credit";
		assert.equal(state.status, "failed");
		if (!account) assert.equal(state.stories[0]?.status, "failed");
		assert.equal(h.prompts.filter(({ type }) => type === "code").length, tries);
		assert.deepEqual(await violations(h), []);
	});

	if (tries > 1)
		test(`${signal}: once is no harm`, async (t) => {
			const h = await harness(t, { ...careful, cast: { ...careful.cast, code: inOrder(() => fails(signal), works) } });
			assert.equal(storyOf(await h.toHalt()), "completed in a run that is completed");
		});
}

test("outside the stories a step that fails for good fails the run", async (t) => {
	const yaml = "name: once\nsteps: [look]\ntypes: {look: {prompt: Look around., writes: none}}\n";
	const h = await harness(t, { ...careful, workflow: { yaml, prompts: {} }, cast: { look: () => fails("permission") } });
	const state = await h.toHalt();
	assert.deepEqual([state.status, /permission/.test(state.reason ?? "")], ["failed", true]);
});

test("a usage limit is waited for", async (t) => {
	const h = await harness(t, {
		...careful,
		cast: {
			...careful.cast,
			plan: inOrder(
				() => fails("rate_limited"),
				() => fails("overloaded"),
				SUMMARY,
			),
		},
	});
	assert.equal(storyOf(await h.toHalt()), "completed in a run that is completed");
});

test("every failure has a default, so that this list is complete", () => {
	const others: readonly Failure[] = ["rate_limited", "overloaded", "boundary_violation", "unreadable", "lost", "workspace_error"];
	assert.deepEqual([...Object.keys(TRIES), ...others].sort(), [...FAILURES].sort());
});
