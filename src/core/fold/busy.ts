// How long the run has been working: while sessions, checks or actions run, but not while it waits for a person, a usage limit, an agent that has
// to fetch its step, or a new engine. Time budgets count this (G-13).
import type { Event } from "../event.ts";
import type { Busy, RunState, Scope, Step } from "../model.ts";
import { findStep, typeOf } from "../query.ts";

export const NOT_BUSY: Busy = { running: 0, since: null, ms: 0, at: 0 };

/** After an event that changed `before` to `after`. */
export function busyAfter(before: RunState, after: RunState, event: Exclude<Event, { event: "run_created" }>): Busy {
	const { busy } = before;
	// Clocks sometimes go back.
	const at = Math.max(busy.at, event.at);
	if (event.event === "run_adopted") return { running: 0, since: null, ms: event.elapsedMs, at };
	if (event.event === "engine_missed") return { ...busy, since: busy.since === null ? null : busy.since + event.ms, at };
	if (event.event === "stories_replaced") return counted(busy, allAttempts(after), at);
	if (!("step" in event)) return { ...busy, at };
	const change = atWork(after, findStep(after, event.scope, event.step)) - atWork(before, findStep(before, event.scope, event.step));
	return counted(busy, busy.running + change, at);
}

function counted(busy: Busy, running: number, at: number): Busy {
	if (running > 0) return { ...busy, running, since: busy.since ?? at, at };
	return { running: 0, since: null, ms: busy.ms + (busy.since === null ? 0 : Math.max(0, at - busy.since)), at };
}

/** Attempts of a step that somebody works on: a session that has begun, or an action. */
function atWork(state: RunState, step: Step | undefined): number {
	if (!step) return 0;
	const action = typeOf(state, step)?.kind === "action";
	return step.running.filter((attempt) => attempt.role !== "" && (attempt.prepared || action)).length;
}

function allAttempts(state: RunState): number {
	const inScope = (scope: Scope): number => scope.steps.reduce((sum, step) => sum + atWork(state, step), 0);
	return inScope(state.root) + state.stories.reduce((sum, story) => sum + inScope(story.scope), 0);
}
