import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundAgent } from "../doctor/machine.ts";
import { agentToWrite, nextSteps, suggestedAgent } from "./choices.ts";

const agent = (name: string, loggedIn: string | null = null): FoundAgent => ({
	...{ name, path: `/bin/${name}`, version: null, tested: "1", loggedIn, hints: [] },
});

test("the suggested agent is the user's own choice, or one that is installed and logged in", () => {
	const suggested = (ownAgent: string | null, ...agents: FoundAgent[]) => suggestedAgent({ ownAgent, agents });
	assert.equal(suggested(null), "claude");
	assert.equal(suggested("codex", agent("claude", "key")), "codex");
	assert.equal(suggested(null, agent("codex"), agent("claude")), "claude");
	assert.equal(suggested(null, agent("claude"), agent("codex", "key")), "codex");
	assert.equal(suggested(null, agent("opencode"), agent("gemini")), "opencode");
});

test("an agent that a run would choose anyway is not written down", () => {
	assert.equal(agentToWrite({ ownAgent: null }, "claude"), null);
	assert.equal(agentToWrite({ ownAgent: "codex" }, "codex"), null);
	assert.equal(agentToWrite({ ownAgent: "codex" }, "claude"), "claude");
	assert.equal(agentToWrite({ ownAgent: null }, "gemini"), "gemini");
});

test("what to type next: commit, then what lies here, or a request", () => {
	const commands = (...inputs: { text: string; command: string }[]) => nextSteps({ inputs }).map(({ command }) => command);
	assert.match(commands()[0] ?? "", /^git add pawl\.yml/);
	assert.deepEqual(commands().slice(1), ['pawl "REQUEST"', 'pawl plan "IDEA"']);
	assert.deepEqual(commands({ text: "a list", command: "pawl run dynamic --prd prd.json" }).slice(1), ["pawl run dynamic --prd prd.json"]);
});
