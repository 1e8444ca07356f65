// Initial values of scopes, stories and steps; resetting a step; replacing the list of stories.
import type { EventOf, NewStep } from "../event.ts";
import type { StorySeed } from "../input.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step, type Story, type Usage } from "../model.ts";

export const NO_USAGE: Usage = { costUsd: null, inputTokens: null, outputTokens: null };

export const emptyScope = (id: string, fields: Readonly<Record<string, string>> = {}): Scope => ({
	id,
	steps: [],
	nextNumber: 1,
	counters: {},
	fields,
	kept: [],
	sessions: {},
});

/** Skips ids that are taken, and the run's own. */
export function newStories(state: RunState, event: EventOf<"stories_added" | "stories_replaced" | "run_adopted">): Story[] {
	const taken = new Set([RUN_SCOPE, ...state.stories.map((s) => s.id)]);
	const seeds = event.stories.filter((s) => !taken.has(s.id) && taken.add(s.id));
	return seeds.map((s) => newStory(s, event.at));
}

function newStory(seed: StorySeed, at: number): Story {
	return {
		id: seed.id,
		title: seed.title,
		description: seed.description,
		criteria: seed.criteria,
		priority: seed.priority,
		dependsOn: seed.dependsOn,
		...(seed.independent ? { independent: true } : {}),
		...(seed.issue === undefined ? {} : { issue: seed.issue }),
		expectsChange: seed.expectsChange ?? true,
		group: seed.group ?? null,
		status: seed.passes ? "completed" : "unclaimed",
		slot: null,
		claimedAt: null,
		completedAt: seed.passes ? at : null,
		error: null,
		changed: false,
		scope: emptyScope(seed.id),
	};
}

export function newStep(step: NewStep): Step {
	return {
		id: step.id,
		type: step.type,
		status: "pending",
		description: step.description,
		startedAt: null,
		completedAt: null,
		commit: null,
		notes: null,
		error: null,
		skipReason: null,
		restarts: 0,
		usage: NO_USAGE,
		log: null,
		attempt: 0,
		running: [],
		verdicts: [],
		lastFindings: [],
		origin: step.origin ?? step.id,
		sender: step.sender ?? null,
		notBefore: null,
		feedback: null,
		postponed: 0,
		iteration: 0,
		cursor: 0,
		queue: [],
	};
}

/** The step as if it had not run, except for what must survive: attempts, restarts, usage. */
export const fresh = (step: Step): Step => ({
	...withoutAsks(step),
	status: "pending",
	startedAt: null,
	completedAt: null,
	commit: null,
	// An attempt that failed did not look at it: what it would have compared with stays.
	...(step.commit === null || step.status === "in_progress" ? {} : { previousCommit: step.commit }),
	notes: null,
	doubts: [],
	error: null,
	skipReason: null,
	log: null,
	running: [],
	verdicts: [],
	notBefore: null,
});

export function withoutAsks(step: Step): Step {
	const { asks: _, ...rest } = step;
	return rest;
}

/** A story that replaces one with the same id continues its step numbers, because step ids are never reused. */
export function replaced(state: RunState, event: EventOf<"stories_replaced">): RunState {
	const kept = event.keep === "completed" ? state.stories.filter((s) => s.status === "completed") : [];
	const fresh = newStories({ ...state, stories: kept }, event);
	if (event.keep === undefined) return { ...state, stories: fresh };
	const gone = state.stories.filter((s) => s.status !== "completed");
	return { ...state, stories: [...kept, ...countingOn(state, fresh)], replaced: [...(state.replaced ?? []), ...gone] };
}

const countingOn = (state: RunState, stories: readonly Story[]): Story[] =>
	stories.map((s) => ({ ...s, scope: { ...s.scope, nextNumber: state.stories.find((old) => old.id === s.id)?.scope.nextNumber ?? 1 } }));

const keptOf = (state: RunState, event: EventOf<"run_adopted">): Scope["kept"] =>
	event.kept === undefined ? state.root.kept : event.kept.map(({ name, text }) => ({ name, text, step: "" }));

/** With what the journal itself knows about a story that the file calls completed or begun. */
function withKnown(state: RunState, story: Story, { known }: EventOf<"run_adopted">): Story {
	const own = state.stories.find((s) => s.id === story.id);
	if (own?.status === "completed" && known?.completed.includes(story.id)) return own;
	const fields = known?.begun[story.id];
	return fields === undefined
		? story
		: { ...story, changed: known?.changed.includes(story.id) ?? false, scope: { ...story.scope, fields } };
}

export function adopted(state: RunState, event: EventOf<"run_adopted">): RunState {
	const stories = countingOn(state, newStories({ ...state, stories: [] }, event)).map((story) => withKnown(state, story, event));
	const steps = state.root.steps.map((step): Step => {
		if (event.done.includes(step.type))
			return step.status === "completed" ? step : { ...fresh(step), status: "completed", completedAt: event.at };
		const detour = state.definition.types[step.type]?.detour ?? false;
		return detour ? { ...fresh(step), status: "skipped", skipReason: event.reason } : { ...fresh(step), feedback: null };
	});
	const budgets = Object.entries(event.budgets).map(([name, { limit, spent }]) => {
		const warned = (state.definition.budgets[name]?.warnAt ?? []).filter((share) => spent >= limit * share);
		return [name, { limit, spent, warned }] as const;
	});
	return {
		...state,
		status: "running",
		reason: null,
		stopping: null,
		aborting: false,
		endedAt: null,
		idleSince: null,
		idleMs: event.at - state.createdAt - event.elapsedMs,
		stories,
		...(event.known === undefined || state.replaced === undefined ? {} : { replaced: state.replaced.slice(0, event.known.replaced) }),
		root: { ...state.root, steps, counters: {}, fields: { ...state.root.fields, ...event.fields }, kept: keptOf(state, event) },
		budgets: { ...state.budgets, ...Object.fromEntries(budgets) },
	};
}
