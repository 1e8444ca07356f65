// The prompts of a run that is only planned, as its agents would get them at the start: with what formats add, and without writing anything.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { NO_ADDITIONS } from "../../prompt/additions.ts";
import { frameFor, type PromptValues, stepPrompt } from "../../prompt/step-prompt.ts";
import { detectChecks } from "../../toolchain/checks.ts";
import type { RunsContext } from "../context.ts";
import { runFolder } from "../repository.ts";
import type { Prepared } from "./prepare.ts";

/** Stands for the id that a run would get. */
export const DRY_RUN_ID = "RUN";

export interface PlannedPrompt {
	/** Its id, or `run`. */
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly prompt: string;
}

interface PlannedStep {
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
}

/** Whose prompt: its role and what the prompt's file is called. */
interface Part {
	readonly role: string;
	readonly prompt: string;
	readonly fields?: Readonly<Record<string, string>>;
}

export async function plannedPrompts(c: RunsContext, p: Prepared, planned: PlannedStep): Promise<PlannedPrompt[]> {
	const { state, scope, step } = planned;
	const type = state.definition.types[step.type];
	const found: PlannedPrompt[] = [];
	const show = (name: string, prompt: string): number =>
		found.push({ story: scope === RUN_SCOPE ? "run" : scope, step: step.id, type: name, prompt });
	if (type?.kind === "loop")
		for (const [letter, { role, raw, prompt = "", fields = {} }] of Object.entries(type.loop?.roles ?? {})) {
			const name = `${step.type} ${letter} ${role}`;
			show(name, raw === undefined ? await render(c, p, planned, { role, prompt, fields }) : rawPrompt(state.input, raw));
		}
	if (type?.kind === "gate")
		for (const { role, prompt = type.prompt ?? "" } of type.members ?? []) {
			const name = `${step.type} ${role}`;
			show(name, await render(c, p, planned, { role, prompt }));
		}
	if (type?.kind === "agent" && type.prompt !== undefined)
		show(step.type, await render(c, p, planned, { role: type.role ?? "", prompt: type.prompt }));
	return found;
}

async function render(c: RunsContext, p: Prepared, { state, scope, step }: PlannedStep, { role, prompt, fields }: Part): Promise<string> {
	const promptText = state.definition.prompts[prompt] ?? "";
	const { repository } = p;
	const values = valuesFor(p, state, scope === RUN_SCOPE ? "run" : scope);
	const additions = await c.services.promptAdditions({
		state,
		scope,
		step,
		role,
		promptText,
		writes: state.definition.types[step.type]?.writes !== "none",
		repository,
		workspace: { branch: values.branch },
		dry: true,
	});
	return stepPrompt({
		state,
		scope,
		step,
		promptText,
		frame: frameFor(state.definition, prompt),
		role,
		values: { ...values, additions: additions ?? NO_ADDITIONS, ...(fields ? { more: fields } : {}) },
	});
}

function valuesFor(p: Prepared, state: RunState, story: string): PromptValues {
	const { root } = p.repository;
	const sharedDir = runFolder(root, DRY_RUN_ID);
	const detected = detectChecks(root);
	return {
		sharedDir,
		worktree: p.definition.inputs[p.mode]?.workspace === "tree" ? p.repository.tree().path : root,
		branch: p.base,
		baseBranch: state.input["base_branch"] ?? p.base,
		scratchGlobalFile: join(sharedDir, "scratch.md"),
		scratchStoryFile: join(sharedDir, `scratch_${story}.md`),
		editFile: join(sharedDir, "workflow_edits", `${story}.json`),
		scratchGlobal: "",
		scratchStory: "",
		lintCommand: p.config.checks["lint"] ?? detected.lint ?? null,
		testCommand: p.config.checks["test"] ?? detected.test ?? null,
	};
}

/** A prompt that the agent gets word for word. */
function rawPrompt(input: Readonly<Record<string, string>>, name: string): string {
	const file = input[`${name}_file`];
	return file === undefined ? (input[name] ?? "") : readFileSync(file, "utf8");
}
