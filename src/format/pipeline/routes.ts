// The routes of a pipeline's steps. Only bad work costs a retry; usage limits and crashes do not. What a failed attempt wrote is put back
// before the next one.
import type { RawRoute } from "../../definition/schema.ts";
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

const cap = (max: number, per: "step" | "story" | "run"): string => `${Math.min(max, 999_999)}/${per}`;
/** Why a step runs again, for its next prompt; no key of a report can have this name. */
export const reasonField = (step: string): string => `${step}.reason`;

const give = (step: RawStep): RawRoute => (step.onFail.escalate ? { wait: "person" } : { fail: "run" });

/** What the last failed attempt wrote is put back too, unless a person is asked, who may accept it as it is. */
const giveUp = (step: RawStep): RawRoute => (step.onFail.escalate ? give(step) : { ...give(step), rollback: "failures" });

/** Work that crosses a boundary cannot be accepted by anyone. */
const undone = (route: RawRoute): RawRoute => ({
	...route,
	...(typeof route.exhausted === "object" ? { exhausted: { ...route.exhausted, rollback: "failures" } } : {}),
});

const kept = ({ rollback: _, ...route }: RawRoute): RawRoute => route;

export type Routes = Record<string, RawRoute>;

/** What every step of an agent has: the ways to fail, and the ways to stop for a while. */
function common(step: RawStep, failed: RawRoute): Routes {
	return {
		...Object.fromEntries(FAILED.map((signal) => [signal, failed])),
		boundary_violation: undone(failed),
		// The work was done and is still there: only its report is wanting.
		unreadable: kept(failed),
		// Waits grow if no end is known: these caps amount to hours of an unavailable server.
		rate_limited: { wait: "time", rollback: "failures", max: "100/step", exhausted: give(step) },
		overloaded: { wait: "time", rollback: "failures", max: "20/step", exhausted: give(step) },
		auth: { fail: "run" },
		out_of_credit: { fail: "run" },
		lost: { retry: true, max: cap(LOST, "step"), rollback: "failures", exhausted: giveUp(step) },
	};
}

const done = (step: string, more: Readonly<Record<string, string>> = {}): RawRoute => ({
	next: true,
	set: { [reasonField(step)]: "", ...more },
});

function again(step: RawStep, type: string): RawRoute {
	return {
		retry: true,
		set: { [reasonField(type)]: "{{error}}" },
		rollback: "failures",
		max: cap(step.maxRetries, "step"),
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
	const retry: RawRoute = back === null ? failed : { goto: back.type, set, max: cap(max, "run"), exhausted: { ...give(step), set } };
	// What it sent back before is settled.
	const settled = Object.fromEntries((back?.tell ?? []).map((field) => [field, ""]));
	return { ...common(step, failed), unchanged: failed, retry, done: done(step.id, settled) };
}

/** The counter of a story: rejected by the verifier and failed by the developer are counted together. */
export const storyCounter = (loop: string): string => `${loop}:retries`;

/** One retry fewer than `max_retries` says: the comparison is made after counting, so the last one fails. */
const storyCap = (loop: RawStep, exhausted: RawRoute): Pick<RawRoute, "max" | "count" | "exhausted"> => ({
	max: cap(Math.max(0, loop.maxRetries - 1), "story"),
	count: storyCounter(loop.id),
	// It counts on, and never ends.
	exhausted: { ...exhausted, max: "*/story", count: storyCounter(loop.id) },
});

export function loopRoutes(loop: RawStep): Routes {
	const failed: RawRoute = {
		retry: true,
		set: { [reasonField(loop.id)]: "{{error}}" },
		rollback: "failures",
		...storyCap(loop, giveUp(loop)),
	};
	return { ...common(loop, failed), unchanged: unchanged(loop), retry: failed, done: done(loop.id) };
}

/** Like red checks, it has a count of its own: who is told for the first time that nothing is there gets the chance to do it. */
const unchanged = (loop: RawStep): RawRoute => ({
	retry: true,
	set: { [reasonField(loop.id)]: "{{error}}" },
	rollback: "failures",
	max: cap(Math.max(1, loop.maxRetries - 1), "story"),
	count: `${loop.id}:unchanged`,
	exhausted: giveUp(loop),
});

export function verifyRoutes(verify: RawStep, loop: RawStep, tell: readonly string[]): Routes {
	const set = { ...freshReason(loop.id), ...toldBy(tell), [reasonField(verify.id)]: "" };
	// Tells the developer even if a person lets the story continue after its retries are used up.
	const retry: RawRoute = { goto: loop.id, set, ...storyCap(loop, { ...give(verify), set }) };
	const cleared = Object.fromEntries(tell.map((field) => [field, ""]));
	return { ...common(verify, again(verify, verify.id)), retry, done: done(verify.id, cleared) };
}

/** The developer repairs what a later step found, then the run continues at `next`. */
export function fixRoutes(step: RawStep, fix: string, next: string): Routes {
	const failed = again(step, fix);
	return { ...common(step, failed), retry: failed, done: { goto: next, set: { [reasonField(fix)]: "" } } };
}

/** For steps of the engine itself: retry, then ask a person. */
export function actionRoutes(set: Readonly<Record<string, string>> = {}): Routes {
	const failed: RawRoute = { retry: true, max: "1/run", exhausted: { wait: "person" } };
	return {
		...Object.fromEntries(["agent_error", "timeout", "lost", "workspace_error", "refused"].map((signal) => [signal, failed])),
		done: { next: true, ...(Object.keys(set).length > 0 ? { set } : {}) },
	};
}

/** A pull request without a change, although somebody had to make one, is for a person to decide about. */
export const publishRoutes = (): Routes => ({
	...actionRoutes({ "forge.url": "{{URL}}", "forge.file": "{{FILE}}" }),
	empty: { wait: "person" },
	// The network or the forge is away, which passes.
	unavailable: { wait: "time", max: "20/step", exhausted: { wait: "person" } },
});

/** Red checks on a story's work are bad work like any other: the developer gets it back. They have a count of their own, so that the
 * developer gets it at least once, whatever the verifier sent back before. */
const checksFailed = (loop: RawStep): RawRoute => ({
	goto: loop.id,
	set: { [reasonField(loop.id)]: "{{error}}" },
	max: cap(Math.max(1, loop.maxRetries - 1), loop.loop ? "story" : "run"),
	count: `${loop.id}:checks`,
	exhausted: { fail: "run" },
});

export function checkRoutes(loop: RawStep): Routes {
	return { ...actionRoutes(), done: { next: true }, checks_failed: checksFailed(loop) };
}

const MOST_CONFLICTS = 3;
const REBASE =
	"{{error}}. A story that was worked on at the same time has changed the same places and was there first. Nothing of yours is lost: it is committed here. Rebase your branch onto that one, resolve what is in conflict so that both stories hold, and finish the rebase.";

/** A conflict between stories that ran side by side goes back to the developer of the second one. It is not bad work, so it costs none of
 * the story's retries. */
export function mergeRoutes(loop: RawStep): Routes {
	const again = (count: string, max: number, why: string): RawRoute => ({
		goto: loop.id,
		set: { [reasonField(loop.id)]: why },
		max: cap(max, "story"),
		count: `${loop.id}:${count}`,
		exhausted: { fail: "run" },
	});
	return {
		...actionRoutes(),
		merged: { next: true },
		empty: { fail: "run" },
		conflict: again("conflicts", MOST_CONFLICTS, REBASE),
		checks_failed: checksFailed(loop),
		dirty: { wait: "time" },
	};
}
