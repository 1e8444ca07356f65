// The options of a run that nobody names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../../config.ts";
import { linear } from "../../core/testing/builders.suite.ts";
import { defaultOptions } from "./default-options.ts";

const budgets = {
	cost: { unit: "cost" as const, limit: 10, scope: "run" as const, warnAt: [] },
	time: { unit: "time" as const, limit: 7_200_000, scope: "run" as const, warnAt: [] },
	iterations: { unit: "count" as const, limit: 30, scope: "story" as const, warnAt: [] },
};

test("the defaults of options: pawl.yml wins over the workflow, and what nobody limits is null", () => {
	assert.deepEqual(defaultOptions(linear({ work: {} }), null, "main"), {
		agents: 1,
		agent: "claude",
		model: null,
		base: "main",
		max_cost: null,
		max_time: null,
		max_iterations: null,
	});
	const definition = linear({ work: {} }, { budgets });
	assert.deepEqual(defaultOptions(definition, null, null), {
		agents: 1,
		agent: "claude",
		model: null,
		base: null,
		max_cost: 10,
		max_time: "2h",
		max_iterations: 30,
	});
	const read = parseConfig(
		"agent: mine\nagents: {mine: {type: codex, model: large}}\nbase: dev\nparallel: 3\nlimits: {cost: $2, time: 90m}\n",
	);
	assert.ok(read.ok);
	assert.deepEqual(defaultOptions(definition, read.config, "main"), {
		agents: 3,
		agent: "mine",
		model: "large",
		base: "dev",
		max_cost: 2,
		max_time: "1h30m",
		max_iterations: 30,
	});
});
