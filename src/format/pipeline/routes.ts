// The routes of a pipeline's steps. Only bad work costs a retry; usage limits and crashes do not. What a failed attempt wrote is put back
// before the next one.
import type { Route } from "../../core/definition.ts";
import type { RawStep } from "./shape.ts";

const FAILED = [
	"agent_error",
	"timeout",
	"stalled",
	"context_too_long",
	"permission",
	"boundary_violation",
	"unreadable",
	"workspace_error",
] as const;
const LOST = 3;
/** Practically no cap; it only makes the route count. */
const COUNTED = 1_000_000;

/** Why a step runs again, for its next prompt; no key of a report can have this name. */
export const reasonField = (step: string): string => `${step}.reason`;

const give = (step: RawStep): Route => (step.onFail.escalate ? { action: "wait", target: "person" } : { action: "fail", target: "run" });

/** What the last failed attempt wrote is put back too, unless a person is asked, who may accept it as it is. */
const giveUp = (step: RawStep): Route => (step.onFail.escalate ? give(step) : { ...give(step), rollback: "failures" });

/** Work that crosses a boundary cannot be accepted by anyone. */
const undone = (route: Route): Route => ({
	...route,
	...(route.exhausted ? { exhausted: { ...route.exhausted, rollback: "failures" } } : {}),
});

const kept = ({ rollback: _, ...route }: Route): Route => route;

type Routes = Record<string, Route>;

/** What every step of an agent has: the ways to fail, and the ways to stop for a while. */
function common(step: RawStep, failed: Route): Routes {
	return {
		...Object.fromEntries(FAILED.map((signal) => [signal, failed])),
		boundary_violation: undone(failed),
		// The work was done and is still there: only its report is wanting.
		unreadable: kept(failed),
		// Waits grow if no end is known: these caps amount to hours of an unavailable server.
		rate_limited: { action: "wait", target: "time", rollback: "failures", max: 100, per: "step", exhausted: give(step) },
		overloaded: { action: "wait", target: "time", rollback: "failures", max: 20, per: "step", exhausted: give(step) },
		auth: { action: "fail", target: "run" },
		out_of_credit: { action: "fail", target: "run" },
		lost: { action: "retry", max: LOST, per: "step", rollback: "failures", exhausted: giveUp(step) },
	};
}

const done = (step: string, more: Readonly<Record<string, string>> = {}): Route => ({
	action: "next",
	set: { [reasonField(step)]: "", ...more },
});

function again(step: RawStep, type: string): Route {
	return {
		action: "retry",
		set: { [reasonField(type)]: "{{error}}" },
		rollback: "failures",
		max: step.maxRetries,
		per: "step",
		count: `${type}:failures`,
		exhausted: giveUp(step),
	};
}

/** Why the step ran again the last time (a person may have let it pass since) is not why it runs now. */
const freshReason = (step: string): Record<string, string> => ({ [reasonField(step)]: "" });

const toldBy = (fields: readonly string[]): Record<string, string> =>
	Object.fromEntries(fields.map((field) => [field, "{{FEEDBACK_TEXT}}"]));

/** A step outside of loops. `back`: where its `STATUS: retry` leads, if anywhere. */
export function singleRoutes(step: RawStep, back: { readonly type: string; readonly tell: readonly string[] } | null): Routes {
	const failed = again(step, step.id);
	const set = { ...(back === null ? {} : freshReason(back.type)), ...toldBy(back?.tell ?? []), [reasonField(step.id)]: "" };
	const max = step.onFail.maxRetries ?? step.maxRetries;
	const retry: Route =
		back === null ? failed : { action: "goto", target: back.type, set, max, per: "run", exhausted: { ...give(step), set } };
	// What it sent back before is settled.
	const settled = Object.fromEntries((back?.tell ?? []).map((field) => [field, ""]));
	return { ...common(step, failed), unchanged: failed, retry, done: done(step.id, settled) };
}

/** The counter of a story: rejected by the verifier and failed by the developer are counted together. */
export const storyCounter = (loop: string): string => `${loop}:retries`;

/** One retry fewer than `max_retries` says: the comparison is made after counting, so the last one fails. */
const storyCap = (loop: RawStep, exhausted: Route): Pick<Route, "max" | "per" | "count" | "exhausted"> => ({
	max: Math.max(0, loop.maxRetries - 1),
	per: "story",
	count: storyCounter(loop.id),
	exhausted: { ...exhausted, max: COUNTED, per: "story", count: storyCounter(loop.id) },
});

export function loopRoutes(loop: RawStep): Routes {
	const failed: Route = {
		action: "retry",
		set: { [reasonField(loop.id)]: "{{error}}" },
		rollback: "failures",
		...storyCap(loop, giveUp(loop)),
	};
	return { ...common(loop, failed), unchanged: unchanged(loop), retry: failed, done: done(loop.id) };
}

/** Like red checks, it has a count of its own: who is told for the first time that nothing is there gets the chance to do it. */
const unchanged = (loop: RawStep): Route => ({
	action: "retry",
	set: { [reasonField(loop.id)]: "{{error}}" },
	rollback: "failures",
	max: Math.max(1, loop.maxRetries - 1),
	per: "story",
	count: `${loop.id}:unchanged`,
	exhausted: giveUp(loop),
});

export function verifyRoutes(verify: RawStep, loop: RawStep, tell: readonly string[]): Routes {
	const set = { ...freshReason(loop.id), ...toldBy(tell), [reasonField(verify.id)]: "" };
	// Tells the developer even if a person lets the story continue after its retries are used up.
	const retry: Route = { action: "goto", target: loop.id, set, ...storyCap(loop, { ...give(verify), set }) };
	const cleared = Object.fromEntries(tell.map((field) => [field, ""]));
	return { ...common(verify, again(verify, verify.id)), retry, done: done(verify.id, cleared) };
}

/** The developer repairs what a later step found, then the run continues at `next`. */
export function fixRoutes(step: RawStep, fix: string, next: string): Routes {
	const failed = again(step, fix);
	return { ...common(step, failed), retry: failed, done: { action: "goto", target: next, set: { [reasonField(fix)]: "" } } };
}

/** For steps of the engine itself: retry, then ask a person. */
export function actionRoutes(set: Readonly<Record<string, string>> = {}): Routes {
	const failed: Route = { action: "retry", max: 1, per: "run", exhausted: { action: "wait", target: "person" } };
	return {
		...Object.fromEntries(["agent_error", "timeout", "lost", "workspace_error", "refused"].map((signal) => [signal, failed])),
		done: { action: "next", ...(Object.keys(set).length > 0 ? { set } : {}) },
	};
}

/** A pull request without a change, although somebody had to make one, is for a person to decide about. */
export const publishRoutes = (): Routes => ({
	...actionRoutes({ "forge.url": "{{URL}}", "forge.file": "{{FILE}}" }),
	empty: { action: "wait", target: "person" },
});

/** Red checks on a story's work are bad work like any other: the developer gets it back. They have a count of their own, so that the
 * developer gets it at least once, whatever the verifier sent back before. */
const checksFailed = (loop: RawStep): Route => ({
	action: "goto",
	target: loop.id,
	set: { [reasonField(loop.id)]: "{{error}}" },
	max: Math.max(1, loop.maxRetries - 1),
	per: loop.loop ? "story" : "run",
	count: `${loop.id}:checks`,
	exhausted: { action: "fail", target: "run" },
});

export function checkRoutes(loop: RawStep): Routes {
	return { ...actionRoutes(), done: { action: "next" }, checks_failed: checksFailed(loop) };
}

const MOST_CONFLICTS = 3;
const REBASE =
	"{{error}}. A story that was worked on at the same time has changed the same places and was there first. Nothing of yours is lost: it is committed here. Rebase your branch onto that one, resolve what is in conflict so that both stories hold, and finish the rebase.";

/** A conflict between stories that ran side by side goes back to the developer of the second one. It is not bad work, so it costs none of
 * the story's retries. */
export function mergeRoutes(loop: RawStep): Routes {
	const again = (count: string, max: number, why: string): Route => ({
		action: "goto",
		target: loop.id,
		set: { [reasonField(loop.id)]: why },
		max,
		per: "story",
		count: `${loop.id}:${count}`,
		exhausted: { action: "fail", target: "run" },
	});
	return {
		...actionRoutes(),
		merged: { action: "next" },
		empty: { action: "fail", target: "run" },
		conflict: again("conflicts", MOST_CONFLICTS, REBASE),
		checks_failed: checksFailed(loop),
		dirty: { action: "wait", target: "time" },
	};
}
