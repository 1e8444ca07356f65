// How a story and a run end.

import type { StepType } from "../definition.ts";
import { RUN_SCOPE, type RunState, type RunStatus, type Step } from "../model.ts";
import { eachOf, isOver, own } from "../query.ts";
import type { Decision } from "./decision.ts";

export function completeStory(d: Decision, id: string): void {
	const story = d.state.stories.find((s) => s.id === id);
	if (story?.status !== "in_progress") return;
	d.emit({ event: "story_completed", scope: id });
	d.effect({ effect: "release_story", scope: id, slot: story.slot ?? 1, completed: true });
}

export function failStory(d: Decision, id: string, error: string): void {
	const story = d.state.stories.find((s) => s.id === id);
	if (story?.status !== "in_progress") return;
	d.emit({ event: "story_failed", scope: id, error });
	d.effect({ effect: "append_scratch", scope: RUN_SCOPE, at: d.at, text: `story ${id} failed: ${error}` });
	for (const step of story.scope.steps) cancelRunning(d, id, step, error);
	d.effect({ effect: "release_story", scope: id, slot: story.slot ?? 1, completed: false });
	// A run that gives up still has its abort steps to do.
	if (eachOf(d.state)?.onFailure === "fail_run" && !d.state.aborting) failRun(d, `story ${id} failed: ${error}`);
}

/** Whether a person who lets this step pass decides that its story is settled without a change: it had to make one, and there is none. */
export const isExcusedBy = (state: RunState, scope: string, type: StepType | undefined): boolean =>
	type?.expectsChange === true && state.stories.some((story) => story.id === scope && story.expectsChange && !story.changed);

/** Nothing is left to look at or to check in a story that is settled as it is. */
export function excuseStory(d: Decision, id: string, reason: string): void {
	d.emit({ event: "story_excused", scope: id, reason });
	for (const step of d.scope(id)?.steps ?? [])
		if (step.status === "pending" && !own(d.state.definition.types, step.type)?.internal)
			d.emit({ event: "step_skipped", scope: id, step: step.id, reason: `the story is settled without a change: ${reason}` });
}

/** Fails the run: cancels all running attempts. The first reason is kept. */
export function failRun(d: Decision, reason: string, status: "failed" | "refused" = "failed"): void {
	if (isOver(d.state.status)) return;
	for (const scope of [d.state.root, ...d.state.stories.map((s) => s.scope)])
		for (const step of scope.steps) cancelRunning(d, scope.id, step, reason);
	d.end(d.state.aborting ? (d.state.endsAs ?? status) : status, d.state.aborting ? (d.state.gaveUp ?? reason) : reason);
}

/** Replaces all remaining steps by the abort steps. */
export function giveUp(d: Decision, reason: string, ends?: RunStatus): void {
	d.emit({ event: "run_aborting", reason, ...(ends === undefined ? {} : { ends }) });
	for (const story of d.state.stories) if (story.status === "in_progress") failStory(d, story.id, reason);
	for (const other of d.state.root.steps)
		if (other.status === "pending" || other.status === "in_progress")
			d.emit({ event: "step_skipped", scope: RUN_SCOPE, step: other.id, reason: "the run gives up" });
	d.emit({ event: "steps_planned", scope: RUN_SCOPE, steps: d.newSteps(d.state.root, d.state.definition.abort) });
}

/** Stops the run. A run that cannot be resumed gives up instead, because its abort steps would never be done otherwise. */
export function halt(d: Decision, status: RunStatus, reason: string): void {
	const { resume, abort } = d.state.definition;
	if (resume === "never" && abort.length > 0 && !d.state.aborting) giveUp(d, reason, status);
	else d.end(status, reason);
}

export function cancelRunning(d: Decision, scope: string, step: Step, reason: string): void {
	for (const attempt of step.running)
		if (attempt.role !== "") d.effect({ effect: "cancel_attempt", scope, step: step.id, attempt: attempt.number, reason });
}
