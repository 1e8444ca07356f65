// Which agents an engine is given, from what the run was started with.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../../agent.ts";
import type { AgentSpec, StartedWith } from "../../core/started-with.ts";
import type { ChosenAgent } from "../../engine/parts.ts";
import type { RunsContext } from "../context.ts";
import { agentsOf } from "./agents.ts";
import type { Drive } from "./drive.ts";

const spec = (agent: string, more: Partial<AgentSpec> = {}): AgentSpec => ({ agent, command: null, script: null, model: null, ...more });

async function given(started: Partial<StartedWith>): Promise<{ made: string[]; shown: (role: string, type: string) => string[] }> {
	const made: string[] = [];
	const makeAgent = async ({ agent, model }: AgentSpec): Promise<ChosenAgent> => {
		made.push(agent);
		return { agent: { name: agent } as Agent, model: model ?? (agent === "gemini" ? "its own" : null) };
	};
	const c = { services: { makeAgent } } as unknown as RunsContext;
	const d = { config: {}, repository: { root: "/r" } } as unknown as Drive;
	const agentsFor = await agentsOf(c, d, { agent: spec("claude"), roles: {}, steps: {}, fallback: [], ...started } as StartedWith);
	const text = ({ agent, model, effort, tier }: ChosenAgent) => [agent.name, model, effort, tier].map((part) => part ?? "-").join(" ");
	return { made, shown: (role, type) => agentsFor(role, type).map(text) };
}

test("a step type has its own agent, else its role, else the run", async () => {
	const { shown } = await given({
		roles: { critic: spec("codex", { model: "gpt" }) },
		steps: { review: { critic: spec("claude", { model: "opus", tier: "strong", effort: "high" }) } },
	});
	assert.deepEqual(shown("critic", "review"), ["claude opus high strong"]);
	assert.deepEqual(shown("critic", "look"), ["codex gpt - -"]);
	assert.deepEqual(shown("dev", "review"), ["claude - - -"], "another role of the same step");
});

test("an agent is made once, whatever its models: a scripted one counts its calls", async () => {
	const { made } = await given({
		roles: { a: spec("claude", { model: "x" }), b: spec("claude", { model: "y", effort: "low" }), c: spec("claude", { command: "other" }) },
		fallback: [spec("codex")],
	});
	assert.deepEqual(made, ["claude", "claude", "codex"]);
});

test("a stand-in uses its own model of the tier, or its own default; never a model of the agent that it stands in for", async () => {
	const tiers = { fast: { model: "mini", effort: null } };
	const { shown } = await given({
		steps: {
			plan: { dev: spec("claude", { model: "haiku", tier: "fast" }) },
			make: { dev: spec("claude", { model: "opus", effort: "high" }) },
		},
		fallback: [spec("codex", { tiers }), spec("gemini")],
	});
	assert.deepEqual(shown("dev", "plan"), ["claude haiku - fast", "codex mini - fast", "gemini its own - fast"]);
	assert.deepEqual(shown("dev", "make"), ["claude opus high -", "codex - high -", "gemini its own high -"]);
});
