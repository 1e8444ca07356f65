// A run, its stories and its steps as data: for `--json` and for tables. A value that is also in a state file of the run
// has the same name here; times are UTC.
import { countOf } from "../../core/counter.ts";
import type { Event } from "../../core/event.ts";
import { pullRequestUrl } from "../../core/mark.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step, type Story, type Time } from "../../core/model.ts";
import { type Progress, progressOf } from "../../core/overview.ts";
import { elapsed, isOver, triesOf, waitingSteps, workedMs } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { keptDiffs } from "../run-files.ts";
import { targetBranch } from "./delivery.ts";
import { iso, usd } from "./json-values.ts";
import { NOTHING_SPENT, type Spent, spentBy, spentInAll, spentJson } from "./spent.ts";
import { outputOf, retriesOf } from "./story-output.ts";
import { storyTimes } from "./story-times.ts";
import { standingReasons } from "./why.ts";

/** Shows a budget per story, or per step, as the current story has used it. */
function budgetView(state: RunState, name: string, at: Time) {
	const { limit = 0, spent = 0 } = state.budgets[name] ?? {};
	const per = state.definition.budgets[name]?.scope ?? "run";
	if (name === "time") return { limit, spent: workedMs(state, at), per, story: null };
	if (per === "run") return { limit, spent, per, story: null };
	const story = state.stories.find((s) => s.status === "in_progress");
	const used = per === "story" && story ? countOf(story.scope, { kind: "budget", budget: name, step: null }) : 0;
	return { limit, spent: used, per, story: story?.id ?? null };
}

export function stepView(step: Step, at: Time) {
	return {
		id: step.id,
		type: step.type,
		status: step.status,
		description: step.description,
		attempt: step.attempt,
		/** How often it was tried; in a gate each try has an attempt for each member. */
		tries: triesOf(step),
		/** Who did the newest attempt; null if pawl did not start a session for it, or an earlier version did. */
		agent: step.doneBy?.agent ?? null,
		model: step.doneBy?.model ?? null,
		effort: step.doneBy?.effort ?? null,
		/** The tier that was asked for. */
		tier: step.doneBy?.tier ?? null,
		restart_count: step.restarts,
		started_at: iso(step.startedAt),
		completed_at: iso(step.completedAt),
		elapsed_ms: step.startedAt === null ? null : (step.completedAt ?? at) - step.startedAt,
		not_before: iso(step.notBefore),
		cost_usd: usd(step.usage.costUsd),
		input_tokens: step.usage.inputTokens,
		output_tokens: step.usage.outputTokens,
		notes: step.notes,
		error: step.error,
		skip_reason: step.skipReason,
	};
}

/** Without the steps that only the engine sees. */
export const shownSteps = (state: RunState, scope: Scope): Step[] =>
	scope.steps.filter((step) => !state.definition.types[step.type]?.internal && state.definition.types[step.type]?.kind !== "each");

/** The running step; else, in an unfinished story, the next step. */
export const currentStep = (story: Story): Step | undefined =>
	story.status === "in_progress"
		? (story.scope.steps.find((s) => s.status === "in_progress" || s.status === "waiting") ??
			story.scope.steps.find((s) => s.status === "pending"))
		: story.scope.steps.findLast((s) => s.status === "failed" && story.status === "failed");

/** What the journal says about a story as a whole. */
export interface StoryNumbers {
	readonly spent: Spent;
	readonly elapsedMs: number | null;
	readonly retries: number;
}

export function storyView(state: RunState, story: Story, { spent, elapsedMs, retries }: StoryNumbers, at: Time) {
	const current = currentStep(story);
	return {
		id: story.id,
		title: story.title,
		description: story.description,
		acceptance_criteria: story.criteria,
		status: story.status,
		slot: story.slot,
		priority: story.priority,
		depends_on: story.dependsOn,
		claimed_at: iso(story.claimedAt),
		completed_at: iso(story.completedAt),
		elapsed_ms: elapsedMs,
		...spentJson(spent),
		error: story.error,
		/** Why it is settled although nothing was changed for it; null: it is not. */
		excused: story.excused ?? null,
		/** A person took back what it delivered. */
		undone: state.undone?.some(({ scope }) => scope === story.id) ?? false,
		retry_count: retries,
		output: outputOf(state, story),
		current_step: current === undefined ? null : stepView(current, at),
		steps: shownSteps(state, story.scope).map((step) => stepView(step, at)),
	};
}

export type StoryView = ReturnType<typeof storyView>;
export type StepView = ReturnType<typeof stepView>;

export function storyViews(state: RunState, events: readonly Event[], at: Time): StoryView[] {
	const spent = spentBy(events, state, (scope) => scope);
	const times = storyTimes(events, at);
	const retries = retriesOf(events);
	return state.stories.map((story) => {
		const numbers = {
			spent: spent.get(story.id) ?? NOTHING_SPENT,
			elapsedMs: times.get(story.id) ?? null,
			retries: retries.get(story.id) ?? 0,
		};
		return storyView(state, story, numbers, at);
	});
}

export function runView(state: RunState, events: readonly Event[], at: Time) {
	const { sharedDir } = startedWith(state);
	return {
		run: state.id,
		/** The number of events in the journal. */
		version: state.version,
		workflow: state.definition.name,
		title: state.title,
		status: state.status,
		reason: state.reason,
		stopping: state.stopping,
		base: targetBranch(state),
		/** Its address; null: none was opened. */
		pull_request: pullRequestUrl(state),
		agents: state.options.agents,
		created_at: iso(state.createdAt),
		ended_at: isOver(state.status) ? iso(state.endedAt) : null,
		elapsed_ms: elapsed(state, at),
		...spentJson(spentInAll(events, state)),
		budgets: Object.fromEntries(Object.keys(state.budgets).map((name) => [name, budgetView(state, name, at)])),
		// Nobody can answer a run that is over.
		waiting: (isOver(state.status) ? [] : waitingSteps(state)).map(({ scope, step }) => ({
			story: scope === RUN_SCOPE ? null : scope,
			step: step.id,
			type: step.type,
			reason: waitingReason(events, scope, step.id) ?? step.description,
		})),
		reasons: standingReasons(events, state),
		...loopView(state),
		...progressView(state, at),
		steps: shownSteps(state, state.root).map((step) => stepView(step, at)),
		stories: storyViews(state, events, at),
		files: sharedDir,
		diffs: keptDiffs(sharedDir),
	};
}

/** How much of the stories is done, and how long the rest takes at this pace. */
export function progressView(state: RunState, at: Time) {
	const progress = progressJson(progressOf(state, at));
	return progress === null ? {} : { progress };
}

export function progressJson(progress: Progress | null) {
	if (progress === null) return null;
	const { percent, storiesCompleted, storiesTotal, phases, etaMs } = progress;
	return {
		percent,
		stories_completed: storiesCompleted,
		stories_total: storiesTotal,
		...(phases === null ? {} : { phases_completed: phases.completed, phases_total: phases.total }),
		eta_ms: etaMs,
	};
}

/** The state of the run's loop, if it has one. */
export function loopView(state: RunState) {
	const step = state.root.steps.find((s) => state.definition.types[s.type]?.kind === "loop");
	if (!step) return {};
	const { max_iterations: max, stories_passed: passed, stories_total: total, story } = state.root.fields;
	const [now] = step.running.filter((a) => a.role !== "");
	return {
		loop: {
			/** The current iteration, or the last one. */
			iteration: step.iteration + (now ? 1 : 0),
			max_iterations: max === undefined ? null : Number(max),
			role: now?.role ?? null,
			since: iso(now?.startedAt ?? null),
			held: state.held ?? null,
			queue: step.queue,
			stories_passed: passed === undefined ? null : Number(passed),
			stories_total: total === undefined ? null : Number(total),
			story: story === undefined || story === "" ? null : story,
		},
	};
}

export type RunView = ReturnType<typeof runView>;

/** What the step asks, from the journal. */
export const waitingReason = (events: readonly Event[], scope: string, step: string): string | null =>
	events.reduce<string | null>((found, e) => (e.event === "step_waiting" && e.scope === scope && e.step === step ? e.reason : found), null);
