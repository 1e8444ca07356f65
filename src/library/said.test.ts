// What a program says about a new run becomes the options of `pawl run`; what makes no sense is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunsContext } from "../runs/context.ts";
import { services } from "../wiring.ts";
import type { RunToStart } from "./api.ts";
import { limitsOf, wantedOf } from "./said.ts";

const c = { services } as RunsContext;

test("options are those of the command line; durations are read, choices may be one for all or one for each", () => {
	const wanted = wantedOf(c, {
		workflow: "dynamic",
		prd: "prd.json",
		supervisor: false,
		agents: 3,
		agent: { coding: "codex" },
		model: "fast",
		role: { reviewer: "claude:opus" },
		timeout: { coding: "45m" },
		maxCost: 2.5,
		maxTime: "1h30m",
		checks: false,
	});
	assert.deepEqual(wanted, {
		workflow: "dynamic",
		inputs: { prd: "prd.json" },
		options: {
			agents: 3,
			model: "fast",
			only: { coding: { agent: "codex" } },
			role: { reviewer: { agent: "claude", model: "opus" } },
			timeout: { coding: 2_700_000 },
			maxCost: 2.5,
			maxTime: 5_400_000,
			checks: false,
			flags: { supervisor: false },
		},
	});
	// As if they were not there.
	assert.deepEqual(wantedOf(c, { workflow: "x", request: "y", supervisor: true }).options, { flags: {} });
	assert.deepEqual(limitsOf({ maxTime: "2h", budget: { re_plans: 5 } }), { maxTime: 7_200_000, budget: { re_plans: 5 } });
});

test("what makes no sense is named", () => {
	const wrong: readonly (readonly [object, RegExp])[] = [
		[{ maxTime: "soon" }, /^maxTime must be a duration/],
		[{ maxTime: 5 }, /^maxTime must be a duration/],
		[{ timeout: { coding: "0s" } }, /^timeout.coding must be/],
		[{ agents: 0.5 }, /^agents must be a whole number/],
		[{ maxCost: Number.NaN }, /^maxCost must be/],
		[{ yes: "true" }, /^yes must be true or false/],
		[{ fallback: "codex" }, /^fallback must be a list/],
		[{ model: { coding: 1 } }, /^model must be/],
		[{ workflow: 7 }, /^workflow must be a text/],
		[{ revise: "prd.json" }, /^there is no option revise/],
		[{ constructor: "x" }, /^there is no option constructor/],
	];
	for (const [more, message] of wrong)
		assert.throws(() => wantedOf(c, { workflow: "x", request: "y", ...more } as RunToStart), { code: "invalid", message });
	assert.throws(() => limitsOf({ budgets: {} } as never), { code: "invalid" });
	assert.throws(() => limitsOf({ budget: { re_plans: "5" } } as never), { code: "invalid" });
});
