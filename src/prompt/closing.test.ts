// The end of every prompt, whatever its prompt file says.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState } from "../core/model.ts";
import { dynamic } from "../core/testing/builders.suite.ts";
import { World } from "../core/testing/world.suite.ts";
import { closing } from "./closing.ts";

const { roles } = dynamic();
const MAY_COMMIT = { ...dynamic(), roles: { ...roles, agent: { ...roles["agent"]!, can: ["commit"] as const } } };

const last = (
	w: World,
	type: string,
	{ shell = {}, ...more }: { template?: string; role?: string; shell?: RunState["options"]["shell"] } = {},
) =>
	closing({
		state: { ...w.state, definition: MAY_COMMIT, options: { ...w.state.options, shell } },
		scope: w.scope("A"),
		step: w.find("A", type),
		role: "agent",
		template: "",
		...more,
	});

const at = (type: string) => new World(dynamic(), { stories: ["A"] }).until(type);

test("G-10 a step that writes is told to commit what belongs to the work and to remove the rest; one that only reads is not", () => {
	assert.match(last(at("coding"), "coding"), /Commit what belongs to the work and remove the rest/);
	assert.doesNotMatch(last(at("coding"), "coding", { role: "nobody" }), /Commit what/);
	assert.equal(last(at("planning"), "planning"), "");
	// A prompt file that has this section itself is not contradicted.
	assert.equal(last(at("coding"), "coding", { template: "Judge.\n\n## Before you end\n\nYou have nothing to commit." }), "");
});

test("T-15 who commits is told the style of the repository's commits, and that a prescribed subject comes first", () => {
	const commitStyle = { form: "conventional", capital: false, period: false, example: "fix: accept tabs" };
	const w = at("coding");
	const text = last(w, "coding", { shell: { commitStyle } });
	assert.match(text, /Conventional Commits.*`fix: accept tabs`\. A subject that your task prescribes/);
	assert.doesNotMatch(last(w, "coding"), /Commit subjects/);
});

test("G-10 what an earlier step left is named, unless the prompt shows the notes", () => {
	const w = at("planning");
	w.end("planning", { notes: "The plan.\n- pawl: core.1 (2.1 MB): left uncommitted, and put aside" });
	assert.match(last(w, "architecture"), /left uncommitted[\s\S]*core\.1 \(2\.1 MB\)/);
	assert.doesNotMatch(last(w, "architecture"), /The plan/);
	assert.equal(last(w, "architecture", { template: "{{notes}}" }), "");
});

test("G-02 who can change nothing reads which checks were red before the run, not what they printed", () => {
	const red = (type: string): string => {
		const w = at(type);
		const input = { ...w.state.input, baseline: "lint: `npm run lint` exited 1\nsrc/a.ts: a long story" };
		return closing({ state: { ...w.state, input }, scope: w.scope("A"), step: w.find("A", type), role: "agent", template: "" });
	};
	assert.match(red("coding"), /npm run lint` exited 1\nsrc\/a\.ts: a long story/);
	assert.match(red("planning"), /npm run lint` exited 1\n<\/checks>/);
});

test("G-02 T-12 a check that was red before the run and has passed since then is no longer named", () => {
	const w = at("coding");
	const baseline = "lint: `npm run lint` exited 1\nsrc/a.ts: a long story\ntest: `npm test` did not end\n1 failed";
	const red = (...passed: readonly string[]): string => {
		const checked = passed.map((name) => ({ name, command: name === "lint" ? "npm run lint" : "npm test", exitCode: 0 }));
		const state = { ...w.state, input: { ...w.state.input, baseline } };
		return closing({ state, scope: { ...w.scope("A"), checked }, step: w.find("A", "coding"), role: "agent", template: "" });
	};
	assert.match(red(), /lint` exited 1\nsrc\/a\.ts: a long story\ntest: `npm test` did not end\n1 failed/);
	assert.match(red("lint"), /<checks>\ntest: `npm test` did not end\n1 failed\n<\/checks>/);
	assert.match(red("test"), /<checks>\nlint: `npm run lint` exited 1\nsrc\/a\.ts: a long story\n<\/checks>/);
	assert.doesNotMatch(red("lint", "test"), /failed before this run/);
});
