// The conversation of `pawl init`, with a person and checks that are played.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigChoices } from "../../runs/init/choices.ts";
import type { RepositoryFacts } from "../../runs/init/facts.ts";
import type { Tried } from "../../runs/init/try-check.ts";
import { talk } from "./talk.ts";

const agent = (name: string, loggedIn: string | null = null) => ({
	name,
	path: `/bin/${name}`,
	version: "1.0.0",
	tested: "1.0.0",
	loggedIn,
	hints: [],
});

const NODE: RepositoryFacts = {
	...{ root: "/r", agents: [agent("claude", "a token")], ownAgent: null, inputs: [] },
	...{ lint: "npm run lint", test: "npm test", checksFrom: "package.json", setup: "npm ci", setupFrom: "package-lock.json" },
};
const PASSED: Tried = { how: "passed", exitCode: 0, ms: 1200, tail: [] };

interface Played {
	readonly choices: ConfigChoices;
	readonly asked: readonly string[];
	readonly tried: readonly string[];
	readonly said: string;
}

/** Answers in order; Enter for whatever comes after them. `results`: of commands that do not pass. */
async function play(
	facts: RepositoryFacts,
	answers: readonly string[] = [],
	results: Readonly<Record<string, Tried>> = {},
): Promise<Played> {
	const [asked, tried, said]: string[][] = [[], [], []];
	const rest = [...answers];
	const choices = await talk(facts, {
		say: (line) => void said?.push(line),
		ask: async (question, suggested) => {
			asked?.push(`${question} [${suggested}]`);
			return rest.shift() ?? "";
		},
		tryCheck: async (_, command) => {
			tried?.push(command);
			return results[command] ?? PASSED;
		},
	});
	return { choices, asked: asked ?? [], tried: tried ?? [], said: (said ?? []).join("\n") };
}

test("Enter takes everything that was found, and each check is tried once", async () => {
	const { choices, asked, tried, said } = await play(NODE);
	assert.deepEqual(choices, { agent: null, lint: "npm run lint", test: "npm test", setup: "npm ci" });
	assert.deepEqual(asked, ["lint [npm run lint]", "test [npm test]", "try them once, here and now? [yes]", "setup [npm ci]"]);
	assert.deepEqual(tried, ["npm run lint", "npm test"]);
	assert.match(said, /claude does the work[\s\S]*passed after 1\.2s/);
});

test("an answer replaces what was found, - takes it out, and no tries nothing", async () => {
	const { choices, tried } = await play(NODE, ["-", "make check", "n", "make deps"]);
	assert.deepEqual(choices, { agent: null, lint: null, test: "make check", setup: "make deps" });
	assert.deepEqual(tried, []);
});

test("where nothing was found, Enter leaves it out and nothing is tried", async () => {
	const bare = { ...NODE, lint: null, test: null, setup: null, agents: [] };
	const { choices, asked, said } = await play(bare);
	assert.deepEqual(choices, { agent: null, lint: null, test: null, setup: null });
	assert.deepEqual(asked, ["lint [-]", "test [-]", "setup [-]"]);
	assert.match(said, /pawl doctor[\s\S]*only the agents' word/);
});

test("a check that fails shows its output: Enter keeps it, another command is tried in its place", async () => {
	const failed: Tried = { how: "failed", exitCode: 1, ms: 10, tail: ["expected 4, \u001b[2Jgot 5"] };
	const kept = await play(NODE, [], { "npm test": failed });
	assert.equal(kept.choices.test, "npm test");
	assert.match(kept.said, /failed with exit code 1[\s\S]*expected 4, got 5\n[\s\S]*agents are told/);
	const other = await play(NODE, ["", "", "", "make test"], { "npm test": failed });
	assert.equal(other.choices.test, "make test");
	assert.deepEqual(other.tried, ["npm run lint", "npm test", "make test"]);
});

test("a check that cannot start is left out, unless another command is named", async () => {
	const missing: Tried = { how: "cannot_start", exitCode: 127, ms: 10, tail: ["sh: eslint: not found"] };
	const left = await play(NODE, [], { "npm run lint": missing });
	assert.deepEqual([left.choices.lint, left.choices.test], [null, "npm test"]);
	assert.equal((await play(NODE, ["", "", "", "make lint"], { "npm run lint": missing })).choices.lint, "make lint");
});

test("of several agents one is chosen by name, and only one that is here", async () => {
	const two = { ...NODE, agents: [agent("codex"), agent("gemini", "a key")] };
	assert.equal((await play(two)).choices.agent, "gemini", "the one with a sign of a login");
	const { choices, asked, said } = await play(two, ["claude", "codex"]);
	assert.equal(choices.agent, "codex");
	assert.deepEqual(asked.slice(0, 2), ["agent that does the work [gemini]", "agent that does the work [gemini]"]);
	assert.match(said, /there is no claude here; there is codex, gemini/);
});
