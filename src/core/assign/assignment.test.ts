import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Assignment, assign, type Layer, standIn, type TierModels } from "./assignment.ts";

const TIERS: Readonly<Record<string, TierModels>> = {
	claude: { fast: { model: "haiku", effort: null }, strong: { model: "opus", effort: "high" } },
	codex: { fast: { model: "gpt-mini", effort: "low" } },
};

type Said = Partial<Pick<Assignment, "agent" | "model" | "effort" | "tier">>;

const NOTHING = { agent: "claude", model: null, effort: null, tier: null };

/** The layers by their first letters: what a flag, pawl.yml, the user's file and the workflow say. */
const layers = (said: Readonly<Record<string, Omit<Layer, "from">>>): Layer[] =>
	["flag", "pawl.yml", "user", "workflow"].map((from) => ({ from, ...said[from], ...(from === "workflow" ? { anyAgent: true } : {}) }));

const review = (said: Parameters<typeof layers>[0]) =>
	assign({ type: "review", role: "critic" }, layers(said), (agent) => TIERS[agent] ?? {});

const TABLE: readonly (readonly [string, Parameters<typeof layers>[0], Said])[] = [
	["nobody says anything: the agent's own default, no flag at all", {}, {}],
	["a step type wins over a role", { flag: { steps: { review: { model: "a" } }, roles: { critic: { model: "b" } } } }, { model: "a" }],
	["a role wins over everything", { flag: { roles: { critic: { model: "b" } }, all: { model: "c" } } }, { model: "b" }],
	[
		"another step type or role is none of its business",
		{ flag: { steps: { coding: { model: "a" } }, roles: { dev: { model: "b" } } } },
		{},
	],
	[
		"a flag for everything wins over a step type of pawl.yml",
		{ flag: { all: { model: "c" } }, "pawl.yml": { steps: { review: { model: "a" } } } },
		{ model: "c" },
	],
	[
		"a role of pawl.yml wins over a step type of the user's",
		{ "pawl.yml": { roles: { critic: { model: "b" } } }, user: { steps: { review: { model: "a" } } } },
		{ model: "b" },
	],
	[
		"the user's file wins over the workflow",
		{ user: { roles: { critic: { model: "b" } } }, workflow: { steps: { review: { model: "strong" } } } },
		{ model: "b" },
	],
	[
		"each of the three is looked for on its own",
		{
			flag: { all: { effort: "low" } },
			"pawl.yml": { steps: { review: { agent: "codex" } } },
			workflow: { roles: { critic: { model: "gpt" } } },
		},
		{ agent: "codex", model: "gpt", effort: "low" },
	],
	["a tier becomes a model of the agent", { workflow: { steps: { review: { model: "fast" } } } }, { model: "haiku", tier: "fast" }],
	[
		"a tier may set the effort too",
		{ workflow: { steps: { review: { model: "strong" } } } },
		{ model: "opus", effort: "high", tier: "strong" },
	],
	[
		"of the agent at hand",
		{ flag: { all: { agent: "codex" } }, workflow: { steps: { review: { model: "fast" } } } },
		{ agent: "codex", model: "gpt-mini", effort: "low", tier: "fast" },
	],
	["a tier without a mapping changes nothing", { workflow: { steps: { review: { model: "standard" } } } }, { tier: "standard" }],
	[
		"a tier without a mapping hides a model further down",
		{ flag: { all: { model: "standard" } }, "pawl.yml": { steps: { review: { model: "a" } } } },
		{ tier: "standard" },
	],
	[
		"a person who names an effort wins over that of the workflow's tier",
		{ flag: { all: { effort: "low" } }, workflow: { steps: { review: { model: "strong" } } } },
		{ model: "opus", effort: "low", tier: "strong" },
	],
	[
		"the effort of a tier that a flag names wins over the workflow's",
		{ flag: { all: { model: "strong" } }, workflow: { steps: { review: { effort: "low" } } } },
		{ model: "opus", effort: "high", tier: "strong" },
	],
	[
		"a model of pawl.yml is not handed to another agent",
		{ flag: { all: { agent: "codex" } }, "pawl.yml": { steps: { review: { model: "opus" } } } },
		{ agent: "codex" },
	],
	[
		"unless it is the agent that it was written for",
		{ flag: { all: { agent: "codex" } }, "pawl.yml": { all: { agent: "codex" }, steps: { review: { model: "gpt" } } } },
		{ agent: "codex", model: "gpt" },
	],
	[
		"--model and --agent belong together",
		{ flag: { all: { agent: "codex", model: "gpt" } }, "pawl.yml": { all: { agent: "claude" } } },
		{ agent: "codex", model: "gpt" },
	],
	[
		"--model is for the run's agent, not for a role that has another",
		{ flag: { all: { model: "opus" } }, "pawl.yml": { roles: { critic: { agent: "codex" } } } },
		{ agent: "codex" },
	],
	[
		"a model for a step is for whoever does that step",
		{ flag: { steps: { review: { model: "gpt" } } }, "pawl.yml": { roles: { critic: { agent: "codex" } } } },
		{ agent: "codex", model: "gpt" },
	],
	[
		"a model for a role is not for a step of it that another agent does",
		{ flag: { roles: { critic: { model: "opus" } } }, "pawl.yml": { steps: { review: { agent: "codex" } } } },
		{ agent: "codex" },
	],
	[
		"--role ROLE=AGENT drops --model, which is for the run's agent",
		{ flag: { all: { model: "opus" }, roles: { critic: { agent: "codex" } } } },
		{ agent: "codex" },
	],
	[
		"a workflow's model counts for any agent",
		{ flag: { all: { agent: "codex" } }, workflow: { roles: { critic: { model: "gpt" } } } },
		{ agent: "codex", model: "gpt" },
	],
	[
		"a workflow's model for an agent of its own does not",
		{ flag: { all: { agent: "codex" } }, workflow: { roles: { critic: { agent: "gemini", model: "pro" } } } },
		{ agent: "codex" },
	],
];

describe("who does a step, with which model and effort", () => {
	for (const [name, said, expected] of TABLE)
		it(name, () => {
			const { agent, model, effort, tier } = review(said);
			assert.deepEqual({ agent, model, effort, tier }, { ...NOTHING, ...expected });
		});

	it("says which place decided", () => {
		const { from } = review({
			flag: { all: { effort: "low" } },
			user: { all: { agent: "codex" } },
			workflow: { steps: { review: { model: "fast" } } },
		});
		assert.deepEqual(from, { agent: "user", model: "workflow", effort: "flag" });
		assert.deepEqual(review({}).from, { agent: null, model: null, effort: null });
		assert.equal(review({ workflow: { steps: { review: { model: "strong" } } } }).from.effort, "workflow");
	});

	it("names like those of Object.prototype say nothing", () => {
		assert.equal(assign({ type: "constructor", role: "toString" }, layers({ flag: { steps: {}, roles: {} } }), () => ({})).model, null);
	});

	it("a stand-in uses its own model of the tier, and no model of another agent", () => {
		assert.deepEqual(standIn({ tier: "fast" }, TIERS["codex"] ?? {}), { model: "gpt-mini", effort: "low", tier: "fast" });
		assert.deepEqual(standIn({ effort: "high" }, TIERS["codex"] ?? {}), { model: null, effort: "high" });
	});
});
