// What a run would do: its plan and its prompts as they would be at the start. Nothing is written or started.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSchedule } from "../../core/decide/loop.ts";
import { RUN_SCOPE, type RunState, type Step, type StoryStatus } from "../../core/model.ts";
import type { AgentSpec } from "../../core/started-with.ts";
import { renderTemplate } from "../../core/template.ts";
import { transition } from "../../core/transition.ts";
import { frameFor, stepPrompt } from "../../prompt/step-prompt.ts";
import { detectChecks } from "../../toolchain/checks.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { runFolder } from "../repository.ts";
import { createInput } from "./create-input.ts";
import { givingBackTree, type Prepared } from "./prepare.ts";

export interface Plan {
	readonly workflow: string;
	readonly agent: AgentSpec;
	/** The branch that the work starts from. */
	readonly base: string;
	/** The branch that it comes back to, where that is another. */
	readonly baseBranch: string;
	readonly checks: Readonly<Record<string, string>>;
	readonly loops: readonly LoopPlan[];
	readonly stories: readonly {
		readonly id: string;
		readonly title: string;
		readonly depends_on: readonly string[];
		readonly status: StoryStatus;
	}[];
	/** The run's own. */
	readonly steps: readonly { readonly id: string; readonly type: string; readonly description: string }[];
	/** Of the run's own steps and of the first story's. */
	readonly prompts: readonly PlannedPrompt[];
}

export interface LoopPlan {
	readonly type: string;
	readonly schedule: string;
	/** Iterations that were done before. */
	readonly begun: number;
	readonly max_iterations: number;
	/** Whose turn it is at first, as long as nothing comes in between. */
	readonly first: readonly string[];
	/** The role that ends the loop by a promise, and its text. */
	readonly promises: string;
	readonly promise: string;
}

export interface PlannedPrompt {
	/** Its id, or `run`. */
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly prompt: string;
}

const ID = "RUN";
/** How many turns of a loop are shown. */
const TURNS = 12;

export function planOf(c: RunsContext, p: Prepared): Promise<Plan> {
	return givingBackTree(p, () => plan(c, p));
}

function plan(c: RunsContext, p: Prepared): Plan {
	const state = firstState(c, p);
	const first = state.stories.find((s) => s.scope.steps.length > 0);
	const steps = [state.root, ...(first ? [first.scope] : [])].flatMap((scope) => scope.steps.map((step) => ({ scope: scope.id, step })));
	return {
		workflow: p.definition.name,
		agent: p.agent,
		base: p.base,
		baseBranch: state.input["base_branch"] ?? p.base,
		checks: p.checks,
		loops: loopPlans(state),
		stories: state.stories.map((s) => ({ id: s.id, title: s.title, depends_on: s.dependsOn, status: s.status })),
		steps: state.root.steps.map((s) => ({ id: s.id, type: s.type, description: state.definition.types[s.type]?.description ?? "" })),
		prompts: steps.flatMap(({ scope, step }) => promptsOf(p, state, scope, step)),
	};
}

function firstState(c: RunsContext, p: Prepared): RunState {
	const at = c.now();
	const slots = Array.from({ length: p.options.agents ?? p.config.parallel ?? 1 }, (_, i) => i + 1);
	const { agent, roles, fallback } = p;
	const { checks } = p;
	const sharedDir = runFolder(p.repository.root, ID);
	const started = {
		agent,
		roles,
		fallback,
		sharedDir,
		checks,
		startCommit: "",
		push: false,
		within: [],
		unchecked: false,
		ephemeral: false,
		exclude: [],
		pull: false,
	};
	const made = transition(null, createInput(p, ID, at, slots, started)).state;
	const state = made && transition(made, { type: "advance", at }).state;
	if (!state) throw new Refusal("internal", "the run could not be planned");
	return state;
}

function loopPlans(state: RunState): LoopPlan[] {
	return Object.entries(state.definition.types).flatMap(([type, { loop }]) => {
		if (loop === undefined) return [];
		const fill = (text: string): string => renderTemplate(text, { ...state.root.fields });
		const schedule = fill(loop.schedule);
		const turns = parseSchedule(schedule, Object.keys(loop.roles)) ?? [];
		const [begun = 0, cursor = 0] = [loop.start?.iteration, loop.start?.cursor].map((text) => Number(fill(text ?? "0")));
		const max = Number(fill(loop.max));
		const left = Math.max(0, Math.min(TURNS, Number.isFinite(max) ? max - begun : TURNS));
		const first = turns.length === 0 ? [] : Array.from({ length: left }, (_, i) => turns[(cursor + i) % turns.length] ?? "");
		const [who, role] = Object.entries(state.definition.roles).find(([, { report }]) => report.promise !== undefined) ?? [];
		return [{ type, schedule, begun, max_iterations: max, first, promises: who ?? "", promise: fill(role?.report.promise ?? "") }];
	});
}

function promptsOf(p: Prepared, state: RunState, scope: string, step: Step): PlannedPrompt[] {
	const type = state.definition.types[step.type];
	const story = scope === RUN_SCOPE ? "run" : scope;
	const values = valuesFor(p, state, story);
	const render = (prompt: string, role?: string, more?: Readonly<Record<string, string>>): string =>
		stepPrompt({
			state,
			scope,
			step,
			promptText: state.definition.prompts[prompt] ?? "",
			frame: frameFor(state.definition, prompt),
			...(role === undefined ? {} : { role }),
			values: { ...values, ...(more ? { more } : {}) },
		});
	const shown = (name: string, prompt: string): PlannedPrompt => ({ story, step: step.id, type: name, prompt });
	if (type?.kind === "loop")
		return Object.entries(type.loop?.roles ?? {}).map(([letter, r]) =>
			shown(
				`${step.type} ${letter} ${r.role}`,
				r.raw === undefined ? render(r.prompt ?? "", r.role, r.fields) : rawPrompt(state.input, r.raw),
			),
		);
	if (type?.kind === "gate")
		return (type.members ?? []).map((m) => shown(`${step.type} ${m.role}`, render(m.prompt ?? type.prompt ?? "", m.role)));
	return type?.kind === "agent" && type.prompt !== undefined ? [shown(step.type, render(type.prompt))] : [];
}

function valuesFor(p: Prepared, state: RunState, story: string) {
	const { root } = p.repository;
	const sharedDir = runFolder(root, ID);
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
