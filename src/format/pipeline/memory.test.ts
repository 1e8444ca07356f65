import assert from "node:assert/strict";
import { test } from "node:test";
import type { PromptContext } from "../../format.ts";
import { promptAdditions } from "./memory.ts";

const of = (slots: readonly number[], promptText: string) =>
	({
		state: {
			definition: { name: "mini", roles: {}, types: {}, steps: [], foreign: { pipeline: { steps: [] } } },
			options: { slots, shell: { startCommit: "c0ffee", checks: { test: "npm test" } } },
			input: {},
			stories: [],
			root: { fields: {}, steps: [], kept: [] },
		},
		scope: "@run",
		step: { id: "step-001", type: "plan" },
		role: "planner",
		writes: false,
		repository: { root: "/nowhere", commits: async () => [{ sha: "d0e".repeat(13), subject: "one" }] },
		workspace: { branch: "feature/x" },
		promptText,
	}) as unknown as PromptContext;

const asked = async (slots: readonly number[], text: string) =>
	((await promptAdditions(of(slots, text)))?.surroundings ?? []).join("\n").includes("depends_on");

test("T-18 with several agents the planner is told what `depends_on` decides, also where its input only shows it in an example", async () => {
	assert.equal(await asked([1, 2], "Answer with STORIES_JSON"), true);
	assert.equal(await asked([1], "Answer with STORIES_JSON"), false);
	assert.equal(await asked([1, 2], 'STORIES_JSON: [{"depends_on": []}]'), true);
	assert.equal(await asked([1, 2], "Implement it"), false);
});

test("T-22 the checks of the run are variables, unless an agent found out better; those who judge are told which commits to look at", async () => {
	const given = of([1], "TEST");
	const told = await promptAdditions(given);
	assert.equal(told?.variables["test_cmd"], "npm test");
	assert.equal(told?.variables["build_cmd"], "");
	assert.match(told?.variables["baseline"] ?? "", /passed before/);
	assert.equal(told?.variables["how_to_check"], "Test with `npm test`.");
	assert.doesNotMatch(told?.surroundings.join("\n") ?? "", /git diff/, "nothing is done yet");
	const worked = { ...given, state: { ...given.state, stories: [{ id: "A", changed: true }] } } as unknown as PromptContext;
	assert.match((await promptAdditions(worked))?.surroundings.join("\n") ?? "", /git diff c0ffee\.\.HEAD.*secrets/);
	const set = { ...given, state: { ...given.state, root: { ...given.state.root, fields: { test_cmd: "make check" } } } };
	assert.equal((await promptAdditions(set))?.variables["test_cmd"], "make check");
	assert.doesNotMatch((await promptAdditions({ ...worked, writes: true }))?.surroundings.join("\n") ?? "", /git diff/);
});

test("T-21 what an agent calls the pull request never replaces what pawl opened", async () => {
	const given = of([1], "REVIEW {{pr}}");
	const types = { "pr.publish": { action: "forge.pull-request" } };
	const state = (fields: Record<string, string>) =>
		({
			...given.state,
			definition: { ...given.state.definition, types },
			root: { ...given.state.root, fields },
		}) as unknown as PromptContext["state"];
	const pr = async (fields: Record<string, string>) => (await promptAdditions({ ...given, state: state(fields) }))?.variables["pr"];
	assert.equal(await pr({ pr: "https://made.up/1", "forge.url": "https://real/7" }), "https://real/7");
	assert.equal(await pr({ pr: "https://made.up/1" }), "(not opened yet)");
});

test("T-22 what a verifier sent back is a part of its own, with what to do about it; nothing the first time", async () => {
	const given = of([1], "{{sent_back}}");
	assert.equal((await promptAdditions(given))?.quoted["sent_back"], "");
	const root = { ...given.state.root, fields: { verify_feedback: "- the label is missing" } };
	const told = await promptAdditions({ ...given, state: { ...given.state, root } });
	assert.match(
		told?.quoted["sent_back"] ?? "",
		/^The verifier sent this back to you\. What you did so far is committed \(`git diff c0ffee\.\.HEAD`\)\.[\s\S]*\n- the label is missing$/,
	);
});

test("G-17 T-22 what a step was asked for and did not say is named as such, not left empty under its heading", async () => {
	const given = of([1], "EXPECTED\n{{expected}}");
	const definition = {
		...given.state.definition,
		prompts: { triage: "STATUS: done\nAREA:\nEXPECTED:", verify: "STATUS: done\nVERIFIED:\nOr:\nSTATUS: retry\nISSUES:" },
		types: {
			triage: { prompt: "triage", report: { keys: ["AREA", "EXPECTED"] } },
			verify: { prompt: "verify", report: { keys: ["ISSUES"] } },
		},
	};
	const steps = [
		{ type: "triage", status: "completed" },
		{ type: "verify", status: "completed" },
	];
	const state = { ...given.state, definition, root: { fields: { area: "paging" }, steps, kept: [] } } as unknown as PromptContext["state"];
	const { variables = {} } = (await promptAdditions({ ...given, state })) ?? {};
	assert.deepEqual([variables["expected"], variables["area"], variables["issues"]], ["(not said)", undefined, undefined]);
});

test("T-22 of a story that was put on top of another's work, a judge looks at its own commits; where nothing is committed, nothing is said to be", async () => {
	const given = of([1, 2], "VERIFY `git diff {{base_commit}}..HEAD`");
	const story = {
		id: "B",
		changed: true,
		dependsOn: ["A"],
		criteria: [],
		scope: { id: "B", fields: {}, kept: [], steps: [{ firstCommit: "0ld".repeat(5), commit: null }] },
	};
	const state = {
		...given.state,
		branch: "feature/both",
		definition: { ...given.state.definition, inputs: { request: { workspace: "branch" } } },
		options: { ...given.state.options, mode: "request", agents: 2 },
		stories: [story],
	};
	const [others, own] = [
		{ sha: "a".repeat(40), subject: "of A" },
		{ sha: "b".repeat(40), subject: "of B" },
	];
	const told = async (made: readonly object[]) =>
		promptAdditions({
			...given,
			scope: "B",
			state,
			repository: { ...given.repository, commits: async (from: string) => (from === "feature/both" ? [own] : made) },
		} as unknown as PromptContext);
	assert.equal((await told([others, own]))?.variables["base_commit"], `${"b".repeat(12)}^`);
	assert.equal((await told([own]))?.variables["base_commit"], undefined, "it is where it began");
	const sent = { ...given, state: { ...given.state, root: { ...given.state.root, fields: { verify_feedback: "- no" } } } };
	const none = { ...sent, repository: { ...given.repository, commits: async () => [] } } as unknown as PromptContext;
	assert.match(
		(await promptAdditions(none))?.quoted["sent_back"] ?? "",
		/^The verifier sent this back to you\. Nothing is committed so far\./,
	);
});
