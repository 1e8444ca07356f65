// What a run would do: its plan and its prompts as they would be at the start. Writes and starts nothing.

import { commitStyleOf } from "../../core/commit-style.ts";
import { parseSchedule } from "../../core/decide/loop-schedule.ts";
import type { RunState, StoryStatus } from "../../core/model.ts";
import type { AgentSpec, StartedWith } from "../../core/started-with.ts";
import { renderTemplate } from "../../core/template.ts";
import { transition } from "../../core/transition.ts";
import type { RunSummary } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { type Estimate, estimateOf, RUNS_TO_LEARN_FROM } from "../look/estimate.ts";
import { openReader } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { runFolder } from "../repository.ts";
import type { AssignedWork } from "./agents.ts";
import { createInput } from "./create-input.ts";
import { DRY_RUN_ID, type PlannedPrompt, plannedPrompts } from "./dry-run-prompts.ts";
import { givingBackTree, type Prepared } from "./prepare.ts";

export interface Plan {
	readonly workflow: string;
	readonly agent: AgentSpec;
	/** Who does which step type. */
	readonly works: readonly AssignedWork[];
	/** The branch that the work starts from. */
	readonly base: string;
	/** The branch that it lands on, if that is another. */
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
	readonly estimate: Estimate;
	/** Of the run's own steps and of the first story's. */
	readonly prompts: readonly PlannedPrompt[];
}

export interface LoopPlan {
	readonly type: string;
	readonly schedule: string;
	/** Iterations that are already done. */
	readonly begun: number;
	readonly max_iterations: number;
	/** The first turns, as long as nothing comes in between. */
	readonly first: readonly string[];
	/** The role that ends the loop by a promise, and its text. */
	readonly promises: string;
	readonly promise: string;
}

/** How many turns of a loop are shown. */
const TURNS = 12;

export function planOf(c: RunsContext, p: Prepared): Promise<Plan> {
	return givingBackTree(p, () => plan(c, p));
}

async function plan(c: RunsContext, p: Prepared): Promise<Plan> {
	const state = firstState(c, p, {
		startCommit: await p.repository.commitOf(p.base),
		commitStyle: commitStyleOf(await p.repository.subjects(p.base)),
	});
	const first = state.stories.find((s) => s.scope.steps.length > 0);
	const steps = [state.root, ...(first ? [first.scope] : [])].flatMap((scope) => scope.steps.map((step) => ({ scope: scope.id, step })));
	const prompts: PlannedPrompt[] = [];
	for (const { scope, step } of steps) prompts.push(...(await plannedPrompts(c, p, { state, scope, step })));
	return {
		workflow: p.definition.name,
		agent: p.agent,
		works: p.works,
		base: p.base,
		baseBranch: state.input["base_branch"] ?? p.base,
		checks: p.checks,
		loops: loopPlans(state),
		estimate: estimateOf(state, await earlierRuns(c, p.repository.root)),
		stories: state.stories.map((s) => ({ id: s.id, title: s.title, depends_on: s.dependsOn, status: s.status })),
		steps: state.root.steps.map((s) => ({ id: s.id, type: s.type, description: state.definition.types[s.type]?.description ?? "" })),
		prompts,
	};
}

async function earlierRuns(c: RunsContext, root: string): Promise<readonly RunSummary[]> {
	const store = await openReader(c, root);
	try {
		return (await store?.runs({ limit: RUNS_TO_LEARN_FROM })) ?? [];
	} finally {
		await store?.close();
	}
}

function firstState(c: RunsContext, p: Prepared, start: Pick<StartedWith, "startCommit" | "commitStyle">): RunState {
	const at = c.now();
	const slots = Array.from({ length: p.options.agents ?? p.config.parallel ?? 1 }, (_, i) => i + 1);
	const { agent, roles, steps, fallback } = p;
	const { checks } = p;
	const sharedDir = runFolder(p.repository.root, DRY_RUN_ID);
	const started = {
		agent,
		roles,
		steps,
		fallback,
		sharedDir,
		root: "",
		checks,
		push: false,
		pr: false,
		target: "",
		within: [],
		unchecked: false,
		ephemeral: false,
		exclude: [],
		pull: false,
		settings: "",
		serialMerges: false,
		requires: [],
		sandbox: null,
		...start,
	};
	const made = transition(null, createInput(p, DRY_RUN_ID, at, slots, started)).state;
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
