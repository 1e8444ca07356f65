// A phased run with the real workflow and its real prompts in a scripted world, for tests of what its agents are told.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { CheckResult } from "../../core/input.ts";
import type { RunOptions } from "../../core/model.ts";
import { storyOf } from "../../core/testing/builders.suite.ts";
import { type Script, World } from "../../core/testing/world.suite.ts";
import { loadDefinition } from "../../definition/load.ts";
import type { PromptContext } from "../../format.ts";
import { frameFor, stepPrompt } from "../../prompt/step-prompt.ts";
import { promptAdditions } from "./prompt.ts";

const loaded = await loadDefinition(fileURLToPath(new URL("../../../workflows/phased", import.meta.url)));
assert.ok(loaded.ok);
export const { definition } = loaded;

export const SHA = { first: "1".repeat(40), saved: "2".repeat(40), second: "3".repeat(40), done: "4".repeat(40) };
export const seed = (id: string, more = {}) =>
	storyOf(id, {
		title: `Job ${id}`,
		description: `Do ${id}.`,
		group: id[0] ?? "",
		criteria: ["File exists `test -f a`", "Notes are written"],
		...more,
	});
export const USUAL: Script = {
	begin: { facts: { start: SHA.first } },
	pre_task: { signal: "pass", changed: false },
	post_task: { signal: "pass", changed: false },
	checkpoint: { facts: { checkpoint: SHA.done, files: "[]" } },
	scan: { signal: "clean" },
};
export const world = (options: Partial<RunOptions> = {}) =>
	new World(definition, {
		stories: [seed("1.1"), seed("2.1")],
		options: { yes: true, mode: "document", ...options },
		fields: {
			supervisor: "true",
			about: "Never touch LICENSE, about-71.",
			phases: JSON.stringify([
				{ label: "1", name: "Base", about: "Mind the base, phase-72." },
				{ label: "2", name: "Roof", about: "Mind the rain, phase-73." },
			]),
		},
	});

/** The prompt of the step that runs. */
export async function promptIn(w: World): Promise<string> {
	const [job] = w.jobs;
	assert.ok(job);
	const state = { ...w.state, input: { task_doc: "/r/tasks/demo.md" } };
	const step = w.step(job.scope, job.step);
	const type = definition.types[job.type];
	const promptText = definition.prompts[type?.prompt ?? ""] ?? "";
	const of = { state, scope: job.scope, step, role: job.role, promptText, writes: type?.writes !== "none" } as unknown as PromptContext;
	const additions = await promptAdditions(of);
	assert.ok(additions);
	return stepPrompt({
		state,
		scope: job.scope,
		step,
		promptText,
		frame: frameFor(definition, type?.prompt ?? ""),
		values: {
			sharedDir: "/r/.pawl/run",
			worktree: "/r",
			branch: "main",
			baseBranch: "main",
			scratchGlobalFile: "/s/g",
			scratchStoryFile: "/s/s",
			editFile: "/s/e",
			scratchGlobal: "",
			scratchStory: "scratch-99",
			lintCommand: "npm run lint",
			testCommand: null,
			feedback: step.feedback ?? "",
			additions,
		},
	});
}

export const conflict = (signal: string, severity: string) => ({
	signal,
	changed: false,
	fields: { ACTION: signal, SEVERITY: severity, CONFLICT_TYPE: "api", RESOLUTION: "rename it, why-74" },
});
export const passed: CheckResult = { name: "file_exists", command: "test -f a", exitCode: 0, output: "" };
export const failed = (output: string): CheckResult => ({ name: "file_exists", command: "test -f a", exitCode: 1, output });
