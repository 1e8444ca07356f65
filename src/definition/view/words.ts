// Routes, conditions and amounts in words, for `workflow show`, and the routes that steps share.
import type { Budget, CapScope, Condition, Definition, Route } from "../../core/definition.ts";
import { formatDuration } from "../../core/duration.ts";
import { UNLIMITED } from "../notation.ts";

const PER: Readonly<Record<CapScope, string>> = { entry: "an entry", step: "a step", story: "a story", run: "a run", row: "in a row" };

export function routeWords(route: Route): string {
	const parts = [
		route.rollback === undefined ? null : `roll back (${route.rollback})`,
		route.record === undefined ? null : `record ${route.record}`,
		route.set === undefined ? null : `set ${Object.keys(route.set).join(", ")}`,
		actionWords(route),
		route.reopen === undefined ? null : `reopen ${route.reopen.join(", ")}`,
		route.spend === undefined ? null : `spend ${route.spend}`,
		route.max === undefined || route.max >= UNLIMITED
			? null
			: `at most ${route.maxField === undefined ? route.max : `{{${route.maxField}}}`} ${PER[route.per ?? "step"]}`,
	].filter((p) => p !== null);
	const turns = [
		route.converged ? `the same finding again: ${routeWords(route.converged)}` : null,
		route.exhausted ? `then: ${routeWords(route.exhausted)}` : null,
	].filter((p) => p !== null);
	return [parts.join(", "), ...turns].join("; ");
}

export function actionWords(route: Route): string {
	switch (route.action) {
		case "goto":
			return `goto ${route.target}${route.fresh ? " (afresh)" : ""}`;
		case "insert":
			return `insert ${(route.steps ?? []).map((s) => s.type).join(", ")}${route.before === undefined ? "" : ` before ${route.before}`}`;
		case "fail":
		case "wait":
			return `${route.action} ${route.target}`.trim();
		default:
			return route.action;
	}
}

const OPS: Readonly<Record<Condition["op"], string>> = {
	is: "is",
	is_not: "is not",
	above: ">",
	below: "<",
	set: "is set",
	unset: "is not set",
};

export const conditionWords = (conditions: readonly Condition[]): string =>
	conditions.map((c) => `${c.field} ${OPS[c.op]}${c.value === undefined ? "" : ` ${c.value}`}`).join(" and ");

export function budgetWords(budget: Budget): string {
	const amount = budget.unit === "cost" ? `$${budget.limit}` : budget.unit === "time" ? formatDuration(budget.limit) : String(budget.limit);
	const warnings = budget.warnAt.length === 0 ? "" : `, warns at ${budget.warnAt.map((w) => `${Math.round(w * 100)}%`).join(" and ")}`;
	return `${amount} ${PER[budget.scope]}${warnings}`;
}

/** For each signal, the route that most steps have; it is shown once instead of for each step. */
export function sharedRoutes(definition: Definition): Map<string, Route> {
	const counts = new Map<string, Map<string, { route: Route; count: number }>>();
	for (const type of Object.values(definition.types))
		for (const [signal, route] of Object.entries(type.routes)) {
			const of = counts.get(signal) ?? new Map<string, { route: Route; count: number }>();
			const key = JSON.stringify(route);
			of.set(key, { route, count: (of.get(key)?.count ?? 0) + 1 });
			counts.set(signal, of);
		}
	const shared = new Map<string, Route>();
	for (const [signal, of] of counts) {
		const total = [...of.values()].reduce((sum, r) => sum + r.count, 0);
		const most = [...of.values()].find((r) => r.count > 1 && r.count * 2 > total);
		if (most) shared.set(signal, most.route);
	}
	return shared;
}

export const isShared = (shared: ReadonlyMap<string, Route>, signal: string, route: Route): boolean =>
	JSON.stringify(shared.get(signal)) === JSON.stringify(route);

/** Groups signals with the same route, in the order of the first. */
export function groupRoutes(routes: Iterable<readonly [string, Route]>): { signals: string[]; route: Route }[] {
	const groups = new Map<string, { signals: string[]; route: Route }>();
	for (const [signal, route] of routes) {
		const key = JSON.stringify(route);
		const group = groups.get(key) ?? { signals: [], route };
		group.signals.push(signal);
		groups.set(key, group);
	}
	return [...groups.values()];
}
