// Caps of routes: how often each may be taken, counted where, and what is taken instead.
import { type Counter, countOf, keyOf, keysWhere } from "../counter.ts";
import type { Route } from "../definition.ts";
import { repeated } from "../finding.ts";
import { RUN_SCOPE, type Step } from "../model.ts";
import { fieldOf, own } from "../query.ts";
import { spendOne } from "./budget.ts";
import type { Decision } from "./decision.ts";
import type { Result } from "./route.ts";

/** The route to take: the given one, or its replacement if it has converged, reached its cap or used up its budget. Counts it. */
export function choose(d: Decision, scopeId: string, step: Step, result: Result, route: Route): Route {
	const again = repeated(step.lastFindings, result.findings ?? [], result.earlier ?? []);
	if (route.converged && again.length > 0) {
		d.emit({ event: "converged", scope: scopeId, step: step.id, findings: again });
		return choose(d, scopeId, step, result, route.converged);
	}
	const taken = ({ scope, counter }: Cap): number => {
		const counted = d.scope(scope);
		return counted ? countOf(counted, counter) : 0;
	};
	const visits = visitsOf(d, scopeId, step, route);
	const cap = route.max === undefined ? null : capOf(scopeId, step, result.signal, route);
	if (cap !== null && taken(cap) >= maxOf(d, scopeId, route, route.max ?? 0)) return exhausted(d, scopeId, step, result, route);
	// The route's own cap is checked before the cap on visits of its target.
	if (visits !== null && taken(visits) >= visits.max) return choose(d, scopeId, step, result, visits.exhausted);
	if (route.spend !== undefined && !spendOne(d, route.spend, scopeId, step)) return exhausted(d, scopeId, step, result, route);
	for (const one of [cap, visits]) if (one !== null) d.emit({ event: "counted", scope: one.scope, counter: keyOf(one.counter) });
	return route;
}

/** Where a cap is counted, and as what. */
interface Cap {
	readonly scope: string;
	readonly counter: Counter;
}

/** The cap on visits of the route's target, shared by all routes that lead there. */
function visitsOf(d: Decision, scope: string, step: Step, route: Route): (Cap & { max: number; exhausted: Route }) | null {
	const target = route.action === "goto" ? own(d.state.definition.types, route.target ?? "") : undefined;
	if (!target?.visits || target.name === step.type) return null;
	const { max, per, exhausted } = target.visits;
	return { scope, counter: { kind: "visits", type: target.name, per: per === "entry" ? "entry" : "run" }, max, exhausted };
}

function maxOf(d: Decision, scopeId: string, { maxField = "" }: Route, max: number): number {
	const scope = d.scope(scopeId);
	const given = (scope && fieldOf(d.state, scope, maxField)) ?? "";
	return /^\d{1,9}$/.test(given) ? Number(given) : max;
}

/** A cap per row counts consecutive signals: a signal that is counted elsewhere resets it. */
export function endRows(d: Decision, scopeId: string, step: Step, kept: Counter): void {
	const scope = d.scope(scopeId);
	if (!scope) return;
	const ended = keysWhere(scope, d.state.definition, (c) => c.kind === "row" && c.type === step.type);
	const counters = ended.filter((key) => key !== keyOf(kept));
	if (counters.length > 0) d.emit({ event: "counters_reset", scope: scopeId, counters });
}

const exhausted = (d: Decision, scopeId: string, step: Step, result: Result, route: Route): Route =>
	route.exhausted ? choose(d, scopeId, step, result, route.exhausted) : { action: "fail", target: scopeId === RUN_SCOPE ? "run" : "story" };

export function capOf(scope: string, step: Step, signal: string, { per, count }: Route): Cap {
	const name = count ?? signal;
	if (per === "row" || per === "entry") return { scope, counter: { kind: per, type: step.type, name } };
	const where = per === "run" ? RUN_SCOPE : scope;
	if (count !== undefined) return { scope: where, counter: { kind: "shared", name } };
	return { scope: where, counter: { kind: "route", owner: per === "step" ? step.origin : step.type, name } };
}
