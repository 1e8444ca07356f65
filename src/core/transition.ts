// The heart: `transition(state, input) → { state, events, effects }`. Pure and total: no clock, no randomness, and it never throws.
// Everything that drives a run (agent, person, crash, clock) goes through here.

import { type Counter, keyOf, keysWhere } from "./counter.ts";
import { addStories } from "./decide/add-stories.ts";
import { chargeUsage, exceeded } from "./decide/budget.ts";
import { cancelAttempt } from "./decide/cancel.ts";
import { Decision } from "./decide/decision.ts";
import { dropEdits } from "./decide/edit-request.ts";
import { extend, wake } from "./decide/extend.ts";
import { finishAttempt, finishHeld } from "./decide/finish.ts";
import { takeMessage } from "./decide/message.ts";
import { answer } from "./decide/question.ts";
import { renewPlan } from "./decide/replace.ts";
import { runAgain, takeRoute } from "./decide/route.ts";
import { NO_CONDITION, schedule } from "./decide/schedule.ts";
import { skipStep } from "./decide/skip.ts";
import { excuseStory, failRun, failStory, isExcusedBy } from "./decide/story.ts";
import { whyAsked } from "./decide/without-report.ts";
import { EMPTY, type StepType } from "./definition.ts";
import type { Effect } from "./effect.ts";
import type { Event } from "./event.ts";
import { apply } from "./fold/apply.ts";
import { NO_USAGE } from "./fold/begin.ts";
import type { Input } from "./input.ts";
import { saidBranch, wantedBranch } from "./mark.ts";
import { takeStack } from "./merge/stack.ts";
import { type FailingCheck, RUN_SCOPE, type RunState, type Step, type Story } from "./model.ts";
import {
	attemptOf,
	failedByAccount,
	failedStep,
	findStep,
	isLastOfLine,
	isOpen,
	isOver,
	nameOfStep,
	own,
	runningAttempts,
	typeOf,
	waitingSteps,
} from "./query.ts";
import { tellRunStarted } from "./remote/told-issues.ts";

export interface Transition {
	readonly state: RunState | null;
	readonly events: readonly Event[];
	readonly effects: readonly Effect[];
}

export function transition(state: RunState | null, input: Input): Transition {
	if (input.type === "create_run") return state === null ? create(input) : { state, events: [], effects: [] };
	if (state === null) return { state, events: [], effects: [] };
	const d = new Decision(state, input.at);
	d.by = "by" in input ? (input.by ?? null) : null;
	d.id = input.type === "retry_story" ? (input.id ?? null) : null;
	take(d, input);
	d.by = null;
	d.id = null;
	schedule(d);
	return { state: d.state, events: d.events, effects: d.effects };
}

function create(input: Extract<Input, { type: "create_run" }>): Transition {
	const { at, id, title, definition, options, fields } = input;
	const first: Event = { at, event: "run_created", id, title, definition, options, input: input.input, fields };
	const made = apply(null, first);
	if (made === null) return { state: null, events: [], effects: [] };
	const d = new Decision(made, at);
	d.emit({ event: "steps_planned", scope: RUN_SCOPE, steps: d.planned(d.state.root, definition.steps) });
	if (input.stories.length > 0) d.emit({ event: "stories_added", stories: input.stories });
	tellRunStarted(d);
	return { state: d.state, events: [first, ...d.events], effects: d.effects };
}

function take(d: Decision, input: Exclude<Input, { type: "create_run" }>): void {
	switch (input.type) {
		case "advance":
			return;
		case "attempt_prepared": {
			const { scope, step, attempt, commit, log, branch, agent, model, effort, tier } = input;
			if (!attemptOf(d.step(scope, step), attempt)) return;
			d.emit({
				event: "step_prepared",
				scope,
				step,
				attempt,
				commit,
				log,
				...(branch === undefined ? {} : { branch }),
				...(agent === undefined ? {} : { agent }),
				...(model === undefined ? {} : { model }),
				...(effort === undefined ? {} : { effort }),
				...(tier === undefined ? {} : { tier }),
			});
			const said = saidBranch(d.state);
			if (branch === undefined || said === null || said === branch) return;
			const text = `BRANCH: \`${said}\` ${whyNot(d.state, branch)}. The work is on \`${branch}\``;
			d.emit({ event: "remarked", scope, step, attempt, text });
			// Said once.
			return d.emit({ event: "fields_set", scope: RUN_SCOPE, fields: { branch } });
		}
		case "remark": {
			const { scope, step, attempt, text } = input;
			if (attemptOf(d.step(scope, step), attempt)) d.emit({ event: "remarked", scope, step, attempt, text });
			return;
		}
		case "merge_stacked":
		case "merge_unstacked":
			return takeStack(d, input);
		case "merge_announced": {
			const { scope, step, attempt, commit } = input;
			if (attemptOf(d.step(scope, step), attempt)) d.emit({ event: "merge_announced", scope, step, attempt, commit });
			else d.emit({ event: "attempt_ignored", scope, step, attempt, reason: "not under way" });
			return;
		}
		case "merges_looked_for":
			if (!d.state.sought) return;
			d.looked = input.missing;
			return d.emit({ event: "merges_looked_for", missing: input.missing });
		case "attempt_ended":
			return finishAttempt(d, input.scope, input.step, input.attempt, input.outcome);
		case "attempt_lost":
			return lost(d, input.scope, input.step, input.attempt);
		case "attempt_cancelled":
			return cancelled(d, input);
		case "stop":
			return stop(d, input.how);
		case "resume":
			return resume(d);
		case "accept_settings":
			return d.emit({ event: "settings_accepted", settings: input.settings });
		case "decide":
			return decide(d, input);
		case "skip_step":
			return skipStep(d, input);
		case "wake":
			return wake(d);
		case "retry_story":
			return retry(d, input.story);
		case "extend":
			return extend(d, input);
		case "message":
			return takeMessage(d, input.inbox, input.id, input.message);
		case "add_stories":
			return addStories(d, input);
		case "renew_plan":
			return renewPlan(d, input.stories, input.fields);
		case "call":
			return call(d, input.step, input.scope, input.reason);
		case "adopt": {
			const { type: _, at: __, ...rest } = input;
			d.emit({ event: "run_adopted", ...rest });
			return;
		}
		case "issue_commented": {
			const { type: _, at: __, ...comment } = input;
			d.emit({ event: "issue_commented", ...comment });
			return;
		}
		case "undo": {
			const known = new Set(d.state.undone?.map(({ commit }) => commit));
			const commits = input.commits.filter(({ commit }) => !known.has(commit));
			if (commits.length > 0) d.emit({ event: "work_undone", scope: input.scope, commits });
			return;
		}
		case "steer":
			d.emit({ event: "run_steered", text: input.text });
			return;
	}
}

/** Why the branch is not called what an agent said. */
function whyNot(state: RunState, branch: string): string {
	const wanted = wantedBranch(state);
	if (wanted === branch) return "is not the name of a branch as it stands";
	if (wanted === null) return "is not used: no branch can have such a name";
	if (branch !== `pawl/${state.id}`) return "is not used: the branch had its name already";
	return wanted === state.options.base
		? "is not used: the work starts from that branch"
		: "is not used: there is such a branch already, or git refuses the name";
}

/** A step that a person asks for goes before the running one, so that it starts next whatever the result of that one. */
function call(d: Decision, name: string, scope: string | null, reason: string): void {
	const type = own(d.state.definition.types, name);
	const story = d.state.stories.find((s) => s.status === "in_progress" && (scope === null || s.id === scope));
	if (!type?.onDemand || !story || isOver(d.state.status)) return;
	const at = story.scope.steps.findIndex((s) => s.status === "in_progress" || s.status === "waiting" || s.status === "pending");
	const after = at < 0 ? story.scope.steps.at(-1) : story.scope.steps[at - 1];
	d.emit({ event: "steps_inserted", scope: story.id, steps: d.newSteps(story.scope, [{ type: name }]), after: after?.id ?? null, reason });
}

/** Actions and commands are safe to repeat. An agent's attempt is over; its route decides what happens next. */
function lost(d: Decision, scope: string, stepId: string, number: number): void {
	const step = d.step(scope, stepId);
	const type = step && typeOf(d.state, step);
	if (!attemptOf(step, number)) return d.emit({ event: "attempt_ignored", scope, step: stepId, attempt: number, reason: "not under way" });
	// Time without an engine does not count as work.
	const missed = d.at - d.state.busy.at;
	if (missed > 0 && d.state.busy.since !== null) d.emit({ event: "engine_missed", ms: missed });
	if (type?.kind === "action" || type?.kind === "command")
		return d.emit({ event: "step_reopened", scope, step: stepId, reason: "orchestrator restart" });
	const error = "orchestrator restart — agent not found";
	// Of a gate all sessions are lost with it; nobody knows what they have cost.
	for (const { number: attempt, role, prepared } of step?.running ?? [])
		if (step && prepared && (attempt === number || type?.kind === "gate"))
			chargeUsage(d, { scope, step, attempt, role }, { usage: NO_USAGE, signal: "lost" });
	if (step) dropEdits(d, scope, step, number, error);
	if (!isOpen(d.state, scope)) return d.emit({ event: "step_cancelled", scope, step: stepId, attempt: number, error });
	takeRoute(d, scope, stepId, number, { signal: "lost", error });
}

function cancelled(
	d: Decision,
	{ scope, step: stepId, attempt: number, reason, usage }: Extract<Input, { type: "attempt_cancelled" }>,
): void {
	const step = d.step(scope, stepId);
	const type = step && typeOf(d.state, step);
	const attempt = attemptOf(step, number);
	if (!type || !step || !attempt)
		return d.emit({ event: "attempt_ignored", scope, step: stepId, attempt: number, reason: "not under way" });
	cancelAttempt(d, { scope, step, type, attempt: number, role: attempt.role }, reason, usage);
}

function stop(d: Decision, how: "pause" | "cancel" | "interrupt"): void {
	if (isOver(d.state.status) || (d.state.stopping === "cancel" && how !== "cancel")) return;
	// The abort steps of a run that cannot be resumed are short, and nobody would do them later.
	if (d.state.aborting && d.state.definition.resume === "never") return;
	if (d.state.stopping !== how) d.emit({ event: "stop_requested", how });
	if (d.state.status !== "running" && how === "cancel") d.end("cancelled", "cancelled by a person");
	// A run that stopped at a limit may still have sessions that were under way then.
	const reason = how === "interrupt" ? "interrupted" : how === "pause" ? "paused by a person" : "cancelled by a person";
	for (const { scope, step, attempt } of runningAttempts(d.state))
		d.effect({ effect: "cancel_attempt", scope, step: step.id, attempt: attempt.number, reason });
}

function resume(d: Decision): void {
	const { status, stopping } = d.state;
	if (status === "failed") return resumeAccount(d);
	if (
		status === "paused" ||
		status === "waiting" ||
		status === "limited" ||
		(status === "stopped" && exceeded(d.state, d.at) === null) ||
		(status === "running" && stopping !== null)
	)
		d.emit({ event: "run_resumed" });
}

/** Continues a run that failed because a person had to log in or pay. */
function resumeAccount(d: Decision): void {
	const { stories, root } = failedByAccount(d.state);
	if (root) return retryRoot(d, root, "resumed by a person");
	if (stories.length > 0) retryStories(d, stories, "resumed by a person");
}

function decide(d: Decision, input: Extract<Input, { type: "decide" }>): void {
	if (isOver(d.state.status)) return;
	const target = waitingSteps(d.state).find(
		(w) =>
			(input.ask === undefined || w.step.question?.version === input.ask) &&
			(input.scope === null || w.scope === input.scope) &&
			(input.step === null || w.step.id === input.step || w.step.type === input.step),
	);
	if (!target) return;
	const { scope, step } = target;
	const { id = null, verdict, reason } = input;
	const asks = step.question?.asks === true;
	// Words are for a step that asked for them.
	if (verdict === "answer" && !asks) return;
	const others = otherFailures(d, scope, step);
	if (input.by !== undefined || id !== null) d.emit({ event: "decided", scope, step: step.id, id, verdict, reason });
	if (d.state.status === "waiting") d.emit({ event: "run_resumed" });
	const type = typeOf(d.state, step);
	const asked = whyAsked(d, scope, step);
	if (asks && (verdict === "answer" || verdict === "approve")) return answer(d, scope, step, verdict === "answer" ? reason : "");
	if (input.verdict === "retry") {
		resetCounters(d, scope, step);
		return runAgain(d, scope, step, because(input.reason || "a person asked for it", asked));
	}
	const signal = input.verdict === "approve" ? "approved" : "rejected";
	if (type?.kind === "approval")
		return takeRoute(d, scope, step.id, step.attempt, {
			signal,
			error: input.verdict === "reject" ? input.reason || "rejected by a person" : null,
		});
	// Escalated to a person: approve takes the result as it is, reject fails it.
	const held = step.question?.held;
	if (input.verdict === "approve" && type && held) return finishHeld(d, scope, step, type, held);
	// The question was about checks that cannot pass; what else failed is still the agent's to mend.
	if (input.verdict === "approve" && others.length > 0)
		return takeRoute(d, scope, step.id, step.attempt, { signal: "checks_failed", checks: others });
	if (input.verdict === "approve") {
		const excused = isExcusedBy(d.state, scope, type);
		const notes = input.reason || "accepted by a person";
		d.emit({ event: "step_completed", scope, step: step.id, attempt: step.attempt, signal, notes });
		return excused ? excuseStory(d, scope, input.reason || asked || notes) : undefined;
	}
	d.emit({ event: "step_failed", scope, step: step.id, attempt: step.attempt, signal, error: input.reason || "rejected by a person" });
	if (scope === RUN_SCOPE) return failRun(d, `${step.type}: ${input.reason || "rejected by a person"}`);
	failStory(d, scope, `${nameOfStep(step)}: ${input.reason || "rejected by a person"}`);
}

/** Checks of this step that failed beside those that the question is about; none if it is not about checks. */
function otherFailures(d: Decision, id: string, { id: stepId, type, failedBy }: Step): readonly FailingCheck[] {
	const failing = (d.scope(id)?.failing ?? []).filter((check) => check.step === `${stepId} (${type})`);
	const others = failing.filter((check) => check.signal === undefined || check.signal !== failedBy);
	return others.length === failing.length ? [] : others;
}

/** Reopens the step that made the run fail, with fresh caps. */
function retryRoot(d: Decision, broken: Step, reason: string): void {
	d.emit({ event: "run_resumed" });
	resetCounters(d, RUN_SCOPE, broken);
	runAgain(d, RUN_SCOPE, broken, because(reason, broken.error));
}

/** The next attempt has to know what went wrong, not only that somebody wants it to run again. */
const because = (reason: string, why: string | null): string => (why ? `${reason}. Before that: ${why}` : reason);

function resetCounters(d: Decision, scope: string, step: Step): void {
	const counted = d.scope(scope);
	const mine = counted ? keysWhere(counted, d.state.definition, (c) => isOfStep(c, step) || isSharedBy(c, typeOf(d.state, step))) : [];
	if (mine.length > 0) d.emit({ event: "counters_reset", scope, counters: mine });
}

/** A counter that routes of the step name: the retries of a story, for example, which its steps have in common. */
function isSharedBy(counter: Counter, type: StepType | undefined): boolean {
	return Object.values(type?.routes ?? {}).some(({ count }) => count === keyOf(counter));
}

function isOfStep(counter: Counter, step: Step): boolean {
	if (counter.kind === "route") return counter.owner === step.type || counter.owner === step.origin;
	return (counter.kind === "entry" || counter.kind === "row" || counter.kind === "visits") && counter.type === step.type;
}

/** Only a person asks for this: a failed story continues from the step that failed. */
function retry(d: Decision, id: string | null): void {
	if (d.state.definition.resume === "never" || d.state.aborting) return;
	const stories = d.state.stories.filter((s) => s.status === "failed" && (id === null || s.id === id));
	const broken = failedStep(d.state);
	if (stories.length === 0) {
		if (id !== null || d.state.status !== "failed") return;
		if (broken) return retryRoot(d, broken, "retried by a person");
		// A person has brought back what was gone: it is looked for again.
		return (d.state.lost ?? []).length > 0 ? d.emit({ event: "run_resumed" }) : undefined;
	}
	retryStories(d, stories, "retried by a person");
}

function retryStories(d: Decision, stories: readonly Story[], reason: string): void {
	if (d.state.status !== "running") d.emit({ event: "run_resumed" });
	for (const story of stories) {
		d.emit({ event: "story_retried", scope: story.id });
		const steps = story.scope.steps.filter((s) => isLastOfLine(story.scope.steps, s));
		const broken = steps.findLast((s) => s.status === "failed" || s.status === "cancelled");
		const changed = story.changed && broken?.failedBy !== EMPTY;
		const isMissed = (s: Step): boolean => story.expectsChange && !changed && typeOf(d.state, s)?.writes !== "none";
		// Only the step that failed runs again. If the story failed as a whole, or all of its work came to nothing, all of its steps do: the condition
		// of a check may hold by then. A skipped step that may write runs as well if nothing was changed, or the story would fail in the same way again.
		const again =
			broken && broken.failedBy !== EMPTY
				? [broken]
				: steps.filter((s) => s.status !== "skipped" || s.skipReason === NO_CONDITION || isMissed(s));
		for (const step of again)
			if (findStep(d.state, story.id, step.id)?.status !== "pending")
				runAgain(d, story.id, step, because(reason, step.error ?? story.error));
	}
}
