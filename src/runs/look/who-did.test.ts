// Who did which attempt, from journals of this version and of earlier ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { attemptsOf } from "./attempts.ts";
import { costView } from "./cost.ts";
import { stepView } from "./run-view.ts";

const agent = (name: string, model: string | null = null) => ({ agent: name, command: null, script: null, model });

test("an attempt says which agent and model did it: a stand-in, a model that the agent named, or who the run was started with", () => {
	const started = { agent: agent("claude", "opus"), fallback: [agent("codex")] };
	const world = new World(linear({ plan: {}, make: {} }), { options: { shell: started } });
	// As an earlier version: nobody is named.
	world.end("plan");
	const [job] = world.jobs;
	assert.ok(job);
	const { scope, step, attempt } = job;
	world.feed({ type: "attempt_prepared", scope, step, attempt, commit: null, log: null, agent: "codex" });
	assert.deepEqual(pick(world, "make"), { agent: "codex", model: null });
	const usage = { costUsd: 1, inputTokens: null, outputTokens: null };
	world.jobs = [];
	world.feed({
		type: "attempt_ended",
		scope,
		step,
		attempt,
		outcome: {
			signal: "done",
			error: null,
			notes: null,
			fields: {},
			findings: [],
			stories: null,
			usage,
			edits: null,
			checks: [],
			changed: true,
			retryAt: null,
			model: "gpt-9",
		},
	});
	assert.deepEqual(pick(world, "plan"), { agent: null, model: null });
	assert.deepEqual(pick(world, "make"), { agent: "codex", model: "gpt-9" });
	assert.deepEqual(
		attemptsOf(world.state, world.events).map((one) => [one.step, one.agent, one.model]),
		[
			["step-001", "claude", "opus"],
			["step-002", "codex", "gpt-9"],
		],
	);
	const { by_agent, by_model } = costView(world.state, world.events);
	assert.deepEqual(
		[by_agent, by_model].map((rows) => rows.map((row) => row.name)),
		[
			["claude", "codex"],
			["opus", "gpt-9"],
		],
	);
});

function pick(world: World, type: string) {
	const { agent: who, model } = stepView(world.find("@run", type), world.at);
	return { agent: who, model };
}

test("an attempt says with which effort and for which tier, and the cost is added up by tier", () => {
	const cheap = { ...agent("", "mini"), effort: "low", tier: "fast" };
	const world = new World(linear({ plan: {}, make: {} }), {
		options: { shell: { agent: agent("claude"), steps: { plan: { agent: cheap } } } },
	});
	const usage = { costUsd: 2, inputTokens: null, outputTokens: null };
	// Somebody else ran it: what the run was started with is what they were told.
	world.end("plan", { usage });
	const [job] = world.jobs;
	assert.ok(job);
	const { scope, step, attempt } = job;
	const chosen = { agent: "codex", model: "gpt", effort: "high", tier: "strong" };
	world.feed({ type: "attempt_prepared", scope, step, attempt, commit: null, log: null, ...chosen });
	const { effort, tier } = stepView(world.find("@run", "make"), world.at);
	assert.deepEqual([effort, tier], ["high", "strong"]);
	world.end("make", { usage });
	assert.deepEqual(
		attemptsOf(world.state, world.events).map((one) => [one.agent, one.model, one.effort, one.tier]),
		[
			[null, "mini", "low", "fast"],
			["codex", "gpt", "high", "strong"],
		],
	);
	assert.deepEqual(
		costView(world.state, world.events).by_tier.map((row) => [row.name, row.cost_usd]),
		[
			["fast", 2],
			["strong", 2],
		],
	);
});
