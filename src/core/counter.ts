// What is counted in a scope: how often a route was taken, how often routes led to a step, how much of a budget is used. The journal
// keeps each counter as a string. Only this file writes and reads those strings, and they never change.
import type { Definition } from "./definition.ts";
import type { Scope } from "./model.ts";

export type Counter =
	/** A route's own cap. `owner`: the step type, or, for a cap per step, the step that its line of copies began with. */
	| { readonly kind: "route"; readonly owner: string; readonly name: string }
	/** Reset when a route leads to the step again. */
	| { readonly kind: "entry"; readonly type: string; readonly name: string }
	/** Reset when the step ends in a signal that is counted under another key. */
	| { readonly kind: "row"; readonly type: string; readonly name: string }
	/** How often routes led to a type. */
	| { readonly kind: "visits"; readonly type: string; readonly per: "entry" | "run" }
	/** One cap for several routes, whichever steps they belong to. */
	| { readonly kind: "shared"; readonly name: string }
	/** A budget that each story, or each step, has for itself. */
	| { readonly kind: "budget"; readonly budget: string; readonly step: string | null };

/** Names that would give two counters the same string: loading a workflow refuses them. */
export const isTypeTaken = (name: string): boolean => name === "budget" || /^step-\d+$/.test(name);
export const VISITS = "visits";

export function keyOf(counter: Counter): string {
	switch (counter.kind) {
		case "route":
			return `${counter.owner}:${counter.name}`;
		case "entry":
			return `entry:${counter.type}:${counter.name}`;
		case "row":
			return `row:${counter.type}:${counter.name}`;
		case "visits":
			return counter.per === "entry" ? `entry:${counter.type}:${VISITS}` : `${counter.type}:${VISITS}`;
		case "shared":
			return counter.name;
		case "budget":
			return counter.step === null ? `budget:${counter.budget}` : `budget:${counter.budget}:${counter.step}`;
	}
}

/** The number of parts tells the kinds apart: if a type is called `entry`, `entry:done` is a route of that type. */
export function parseCounter(key: string, { budgets }: Pick<Definition, "budgets">): Counter {
	const [first = "", second, third, ...more] = key.split(":");
	if (second === undefined || more.length > 0) return { kind: "shared", name: key };
	if (third === undefined) {
		// A run of an older pawl may have a type called `budget`; such a run has no budgets.
		if (first === "budget" && Object.hasOwn(budgets, second)) return { kind: "budget", budget: second, step: null };
		return second === VISITS ? { kind: "visits", type: first, per: "run" } : { kind: "route", owner: first, name: second };
	}
	switch (first) {
		case "entry":
			return third === VISITS ? { kind: "visits", type: second, per: "entry" } : { kind: "entry", type: second, name: third };
		case "row":
			return { kind: "row", type: second, name: third };
		case "budget":
			return { kind: "budget", budget: second, step: third };
		default:
			return { kind: "shared", name: key };
	}
}

export const countOf = (scope: Scope, counter: Counter): number => {
	const key = keyOf(counter);
	return Object.hasOwn(scope.counters, key) ? (scope.counters[key] ?? 0) : 0;
};

/** The keys of the scope's counters that `isMeant` accepts. */
export const keysWhere = (scope: Scope, definition: Definition, isMeant: (counter: Counter) => boolean): string[] =>
	Object.keys(scope.counters).filter((key) => isMeant(parseCounter(key, definition)));
