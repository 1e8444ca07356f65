// Starts what can start: the first pending step of every idle scope, and stories by dependency and priority; ends scopes that have
// nothing left. Called at the end of every transition.

import { type Counter, countOf, keyOf } from "../counter.ts";
import type { StepType } from "../definition.ts";
import { RUN_SCOPE, type Scope, type Step, type Story } from "../model.ts";
import {
	eachOf,
	eachStep,
	findScope,
	holds,
	isOver,
	nextStepOf,
	nextWake,
	openLoop,
	runningAttempts,
	sideBySide,
	storySlots,
	typeOf,
	waitingSteps,
} from "../query.ts";
import { tellStoryStarted } from "../remote/told-issues.ts";
import { reopenAfter } from "./add-stories.ts";
import { attemptBudget, heldUp } from "./budget.ts";
import type { Decision } from "./decision.ts";
import { firstMembers } from "./gate.ts";
import { type Called, startIteration } from "./loop.ts";
import { finishRun } from "./merges.ts";
import { nextStory } from "./next-story.ts";
import { takeRoute } from "./route.ts";
import { completeStory, failRun, failStory, halt } from "./story.ts";

export function schedule(d: Decision): void {
	const aborting = d.state.aborting;
	if (d.state.stopping === "cancel" || isOver(d.state.status)) completeMerged(d);
	look(d);
	// The run gave up meanwhile: its abort steps come next.
	if (!aborting && d.state.aborting) look(d);
}

function look(d: Decision): void {
	if (d.state.status !== "running") return;
	const aborting = d.state.aborting;
	if (d.state.stopping === null) {
		advanceScope(d, RUN_SCOPE);
		// Another `each` may follow one that ends.
		for (let turn = 0, last = ""; turn < 100 && isRunning(d); turn++) {
			const each = eachStep(d.state);
			if (!each || last === `${each.id} ${each.attempt}`) break;
			last = `${each.id} ${each.attempt}`;
			scheduleStories(d);
		}
	}
	if (isRunning(d) && d.state.aborting === aborting) settle(d);
}

/** Checked after every step, because each may have ended the run. */
const isRunning = (d: Decision): boolean => d.state.status === "running";

/** Decides what the run is when nothing runs and nothing can start. */
function settle(d: Decision): void {
	if (runningAttempts(d.state).length > 0) return;
	const stopping = d.state.stopping;
	if (stopping !== null)
		return halt(
			d,
			stopping === "cancel" ? "cancelled" : "paused",
			stopping === "interrupt" ? "interrupted" : stopping === "pause" ? "paused by a person" : "cancelled by a person",
		);
	if (d.state.sought) return;
	const wake = nextWake(d.state);
	const { maxWaitMs } = d.state.options;
	if (wake !== null && maxWaitMs !== null && wake - d.at > maxWaitMs)
		return halt(d, "limited", `everything waits for another ${Math.ceil((wake - d.at) / 1000)} s, longer than it may`);
	if (wake !== null) return;
	// A message lets it continue.
	if (typeof d.state.held === "string" && openLoop(d.state) !== undefined) return;
	const waiting = waitingSteps(d.state).map(
		({ scope, step }) => `${scope === RUN_SCOPE ? "" : `${scope} `}${step.id} (${step.type}) waits for a person`,
	);
	const over = heldUp(d.state)?.text;
	if (waiting.length > 0) return d.end("waiting", [...waiting, ...(over === undefined ? [] : [over])].join("; "));
	if (over !== undefined) return halt(d, "stopped", over);
	// Only a faulty definition leads here. Failing is better than hanging unnoticed.
	d.end("failed", "nothing is left that could go on");
}

/** Why a step was skipped whose condition did not hold: it is looked at again when its story is. */
export const NO_CONDITION = "its condition does not hold";

const isIdle = ({ steps }: Scope): boolean => !steps.some(({ status }) => status === "in_progress" || status === "waiting");

function advanceScope(d: Decision, id: string): void {
	// Each turn starts, skips or ends something; the limit stops a faulty definition from looping forever.
	for (let turn = 0; turn < 10_000; turn++) {
		const scope = d.scope(id);
		if (!scope || !isRunning(d)) return;
		const step = nextStepOf(d.state, scope);
		if (!step) return isIdle(scope) ? finishScope(d, scope) : undefined;
		// A signal that was asked for does not wait until the next iteration may start.
		const asked = step.status === "in_progress" && step.asked;
		if (step.notBefore !== null && step.notBefore > d.at && !asked) return;
		const type = typeOf(d.state, step);
		if (!type) return d.end("failed", `the workflow has no step type ${step.type}`);
		if (!holds(d.state, scope, type.when)) {
			d.emit({ event: "step_skipped", scope: id, step: step.id, reason: NO_CONDITION });
			continue;
		}
		if (!startStep(d, scope, step, type)) return;
	}
	d.end("failed", "the workflow turns without starting anything");
}

/** False: nothing more can start in this scope now. */
function startStep(d: Decision, scope: Scope, step: Step, type: StepType): boolean {
	const attempt = step.attempt + 1;
	switch (type.kind) {
		case "each":
			d.emit({ event: "step_started", scope: scope.id, step: step.id, attempt, role: "" });
			break;
		case "approval":
			if (d.state.options.yes) {
				d.emit({ event: "step_started", scope: scope.id, step: step.id, attempt, role: "person" });
				takeRoute(d, scope.id, step.id, attempt, { signal: "approved" });
				return true;
			}
			d.wait(scope.id, step.id, step.feedback === null ? type.description : `${type.description}: ${step.feedback}`);
			break;
		case "gate": {
			const roles = firstMembers(step, type);
			if (!attemptBudget(d, roles.length)) return false;
			for (const [i, role] of roles.entries()) startAttempt(d, scope.id, step.id, attempt + i, role);
			break;
		}
		case "loop":
			return startIteration(d, scope.id, step.id, (n, role, how) => attemptBudget(d) && startAttempt(d, scope.id, step.id, n, role, how));
		default:
			if (type.kind === "agent" && !attemptBudget(d, 1, { scope, step })) return false;
			startAttempt(
				d,
				scope.id,
				step.id,
				attempt,
				type.role ?? type.action ?? type.command ?? step.type,
				type.kind === "action" ? { announces: true } : {},
			);
	}
	return false;
}

function startAttempt(
	d: Decision,
	scope: string,
	step: string,
	attempt: number,
	role: string,
	how: Called & { announces?: true } = {},
): void {
	d.emit({ event: "step_started", scope, step, attempt, role, ...how });
	d.effect({ effect: "start_attempt", scope, step, attempt, role });
}

/** Checks that decide about the delivery and that failed when they ran last. Nothing goes around them: not a repair that a person skipped, not
 * one that ended without leading back. */
const unproved = (d: Decision, { steps, failing = [] }: Scope): Step | undefined =>
	steps.find(
		(step) =>
			step.status === "completed" &&
			typeOf(d.state, step)?.proves &&
			(step.unproved || failing.some((check) => check.step === `${step.id} (${step.type})`)),
	);

/** A workflow may lead past its checks whatever they say: then they do not run for ever. */
const MOST_PROOFS = 3;

function proveAgain(d: Decision, scope: Scope, { id, type, origin }: Step): void {
	const reason = "its checks failed, and have not passed since";
	const counter: Counter = { kind: "route", owner: origin, name: "unproved" };
	if (countOf(scope, counter) >= MOST_PROOFS) {
		const error = `${id} (${type}): ${reason}`;
		return scope.id === RUN_SCOPE ? failRun(d, error) : failStory(d, scope.id, error);
	}
	d.emit({ event: "counted", scope: scope.id, counter: keyOf(counter) });
	d.emit({ event: "step_reopened", scope: scope.id, step: id, reason });
	advanceScope(d, scope.id);
}

function finishScope(d: Decision, scope: Scope): void {
	const red = d.state.aborting ? undefined : unproved(d, scope);
	if (red !== undefined) return proveAgain(d, scope, red);
	if (scope.id === RUN_SCOPE) {
		if (d.state.aborting) return d.end(d.state.endsAs ?? "failed", d.state.gaveUp ?? d.state.reason);
		return finishRun(d, "completed", null);
	}
	const story = d.state.stories.find((s) => s.id === scope.id);
	if (story?.status !== "in_progress") return;
	if (story.expectsChange && !story.changed && (eachOf(d.state)?.expectsChange ?? false))
		return failStory(d, story.id, "nothing was changed: a story that leaves no change does not pass");
	completeStory(d, story.id);
}

/** A run that is at its end starts nothing more. But a story that was merged meanwhile, and had nothing else to do, is done: nobody takes that back. */
function completeMerged(d: Decision): void {
	for (const { status, scope } of d.state.stories) {
		const merged = scope.steps.some((step) => step.status === "completed" && (step.announced ?? []).length > 0);
		if (status === "in_progress" && merged && !nextStepOf(d.state, scope) && isIdle(scope)) finishScope(d, scope);
	}
}

function scheduleStories(d: Decision): void {
	for (const story of d.state.stories) if (story.status === "in_progress") advanceScope(d, story.id);
	if (!isRunning(d)) return;
	// Evaluated again after every claim: a story can end at once, which frees its slot and blocks or unblocks others.
	for (;;) {
		blockAndUnblock(d);
		const [slot] = freeSlots(d);
		const story = slot === undefined ? undefined : nextStory(d.state);
		if (slot === undefined || !story || !isRunning(d)) break;
		claim(d, story, slot);
	}
	finishEach(d);
}

function claim(d: Decision, story: Story, slot: number): void {
	d.emit({ event: "story_claimed", scope: story.id, slot });
	tellStoryStarted(d, story);
	const scope = findScope(d.state, story.id);
	const each = eachOf(d.state);
	if (scope && scope.steps.length === 0 && each) d.emit({ event: "steps_planned", scope: story.id, steps: d.planned(scope, each.steps) });
	advanceScope(d, story.id);
}

function blockAndUnblock(d: Decision): void {
	const status = new Map(d.state.stories.map((s) => [s.id, s.status]));
	for (let changed = true; changed; ) {
		changed = false;
		for (const story of d.state.stories) {
			const now = status.get(story.id);
			const by = story.dependsOn.find((id) => status.get(id) === "failed" || status.get(id) === "blocked");
			if (now === "unclaimed" && by !== undefined) {
				d.emit({ event: "story_blocked", scope: story.id, by });
				status.set(story.id, "blocked");
				changed = true;
			} else if (now === "blocked" && story.dependsOn.every((id) => status.get(id) === "completed")) {
				d.emit({ event: "story_unblocked", scope: story.id });
				status.set(story.id, "unclaimed");
			}
		}
	}
}

function freeSlots(d: Decision): number[] {
	const each = eachOf(d.state);
	const all = each && each.concurrency > 0 ? each.concurrency : d.state.options.agents;
	const width = each?.onlyDeclared && !sideBySide(d.state) ? 1 : all;
	const taken = new Set(d.state.stories.flatMap((s) => (s.status === "in_progress" && s.slot !== null ? [s.slot] : [])));
	return storySlots(d.state)
		.slice(0, width)
		.filter((slot) => !taken.has(slot));
}

/** The `each` step ends when no story can continue; a failed story leaves the run failed, with the step open for a retry. */
function finishEach(d: Decision): void {
	const step = eachStep(d.state);
	if (!step || !isRunning(d)) return;
	if (d.state.stories.some((s) => s.status === "in_progress")) return;
	const never = d.state.stories.filter((s) => s.status === "unclaimed").map((s) => s.id);
	if (never.length > 0) return d.end("failed", `${never.join(", ")} can never start: what they need does not exist, or needs them`);
	if (d.state.stories.length === 0 && (eachOf(d.state)?.atLeast ?? 1) > 0) return d.end("failed", "there is no story to work on");
	const bad = d.state.stories.filter((s) => s.status !== "completed");
	if (bad.length > 0) {
		const failed = bad.filter((s) => s.status === "failed").map((s) => s.id);
		const blocked = bad.filter((s) => s.status === "blocked").map((s) => s.id);
		return finishRun(d, "failed", `failed: ${failed.join(", ") || "none"}${blocked.length > 0 ? `; blocked: ${blocked.join(", ")}` : ""}`);
	}
	takeRoute(d, RUN_SCOPE, step.id, step.attempt, { signal: "done" });
	reopenAfter(d, step.id);
	advanceScope(d, RUN_SCOPE);
}
