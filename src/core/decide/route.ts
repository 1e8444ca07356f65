// Routes: `(step, signal) → action`, and what the action does to the steps of the scope.

import { failedIn } from "../check/accepted.ts";
import { failedChecks } from "../check/failure-text.ts";
import { type Counter, keysWhere } from "../counter.ts";
import { isFailure, type PlannedStep, type Route, routeOf, type StepType } from "../definition.ts";
import { findingText } from "../finding.ts";
import type { CheckResult } from "../input.ts";
import { type Earlier, type Finding, RUN_SCOPE, type Scope, type Step, type Time } from "../model.ts";
import { isLastOfLine, nameOfStep, own, typeOf } from "../query.ts";
import { renderTemplate } from "../template.ts";
import { spentOf } from "./budget.ts";
import type { Decision } from "./decision.ts";
import { endIteration } from "./iteration.ts";
import { reportToMend, rollBack } from "./missing-report.ts";
import { askForWords } from "./question.ts";
import { capOf, choose, endRows } from "./route-caps.ts";
import { completeStory, failRun, failStory, giveUp } from "./story.ts";
import { questionOf } from "./without-report.ts";
import { hasWorked, wordsOf } from "./words.ts";

/** What the end of a step brings to its route. */
export interface Result {
	readonly signal: string;
	readonly error?: string | null;
	readonly notes?: string | null;
	readonly fields?: Readonly<Record<string, string>>;
	readonly findings?: readonly Finding[];
	readonly earlier?: readonly Earlier[];
	readonly checks?: readonly CheckResult[];
	readonly retryAt?: Time | null;
	/** Gate: in the next round the members run one after the other. */
	readonly apart?: boolean;
	/** The attempt changed files. */
	readonly changed?: boolean;
	/** What the report says is wrong, if the signal alone says only that something is. */
	readonly words?: string | null;
}

const BACKOFF_MS = 15_000;
const LONGEST_BACKOFF_MS = 15 * 60_000;

/** Doubles each time in a row, for servers that do not say when to come back. */
const backoff = (step: Step): number => Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(step.postponed, 10));

/** Signals that leave a step cancelled rather than failed: it was ended from outside. */
const CANCELS = new Set(["timeout", "stalled"]);
const FAILS = new Set([
	"agent_error",
	"permission",
	"auth",
	"out_of_credit",
	"context_too_long",
	"boundary_violation",
	"unreadable",
	"lost",
	"workspace_error",
]);

export function takeRoute(d: Decision, scopeId: string, stepId: string, attempt: number, given: Result): void {
	const step = d.step(scopeId, stepId);
	const type = step && typeOf(d.state, step);
	if (!step || !type) return;
	const checks = failedIn(d.scope(scopeId), given.checks ?? []);
	const result = { ...given, checks, words: wordsOf(d.state.definition, step, type, given) };
	const asked = routeOf(type, result.signal);
	if (!asked) {
		endStep(d, scopeId, stepId, attempt, result);
		return failRun(
			d,
			`${type.name} ended in ${result.signal}, for which the workflow has no route${result.error ? ` (${result.error})` : ""}`,
		);
	}
	endRows(d, scopeId, step, capOf(scopeId, step, result.signal, asked).counter);
	const route = choose(d, scopeId, step, result, asked);
	d.emit({
		event: "route_taken",
		scope: scopeId,
		step: stepId,
		signal: result.signal,
		action: route.target === undefined ? route.action : `${route.action} ${route.target}`,
		...(route.action === "next" || because(result) === result.signal ? {} : { reason: because(result) }),
	});
	keep(d, scopeId, step, result, route);
	if (route.rollback !== undefined) rollBack(d, scopeId, step, attempt, route.rollback);
	act(d, scopeId, step, attempt, spentUp(d, scopeId, step, asked, route, result), route);
}

/** Adds to the error that the budget is used up, if that is why the step fails. */
function spentUp(d: Decision, scopeId: string, step: Step, { spend = "" }: Route, taken: Route, result: Result): Result {
	const scope = d.scope(scopeId);
	const budget = own(d.state.budgets, spend);
	if (!budget || !scope || taken.action !== "fail" || result.error) return result;
	if (spentOf(d.state, spend, scope, step) < budget.limit) return result;
	return { ...result, error: `${because(result)}, and the budget of ${budget.limit} ${spend.replaceAll("_", " ")} is used up` };
}

function keep(d: Decision, scope: string, step: Step, result: Result, route: Route): void {
	if (route.set) {
		const changed = result.changed === undefined ? "" : result.changed ? "yes" : "no";
		const values = { error: because(result), notes: result.notes ?? "", ...result.fields, changed };
		d.emit({
			event: "fields_set",
			scope,
			fields: Object.fromEntries(Object.entries(route.set).map(([name, text]) => [name, renderTemplate(text, values)])),
		});
	}
	if (route.record !== undefined) {
		const texts = (result.findings ?? []).map(findingText);
		for (const text of texts.length > 0 ? texts : result.error ? [result.error] : [])
			d.emit({ event: "kept", scope, step: step.id, name: route.record, text });
	}
}

function act(d: Decision, scopeId: string, step: Step, attempt: number, result: Result, route: Route): void {
	switch (route.action) {
		case "next":
			return endStep(d, scopeId, step.id, attempt, result);
		case "skip":
			return d.emit({ event: "step_skipped", scope: scopeId, step: step.id, reason: result.error ?? result.signal });
		case "retry":
			if (typeOf(d.state, step)?.kind === "loop") {
				const failed = isFailure(result.signal) || result.signal === "checks_failed";
				return endIteration(d, scopeId, step.id, attempt, result.signal, failed ? because(result) : undefined);
			}
			return d.emit({
				event: "step_reopened",
				scope: scopeId,
				step: step.id,
				reason: because(result),
				...(result.apart ? { apart: true } : {}),
				...reportToMend(typeOf(d.state, step), result),
				...(route.rollback !== undefined && result.changed ? { putBack: true } : {}),
				...(isIdle(typeOf(d.state, step), result) ? { unchanged: true } : {}),
			});
		case "reopen":
			return d.emit({ event: "step_reopened", scope: scopeId, step: step.id, reason: because(result) });
		case "goto":
			return goTo(d, scopeId, step, attempt, result, route);
		case "insert":
			return insert(d, scopeId, step, attempt, result, route);
		case "complete":
			endStep(d, scopeId, step.id, attempt, result);
			for (const other of d.scope(scopeId)?.steps ?? [])
				if (other.status === "pending" && !isKept(typeOf(d.state, other)))
					d.emit({ event: "step_skipped", scope: scopeId, step: other.id, reason: `${step.type} completed the work` });
			// The story is completed once what proves it has passed.
			return d.scope(scopeId)?.steps.some(({ status }) => status === "pending") ? undefined : completeStory(d, scopeId);
		case "fail": {
			const error = because(result);
			endStep(d, scopeId, step.id, attempt, result, true);
			failStory(d, scopeId, `${nameOfStep(step)}: ${error}`);
			return route.target === "run" || scopeId === RUN_SCOPE ? failRun(d, `${step.type}: ${error}`) : undefined;
		}
		case "wait":
			if (route.target === "time") {
				const until = Math.max(d.at + 1, result.retryAt ?? d.at + backoff(step));
				return d.emit({ event: "step_postponed", scope: scopeId, step: step.id, attempt, until, reason: because(result) });
			}
			if (route.target === "answer") return askForWords(d, scopeId, step, result.signal, because(result));
			return d.wait(scopeId, step.id, questionOf(d, scopeId, step, result.signal, because(result)), { signal: result.signal });
		case "stop":
			d.emit({ event: "step_reopened", scope: scopeId, step: step.id, reason: because(result) });
			return d.end("stopped", because(result));
		case "refuse":
			endStep(d, scopeId, step.id, attempt, result, true);
			return failRun(d, because(result), "refused");
		case "abort":
			return abort(d, scopeId, step, attempt, result);
	}
}

function abort(d: Decision, scopeId: string, step: Step, attempt: number, result: Result): void {
	// The words of a report explain its signal; the signal says what it decided.
	const worded = !result.error && failedChecks(result) === null && result.words;
	const reason = `${step.type}: ${worded ? `${result.signal}: ` : ""}${because(result)}`;
	endStep(d, scopeId, step.id, attempt, result, true);
	if (d.state.aborting || d.state.definition.abort.length === 0) return failRun(d, reason);
	giveUp(d, reason);
}

/** Ends the step as completed, failed or cancelled, depending on the signal; `failed` forces a failure. */
function endStep(d: Decision, scope: string, step: string, attempt: number, result: Result, failed = false): void {
	const { signal } = result;
	if (CANCELS.has(signal)) d.emit({ event: "step_cancelled", scope, step, attempt, error: because(result) });
	else if (failed || FAILS.has(signal)) d.emit({ event: "step_failed", scope, step, attempt, signal, error: because(result) });
	else {
		const type = own(d.state.definition.types, d.step(scope, step)?.type ?? "");
		const idle = isIdle(type, result) ? { unchanged: true as const } : {};
		d.emit({ event: "step_completed", scope, step, attempt, signal, notes: result.notes ?? null, ...idle });
	}
}

/** It could change files and changed none. */
const isIdle = (type: StepType | undefined, { changed }: Result): boolean =>
	type?.kind === "agent" && type.writes !== "none" && changed === false;

/** Why, in words about the work: the error, else the checks that failed, else what the report says is wrong. */
const because = (result: Result): string => result.error ?? failedChecks(result) ?? result.words ?? result.signal;

function insert(d: Decision, scopeId: string, step: Step, attempt: number, result: Result, route: Route): void {
	const reopened = route.reopen ?? [];
	if (!reopened.includes(step.type)) endStep(d, scopeId, step.id, attempt, result);
	const scope = d.scope(scopeId);
	if (!scope) return;
	const why = because(result);
	const planned: PlannedStep[] = (route.steps ?? []).map((s) =>
		s.type === "same" ? { type: step.type, description: step.description } : describe(d, s, result),
	);
	const copies = (route.steps ?? []).every((s) => s.type === "same");
	const before = route.before === undefined ? -1 : scope.steps.findLastIndex((s) => s.type === route.before);
	const at = before === -1 ? scope.steps.findIndex((s) => s.id === step.id) : before - 1;
	d.emit({
		event: "steps_inserted",
		scope: scopeId,
		steps: d.newSteps(scope, planned, copies ? copyOf(step) : {}),
		after: scope.steps[at]?.id ?? null,
		reason: why,
	});
	for (const other of d.scope(scopeId)?.steps ?? [])
		if (reopened.includes(other.type) && (other.status === "completed" || other.id === step.id))
			d.emit({ event: "step_reopened", scope: scopeId, step: other.id, reason: why });
}

/** A copy keeps the origin of its step and, for a detour, the sender. */
export const copyOf = (step: Step): { origin: string; sender?: string } => ({
	origin: step.origin,
	...(step.sender === null ? {} : { sender: step.sender }),
});

/** Adds the reason to the description of an inserted step. */
function describe(d: Decision, planned: PlannedStep, result: Result): PlannedStep {
	const base = planned.description ?? d.state.definition.types[planned.type]?.description ?? planned.type;
	return { type: planned.type, description: `${base} (after: ${because(result)})` };
}

/** Backwards: reopens the target and everything between. Forwards: skips everything between. A detour is inserted first. */
function goTo(d: Decision, scopeId: string, step: Step, attempt: number, result: Result, route: Route): void {
	endStep(d, scopeId, step.id, attempt, result);
	const scope = d.scope(scopeId);
	if (!scope) return;
	const sender = route.target === "back" ? scope.steps.find((s) => s.id === step.sender) : undefined;
	const wanted = route.target === "back" ? sender?.type : route.target;
	const type = own(d.state.definition.types, wanted ?? "");
	if (type?.detour) {
		// Every visit of a detour is a new step right after its sender, so that the list shows what really happened. If we go back to a
		// detour, the new step leads back to the sender of the old one.
		const from = sender?.sender ?? step.id;
		d.emit({
			event: "steps_inserted",
			scope: scopeId,
			steps: d.newSteps(scope, [{ type: type.name }], { sender: from }),
			after: step.id,
			// That a step is done says nothing about why there is another one.
			reason: because(result) === "done" ? "" : because(result),
		});
		return;
	}
	const from = scope.steps.findIndex((s) => s.id === step.id);
	const to = sender ? scope.steps.indexOf(sender) : scope.steps.findLastIndex((s) => s.type === wanted);
	const target = scope.steps[to];
	if (!target) return failRun(d, `${step.type}: there is no step ${String(wanted)} to go to`);
	const why = reasonAt(d, step, result);
	if (to > from) {
		for (const between of scope.steps.slice(from + 1, to))
			if (between.status === "pending" && !isKept(typeOf(d.state, between)))
				d.emit({ event: "step_skipped", scope: scopeId, step: between.id, reason: why });
		if (target.status !== "pending") d.emit({ event: "step_reopened", scope: scopeId, step: target.id, reason: why });
		return;
	}
	reopenFrom(d, scope, to, from, route.fresh ?? false, why);
}

/** No route goes around it. */
const isKept = (type: StepType | undefined): boolean => type?.proves === true || type?.asked === true;

/** That a step is done says nothing about the work: what pawl did by itself is told by its notes, of others it is said that they worked. */
function reasonAt(d: Decision, step: Step, result: Result): string {
	const reason = because(result);
	const notes = result.notes?.trim() ?? "";
	if (reason === result.signal && notes !== "" && typeOf(d.state, step)?.internal) return notes;
	if (reason !== "done") return `${step.type}: ${reason}`;
	return isIdle(typeOf(d.state, step), result) ? `${step.type} says that it is done, and changed nothing` : hasWorked(step.type);
}

/** A person lets a step continue that failed or waits. If its signal sends the work back, it goes back once more, although the cap of that
 * route is used up; otherwise the step itself runs again. */
export function runAgain(d: Decision, scopeId: string, step: Step, reason: string): void {
	const scope = d.scope(scopeId);
	const type = typeOf(d.state, step);
	const route = own(type?.routes ?? {}, step.failedBy ?? "");
	// What pawl finds out by itself is found out again: a person may have mended what was in the way.
	const judged = type?.kind === "agent" || type?.kind === "gate";
	const target = judged && route?.action === "goto" ? route.target : undefined;
	if (route && own(d.state.definition.types, target ?? "")?.detour) {
		goTo(d, scopeId, step, step.attempt, { signal: step.failedBy ?? "", error: null }, route);
		// What the person said reaches whoever works on it, as it would reach a step that runs again.
		const detour = d.scope(scopeId)?.steps.find((one) => one.type === target && one.status === "pending");
		if (detour) d.emit({ event: "step_reopened", scope: scopeId, step: detour.id, reason, retried: true });
		return;
	}
	const from = scope?.steps.findIndex((s) => s.id === step.id) ?? -1;
	const to = scope?.steps.findLastIndex((s, at) => at < from && s.type === target) ?? -1;
	if (!scope || to === -1) return d.emit({ event: "step_reopened", scope: scopeId, step: step.id, reason, retried: true });
	reopenFrom(d, scope, to, from, false, `${step.type}: ${step.error ?? reason}`);
}

/** Reopens the steps from target to sender and resets the caps per entry of those between. Target and sender keep theirs, or the cycle
 * between them would never reach its cap; for a detour, the sender is the step that the whole detour started from. A `fresh` goto resets
 * all of them, including those of the detours on the way. */
function reopenFrom(d: Decision, scope: Scope, to: number, from: number, fresh: boolean, why: string): void {
	const cycle = new Set([scope.steps[to]?.id, ...senders(scope, scope.steps[from])]);
	const way = scope.steps.slice(to, from + 1);
	// Detours come after their senders, so some may come after the last step of the way.
	const behind = fresh ? scope.steps.slice(from + 1).filter((s) => way.some((w) => senders(scope, s).has(w.id))) : [];
	for (const step of [...way, ...behind]) {
		const detour = typeOf(d.state, step)?.detour ?? false;
		const entry = fresh || (!detour && !cycle.has(step.id));
		if (!detour && !behind.includes(step) && step.status !== "pending" && isLastOfLine(scope.steps, step))
			d.emit({ event: "step_reopened", scope: scope.id, step: step.id, reason: why, ...(entry ? { entry } : {}) });
		const now = entry ? d.scope(scope.id) : undefined;
		const counters = now ? keysWhere(now, d.state.definition, (c) => isOfEntry(c, step.type)) : [];
		if (counters.length > 0) d.emit({ event: "counters_reset", scope: scope.id, counters });
	}
}

const isOfEntry = (counter: Counter, type: string): boolean =>
	(counter.kind === "entry" || (counter.kind === "visits" && counter.per === "entry")) && counter.type === type;

/** The ids of a step, of its sender, of the sender's sender, and so on. */
function senders(scope: Scope, step: Step | undefined): Set<string> {
	const found = new Set<string>();
	for (let at = step; at && !found.has(at.id); at = scope.steps.find((s) => s.id === at?.sender)) found.add(at.id);
	return found;
}
