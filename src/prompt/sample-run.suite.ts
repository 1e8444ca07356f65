// For tests of prompts: a run of `dynamic` that is at a step of a given type, with the real prompt files.
import { readFileSync } from "node:fs";
import type { Definition, StepType } from "../core/definition.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step, type StepStatus } from "../core/model.ts";
import { frameFor, type PromptValues, stepPrompt } from "./step-prompt.ts";

export const PLAN = [
	"context_gathering",
	"planning",
	"architecture",
	"test_architecture",
	"coding",
	"linting",
	"initial_testing",
	"review",
	"prune_tests",
	"final_review",
];
export const TYPES = [...PLAN, "rebase_resolve"];
export const EDITING = ["planning", "architecture", "test_architecture", "coding", "initial_testing", "review", "final_review"];
export const text = (name: string): string => readFileSync(new URL(`../../workflows/dynamic/prompts/${name}.md`, import.meta.url), "utf8");
export const FRAME = text("frame");

export const type = (name: string, more: Partial<StepType> = {}): StepType => ({
	name,
	kind: "agent",
	description: name,
	role: "agent",
	prompt: `prompts/${name}.md`,
	timeoutMs: 600_000,
	writes: PLAN.indexOf(name) >= 0 && PLAN.indexOf(name) < 4 ? "none" : "any",
	edits: EDITING.includes(name),
	mandatory: name === "linting" || name === "final_review",
	last: name === "final_review",
	byEngine: name === "rebase_resolve",
	internal: false,
	detour: false,
	checks: [],
	when: [],
	routes: {},
	session: "fresh",
	...more,
});
export const definition: Definition = {
	name: "dynamic",
	title: "",
	description: "",
	hash: "",
	resume: "yes",
	inputs: {},
	roles: {
		agent: { name: "agent", description: "", report: { notes: "summary", keys: [], signals: [] }, can: [], frame: "prompts/frame.md" },
	},
	types: Object.fromEntries(
		[...TYPES.map((name) => type(name)), type("merge", { kind: "action", internal: true }), type("stories", { kind: "each" })].map(
			(one) => [one.name, one],
		),
	),
	steps: [],
	abort: [],
	budgets: {},
	limits: { steps: 30, restarts: 3 },
	prompts: Object.fromEntries([...TYPES, "frame"].map((name) => [`prompts/${name}.md`, text(name)])),
	projections: [],
};
const step = (n: number, name: string, status: StepStatus, more: Partial<Step> = {}): Step => ({
	id: `step-${String(n).padStart(3, "0")}`,
	type: name,
	status,
	description: `do ${name}, task-${n}`,
	startedAt: null,
	completedAt: null,
	commit: null,
	notes: status === "completed" ? `notes-of-${n}` : null,
	error: null,
	skipReason: null,
	restarts: 0,
	usage: { costUsd: null, inputTokens: null, outputTokens: null },
	log: null,
	attempt: 0,
	running: [],
	verdicts: [],
	lastFindings: [],
	origin: `step-${n}`,
	sender: null,
	notBefore: null,
	feedback: null,
	postponed: 0,
	iteration: 0,
	cursor: 0,
	queue: [],
	...more,
});
const scopeOf = (id: string, steps: readonly Step[], fields = {}): Scope => ({
	id,
	steps,
	nextNumber: steps.length + 1,
	counters: {},
	fields,
	kept: [],
	sessions: {},
});

/** A run that is at the step of this type; the steps before it are completed. */
export function at(
	name: string,
	story: { description?: string; criteria?: string[]; title?: string; fields?: Record<string, string> } = {},
): { state: RunState; step: Step } {
	const plan = name === "rebase_resolve" ? [...PLAN.slice(0, 9), name, "final_review"] : PLAN;
	const now = plan.indexOf(name);
	const steps = plan.map((one, i) =>
		step(i + 1, one, i < now ? "completed" : i === now ? "in_progress" : "pending", i === now ? { attempt: 1 } : {}),
	);
	const scope = scopeOf("US-001", [...steps, step(plan.length + 1, "merge", "pending")], story.fields);
	const state = {
		id: "run-1",
		definition,
		options: {
			mode: "prd",
			agents: 1,
			slots: [1],
			base: "main",
			yes: false,
			maxWaitMs: null,
			timeouts: { coding: 1_800_000 },
			budgets: {},
			shell: {},
		},
		title: "The run",
		input: { request: "the request" },
		root: scopeOf(RUN_SCOPE, []),
		stories: [
			{
				id: "US-001",
				title: story.title ?? "The title",
				description: story.description ?? "The description",
				criteria: story.criteria ?? ["crit-one", "crit-two"],
				scope,
			},
		],
	} as unknown as RunState;
	return { state, step: steps[now] as Step };
}
export const values: PromptValues = {
	sharedDir: "/shared",
	worktree: "/tree",
	branch: "ralph/US-001",
	baseBranch: "main",
	scratchGlobalFile: "/shared/scratch.md",
	scratchStoryFile: "/shared/scratch_US-001.md",
	editFile: "/shared/workflow_edits/US-001.json",
	scratchGlobal: "global-marker",
	scratchStory: "story-marker",
	lintCommand: "uv run pre-commit run -a",
	testCommand: "./bin/run_agent_tests.sh <test_path>",
};
export const prompt = (name: string, more: Partial<PromptValues> = {}, story: Parameters<typeof at>[1] = {}): string =>
	stepPrompt({
		...at(name, story),
		scope: "US-001",
		promptText: text(name),
		frame: frameFor(definition, `prompts/${name}.md`),
		values: { ...values, ...more },
	});
