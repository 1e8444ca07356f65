// A run of a pipeline as rows of the tables `steps` and `stories`, in the words of their document: a step is `waiting` until the
// pipeline reaches it, `pending` until somebody has begun with it, then `running`, `done` or `failed`. Written with every commit,
// so that SQL queries always agree with the journal.
import { countOf } from "../../core/counter.ts";
import type { RunState, Scope, Step, Story } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Row, Rows } from "../../store.ts";
import { type PipelineStep, pipelineOf } from "./pipeline.ts";

export interface StepRow {
	readonly id: string;
	readonly step_id: string;
	readonly agent_id: string;
	readonly step_index: number;
	readonly input_template: string;
	readonly expects: string;
	readonly status: RowStatus;
	readonly output: string | null;
	readonly retry_count: number;
	readonly max_retries: number;
	readonly type: "single" | "loop";
	readonly loop_config: string | null;
	readonly current_story_id: string | null;
}

export interface StoryRow {
	readonly id: string;
	readonly story_index: number;
	readonly story_id: string;
	readonly title: string;
	readonly description: string;
	readonly acceptance_criteria: string;
	readonly status: Exclude<RowStatus, "waiting">;
	readonly output: string | null;
	readonly retry_count: number;
	readonly max_retries: number;
}

export type RowStatus = "waiting" | "pending" | "running" | "done" | "failed";

export interface RunRows {
	readonly steps: readonly StepRow[];
	readonly stories: readonly StoryRow[];
	/** Ids of stories that are no longer there. */
	readonly gone: readonly string[];
}

export const stepRowId = (run: string, step: string): string => `${run}:${step}`;
export const storyRowId = (run: string, story: string): string => `${run}:${story}`;

/** The rows that a commit changes; null if the run has none. */
export function changedRows(before: RunState | null, after: RunState): RunRows | null {
	if (pipelineOf(after.definition) === null) return null;
	const [was, is] = [before ? rowsOf(before) : NONE, rowsOf(after)];
	const differs = <R extends { readonly id: string }>(old: readonly R[]) => {
		const known = new Map(old.map((row) => [row.id, JSON.stringify(row)]));
		return (row: R): boolean => known.get(row.id) !== JSON.stringify(row);
	};
	const left = new Set(is.stories.map((row) => row.id));
	return {
		steps: is.steps.filter(differs(was.steps)),
		stories: is.stories.filter(differs(was.stories)),
		gone: was.stories.map((row) => row.id).filter((id) => !left.has(id)),
	};
}

/** As the store takes them. */
export function storeRows(before: RunState | null, after: RunState): Rows | null {
	const changed = changedRows(before, after);
	if (changed === null) return null;
	return {
		steps: changed.steps.map((row): Row => ({ ...row })),
		stories: changed.stories.map((row): Row => ({ ...row })),
		gone: changed.gone,
	};
}

const NONE: Omit<RunRows, "gone"> = { steps: [], stories: [] };

export function rowsOf(state: RunState): Omit<RunRows, "gone"> {
	const steps = pipelineOf(state.definition)?.steps ?? [];
	const loop = steps.find((s) => s.loop);
	return {
		steps: steps.map((step, at) => stepRow(state, step, at)),
		stories: loop ? state.stories.map((story, at) => storyRow(state, loop, story, at)) : [],
	};
}

function stepRow(state: RunState, step: PipelineStep, at: number): StepRow {
	const single = step.root === step.id ? lastOf(state.root, step.id) : undefined;
	const current = step.loop ? state.stories.find((s) => storyStatus(step, s) === "running") : undefined;
	return {
		id: stepRowId(state.id, step.id),
		step_id: step.id,
		agent_id: step.agent,
		step_index: at,
		input_template: state.definition.prompts[step.input] ?? "",
		expects: step.expects,
		status: step.loop ? loopStatus(state, step) : single ? statusOf(state, single) : verifyStatus(state, step),
		output: single?.notes ?? null,
		retry_count: countOf(state.root, { kind: "route", owner: step.id, name: "failures" }),
		max_retries: step.maxRetries,
		type: step.type,
		loop_config: step.loop === null ? null : JSON.stringify(step.loop),
		current_story_id: current ? storyRowId(state.id, current.id) : null,
	};
}

/** The newest one: an interrupted step is followed by a copy of itself. */
const lastOf = (scope: Scope, type: string): Step | undefined => scope.steps.findLast((s) => s.type === type);

/** Under way, and an agent works on it: its workspace is ready. */
const isBegun = (step: Step): boolean => step.running.length > 0 && step.log !== null;

function statusOf(state: RunState, step: Step): RowStatus {
	switch (step.status) {
		case "completed":
		case "skipped":
			return "done";
		case "failed":
			return "failed";
		case "in_progress":
			return isBegun(step) ? "running" : "pending";
		case "pending":
			return isNext(state, step) ? "pending" : "waiting";
		default:
			return step.status === "cancelled" ? "failed" : "waiting";
	}
}

const isNext = (state: RunState, step: Step): boolean =>
	!isOver(state.status) &&
	!state.root.steps.some((s) => s.status === "in_progress" || s.status === "waiting") &&
	state.root.steps.find((s) => s.status === "pending")?.id === step.id;

function loopStatus(state: RunState, loop: PipelineStep): RowStatus {
	const each = lastOf(state.root, loop.root ?? "");
	if (each?.status !== "in_progress") return each ? statusOf(state, each) : "waiting";
	if (state.stories.some((s) => s.status === "failed")) return "failed";
	const busy = state.stories.filter((s) => s.status === "in_progress");
	if (busy.some((s) => lastOf(s.scope, loop.id)?.status === "waiting")) return "waiting";
	// While a story is being verified the step still has it, and no other story can be taken.
	return busy.some((s) => ["running", "done"].includes(storyStatus(loop, s))) ? "running" : "pending";
}

/** A step that every story has: it waits for its turn, and is done when the stories are. */
function verifyStatus(state: RunState, verify: PipelineStep): RowStatus {
	const loop = pipelineOf(state.definition)?.steps.find((s) => s.loop?.verifyEach && s.loop.verifyStep === verify.id);
	const each = loop && lastOf(state.root, loop.root ?? "");
	if (each?.status === "completed") return "done";
	const now = state.stories.flatMap((s) => (s.status === "in_progress" ? [lastOf(s.scope, verify.id)] : []));
	if (now.some((s) => s?.status === "in_progress" && isBegun(s))) return "running";
	return now.some((s) => s?.status === "in_progress") ? "pending" : "waiting";
}

function storyRow(state: RunState, loop: PipelineStep, story: Story, at: number): StoryRow {
	return {
		id: storyRowId(state.id, story.id),
		story_index: at,
		story_id: story.id,
		title: story.title,
		description: story.description,
		acceptance_criteria: JSON.stringify(story.criteria),
		status: storyStatus(loop, story),
		output: lastOf(story.scope, loop.id)?.notes ?? null,
		retry_count: countOf(story.scope, { kind: "route", owner: loop.id, name: "retries" }),
		max_retries: loop.maxRetries,
	};
}

/** Developed is `done`, also while it is being verified; sent back is `pending`. */
export function storyStatus(loop: PipelineStep, story: Story): StoryRow["status"] {
	if (story.status === "completed") return "done";
	if (story.status === "failed") return "failed";
	const step = story.status === "in_progress" ? lastOf(story.scope, loop.id) : undefined;
	if (step?.status === "completed") return "done";
	return step && isBegun(step) ? "running" : "pending";
}
