// What the terminal view shows: the run, what the person selected, and which step that means. No terminal here.
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../../core/model.ts";
import { findScope, findStep, isOver, waitingSteps } from "../../core/query.ts";
import { shownSteps } from "../../runs/look/run-view.ts";
import type { RunNow } from "../../runs/look/watched-run.ts";

export interface Size {
	readonly columns: number;
	readonly rows: number;
}

/** A page over the whole screen. `top`: the first line shown; null: the end, as it grows. */
export type Page =
	| { readonly kind: "help"; readonly top: number }
	| { readonly kind: "why"; readonly top: number }
	| { readonly kind: "log"; readonly top: number | null }
	| { readonly kind: "diff"; readonly title: string; readonly lines: readonly string[]; readonly top: number }
	| ({ readonly kind: "ask"; readonly top: number } & Question);

/** One question of a step, and which one: a step may ask again later. */
export interface Question {
	readonly scope: string;
	readonly step: string;
	readonly ask: number | undefined;
}

/** Something that the person is asked for in the line above the keys. */
export type Prompt =
	| { readonly kind: "steer"; readonly text: string }
	| { readonly kind: "reject" | "answer"; readonly question: Question; readonly text: string }
	| { readonly kind: "pause" }
	/** Stop the run or, where that is possible, leave it. */
	| { readonly kind: "stop"; readonly canLeave: boolean };

/** What the person chose. */
export interface Ui {
	/** A story, or the run's own steps; null: whatever needs attention. */
	readonly scope: string | null;
	/** null: the step that is under way. */
	readonly step: string | null;
	readonly page: Page | null;
	readonly prompt: Prompt | null;
	/** What the last action led to. */
	readonly note: string | null;
}

export const START: Ui = { scope: null, step: null, page: null, prompt: null, note: null };

export interface Model {
	readonly run: RunNow;
	/** What the selected step printed: lines without control characters. */
	readonly output: readonly string[];
	readonly ui: Ui;
	readonly now: number;
	/** This command started the run, so its end ends the view. `here`: in its own process, so who leaves stops it; `apart`: one can leave it. */
	readonly own: "here" | "apart" | null;
}

/** The rows of the list: stories in their order, then the steps of the run itself if people follow any. */
export function scopesShown(state: RunState): string[] {
	const own = shownSteps(state, state.root).length > 0 || state.stories.length === 0;
	return [...state.stories.map((story) => story.id), ...(own ? [RUN_SCOPE] : [])];
}

/** What a person looks at unless they choose: a question, else what is running, else what failed, else what came last. */
export function selectedScope({ run: { state }, ui }: Model): string {
	const shown = scopesShown(state);
	if (ui.scope !== null && shown.includes(ui.scope)) return ui.scope;
	const story = (status: string) => state.stories.find((s) => s.status === status)?.id;
	const own = state.root.steps.some((step) => step.running.some((attempt) => attempt.role !== ""));
	const [question] = waitingSteps(state);
	const last = state.stories.reduce<{ id: string; at: number } | null>(
		(found, { id, completedAt }) => (completedAt !== null && completedAt >= (found?.at ?? 0) ? { id, at: completedAt } : found),
		null,
	);
	const wanted = question?.scope ?? story("in_progress") ?? (own ? RUN_SCOPE : undefined) ?? story("failed") ?? last?.id;
	return wanted !== undefined && shown.includes(wanted) ? wanted : (shown[0] ?? RUN_SCOPE);
}

/** With the step that is under way even if it is an internal one: a merge is part of the story. */
export function stepsShown(state: RunState, scope: Scope): Step[] {
	const shown = new Set(shownSteps(state, scope));
	return scope.steps.filter(
		(step) =>
			shown.has(step) ||
			(state.definition.types[step.type]?.kind !== "each" && ["in_progress", "waiting", "failed"].includes(step.status)) ||
			(step.postponed > 0 && step.status === "pending"),
	);
}

/** The step that is under way; else the last one that ended; else the first. */
export function currentOf(steps: readonly Step[]): Step | undefined {
	return (
		steps.find((s) => s.status === "in_progress" || s.status === "waiting") ??
		steps.findLast((s) => s.status === "failed" || s.status === "cancelled") ??
		steps.findLast((s) => s.status === "completed") ??
		steps[0]
	);
}

export function selectedStep(model: Model): Step | undefined {
	const { state } = model.run;
	const scope = findScope(state, selectedScope(model));
	if (scope === undefined) return undefined;
	const steps = stepsShown(state, scope);
	return steps.find((step) => step.id === model.ui.step) ?? currentOf(steps);
}

/** The question that `approve` and `reject` answer: of the selected story, else the first. */
export function questionOf(model: Model): Question | undefined {
	const { state } = model.run;
	if (isOver(state.status)) return undefined;
	const all = waitingSteps(state);
	const found = all.find(({ scope }) => scope === selectedScope(model)) ?? all[0];
	return found && { scope: found.scope, step: found.step.id, ask: found.step.question?.version };
}

/** It is still the same question. */
export function isAsked({ run: { state } }: Model, { scope, step, ask }: Question): boolean {
	const found = findStep(state, scope, step);
	return found?.status === "waiting" && found.question?.version === ask;
}

/** It wants words, not a yes or a no. */
export const wantsWords = ({ run: { state } }: Model, { scope, step }: Question): boolean =>
	findStep(state, scope, step)?.question?.asks === true;

export const canPause = ({ run: { state } }: Model): boolean => state.status === "running" && state.stopping === null;

/** Nobody drives it, it is not over, and it needs no answer first. */
export const canResume = ({ run: { state, driven }, own }: Model): boolean =>
	own === null &&
	!driven &&
	state.status !== "completed" &&
	state.status !== "waiting" &&
	state.status !== "cancelled" &&
	state.status !== "refused" &&
	state.definition.resume !== "never";

export const canSteer = ({ run: { state } }: Model): boolean => !isOver(state.status);
