// Questions about a state that several parts ask.
import { findStory } from "./apply.ts";
import type { Condition, Each, StepType } from "./definition.ts";
import { type Attempt, RUN_SCOPE, type RunState, type Scope, type Step, type Time } from "./model.ts";

export const findScope = (state: RunState, id: string): Scope | undefined => (id === RUN_SCOPE ? state.root : findStory(state, id)?.scope);

export const findStep = (state: RunState, scope: string, id: string): Step | undefined => findScope(state, scope)?.steps.find((s) => s.id === id);

/** A step whose type the definition does not have (a journal of a newer pawl) has none. */
export const typeOf = (state: RunState, step: Step): StepType | undefined => state.definition.types[step.type];

export interface Running {
	readonly scope: string;
	readonly step: Step;
	readonly attempt: Attempt;
}

export function runningAttempts(state: RunState): Running[] {
	return allScopes(state).flatMap((scope) => scope.steps.flatMap((step) => step.running.map((attempt) => ({ scope: scope.id, step, attempt }))));
}

/** The scopes that can have work under way: the run's and those of claimed stories. */
export const allScopes = (state: RunState): Scope[] => [state.root, ...state.stories.flatMap((s) => (s.status === "in_progress" ? [s.scope] : []))];

/** The step that opens stories, while it is under way. */
export const eachStep = (state: RunState): Step | undefined => state.root.steps.find((s) => s.status === "in_progress" && typeOf(state, s)?.kind === "each");

export const eachOf = (state: RunState): Each | undefined => {
	const step = eachStep(state);
	return step && typeOf(state, step)?.each;
};

/** The earliest time at which a postponed step may start. */
export function nextWake(state: RunState): Time | null {
	let wake: Time | null = null;
	for (const scope of allScopes(state))
		for (const step of scope.steps)
			if (step.status === "pending" && step.notBefore !== null && (wake === null || step.notBefore < wake)) wake = step.notBefore;
	return wake;
}

export const waitingSteps = (state: RunState): { scope: string; step: Step }[] =>
	allScopes(state).flatMap((scope) => scope.steps.filter((s) => s.status === "waiting").map((step) => ({ scope: scope.id, step })));

/** Time that the run has run, pauses left out. */
export const elapsed = (state: RunState, at: Time): number => Math.max(0, (state.idleSince ?? at) - state.createdAt - state.idleMs);

/** The value of a field as a condition sees it: what the engine knows first, then the scope's, then the run's. */
export function fieldOf(state: RunState, scope: Scope, name: string): string | undefined {
	const story = findStory(state, scope.id);
	switch (name) {
		case "workspace":
			return state.definition.inputs[state.options.mode]?.workspace;
		case "mode":
			return state.options.mode;
		case "agents":
			return String(state.options.agents);
		case "stories":
			return String(state.stories.length);
		case "changed":
			return story ? String(story.changed) : undefined;
		case "expects_change":
			return story ? String(story.expectsChange) : undefined;
		default:
			return own(scope.fields, name) ?? own(state.root.fields, name);
	}
}

const own = (fields: Readonly<Record<string, string>>, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);

export const holds = (state: RunState, scope: Scope, conditions: readonly Condition[]): boolean => conditions.every((c) => holdsOne(fieldOf(state, scope, c.field), c));

function holdsOne(value: string | undefined, condition: Condition): boolean {
	switch (condition.op) {
		case "set":
			return value !== undefined && value !== "";
		case "unset":
			return value === undefined || value === "";
		case "is":
			return value === String(condition.value);
		case "is_not":
			return value !== String(condition.value);
		case "above":
			return Number(value) > Number(condition.value);
		case "below":
			return Number(value) < Number(condition.value);
	}
}
