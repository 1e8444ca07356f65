// The routes of signals that neither a step nor its workflow says anything about, so that a workflow names only what it adds. They are compiled into
// the definition like any other route: a run keeps those that it began with.
import { isDeepStrictEqual } from "node:util";
import type { CapScope, Route, StepKind, StepType } from "../core/definition.ts";
import { OWN } from "./notation.ts";

/** What the default of a signal depends on. */
export interface Place {
	readonly kind: StepKind;
	readonly action?: string | undefined;
	/** What a step that fails for good takes with it. */
	readonly fails: "story" | "run";
	/** The step of the same list that repairs what a check finds: the nearest one before it that may write. */
	readonly repairer: string | null;
	/** Its report can promise that all is done: without the promise it is not. */
	readonly promises: boolean;
	/** Others send the work here: whoever did wants to look at it again. */
	readonly detour: boolean;
}

/** null: the workflow has to say it. */
export function defaultRoute(signal: string, place: Place): Route | null {
	switch (place.kind) {
		case "each":
			return signal === "done" ? NEXT : null;
		case "approval":
			return signal === "approved" ? NEXT : signal === "rejected" ? failing(place) : null;
		case "command":
		case "action":
			return ofEngine(signal, place);
		case "agent":
		case "gate":
		case "loop":
			return ofSession(signal, place);
	}
}

const NEXT: Route = { action: "next" };
const onward = ({ detour }: Place): Route => (detour ? { action: "goto", target: "back" } : NEXT);
const failing = ({ fails }: Place): Route => ({ action: "fail", target: fails });
/** The changes of the last attempt do not stay either. */
const undone = (place: Place): Route => ({ ...failing(place), rollback: "failures" });

function ofSession(signal: string, place: Place): Route | null {
	const loop = place.kind === "loop";
	// A loop has many iterations: what counts is how often one of them fails, not how often any does.
	const per: CapScope = loop ? "row" : "step";
	const again = (max: number, more: Partial<Route> = {}): Route => ({
		action: loop ? "reopen" : "retry",
		max,
		per,
		exhausted: undone(place),
		...more,
	});
	const wait = (max: number): Route => ({ action: "wait", target: "time", rollback: "failures", max, per, exhausted: undone(place) });
	switch (signal) {
		case "done":
			return loop ? { action: "retry" } : place.promises ? null : onward(place);
		case "promise":
			return NEXT;
		case "max_iterations":
			return failing(place);
		case "agent_error":
		case "timeout":
		case "stalled":
		case "boundary_violation":
			return again(1, { rollback: "failures" });
		case "lost":
			return again(3, { rollback: "failures" });
		// The work was done and is still there: only its report is wanting.
		case "unreadable":
			return again(1);
		case "unchanged":
			return again(1, { exhausted: failing(place) });
		case "checks_failed":
			return again(2, { exhausted: failing(place) });
		// Waits grow where the provider does not say until when: these caps amount to hours.
		case "rate_limited":
			return wait(100);
		case "overloaded":
			return wait(20);
		case "auth":
		case "out_of_credit":
			return { action: "fail", target: "run", rollback: "failures" };
		case "permission":
		case "context_too_long":
		case "workspace_error":
			return undone(place);
		default:
			return null;
	}
}

function ofEngine(signal: string, place: Place): Route | null {
	switch (signal) {
		case "done":
			return onward(place);
		case "checks_failed":
			return back(place, 2);
		case "agent_error":
		case "timeout":
		case "lost":
		case "workspace_error":
			return { action: "retry", max: 1, per: "row", exhausted: failing(place) };
		default:
			return place.action === "merge" ? ofMerge(signal, place) : null;
	}
}

function ofMerge(signal: string, place: Place): Route | null {
	switch (signal) {
		case "merged":
			return NEXT;
		case "empty":
			return failing(place);
		case "conflict":
			return back(place, 3);
		case "dirty":
			return { action: "wait", target: "time" };
		default:
			return null;
	}
}

const back = (place: Place, max: number): Route =>
	place.repairer === null ? failing(place) : { action: "goto", target: place.repairer, max, per: place.fails, exhausted: failing(place) };

/** What `action: merge` need not say: it is the engine's, and merges what was changed in a worktree of the story's own. */
export const MERGE_TYPE = {
	internal: true,
	by: "engine",
	when: "story_trees is true and changed is true",
	signals: ["merged", "empty", "conflict", "checks_failed", "dirty"],
} as const;

/** Whether a route is what pawl does without one. */
export function isDefault({ kind, action, detour }: Pick<StepType, "kind" | "action" | "detour">, signal: string, route: Route): boolean {
	const repairer = route.action === "goto" ? (route.target ?? null) : null;
	const place = { kind, action, detour, promises: false };
	return (["story", "run"] as const).some((fails) =>
		[repairer, null].some((to) => isDeepStrictEqual(defaultRoute(signal, { ...place, fails, repairer: to }), route)),
	);
}

/** `fail` alone fails what the step is in; so does `fail story` in a route that all steps share. */
export function settled(route: Route, fails: Place["fails"], shared: boolean): Route {
	const { exhausted, converged } = route;
	const own = route.action === "fail" && (route.target === OWN || (shared && route.target === "story"));
	return {
		...route,
		...(own ? { target: fails } : {}),
		...(exhausted ? { exhausted: settled(exhausted, fails, shared) } : {}),
		...(converged ? { converged: settled(converged, fails, shared) } : {}),
	};
}
