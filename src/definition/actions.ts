// Compiles routes from YAML to the core's form. Checks each route by itself; whether targets and budgets exist and every signal has
// a route is checked later, with the whole workflow in view.
import type { PlannedStep, Route } from "../core/definition.ts";
import { OWN, type Parsed, parseAction, parseCap, splitSignals } from "./notation.ts";
import { list, type Path, type Report } from "./problem.ts";
import type { RawAction, RawRoutes, RawStep } from "./schema.ts";

/** A route and its position in the YAML. null: it was wrong, which is already reported. */
export interface RouteAt {
	readonly route: Route | null;
	readonly path: Path;
}

export interface RouteTable {
	readonly named: ReadonlyMap<string, RouteAt>;
	/** The route of `*`: for signals without a route of their own. */
	readonly rest: RouteAt | null;
}

export function compileRoutes(raw: RawRoutes | undefined, path: Path, report: Report): RouteTable {
	const named = new Map<string, RouteAt>();
	let rest: RouteAt | null = null;
	for (const [key, action] of Object.entries(raw ?? {})) {
		const at = { route: compileAction(action, [...path, key], report), path: [...path, key] };
		for (const signal of splitSignals(key)) {
			if (signal === "*") rest = at;
			else if (named.has(signal)) report(at.path, `\`${signal}\` has a route already: keep one of the two`, "key");
			else if (signal === "cancelled") report(at.path, "`cancelled` is not routed: a cancelled step stays resumable", "key");
			else named.set(signal, at);
		}
	}
	return { named, rest };
}

const VERBS = ["next", "retry", "skip", "complete", "stop", "refuse", "abort", "goto", "insert", "fail", "wait"] as const;

export function compileAction(raw: RawAction, path: Path, report: Report): Route | null {
	if (typeof raw === "string") return take(parseAction(raw), path, report);
	const verbs = [...VERBS.filter((v) => raw[v] !== undefined), ...(raw.reopen === true ? ["reopen" as const] : [])];
	let ok = true;
	const wrong = (message: string, at: Path = path, where: "key" | "value" = "value") => {
		report(at, message, where);
		ok = false;
	};
	if (verbs.length === 0) wrong(`this says no action: add one of ${list([...VERBS, "reopen"])}, such as \`next: true\``);
	if (verbs.length > 1) wrong(`this says ${list(verbs)}: one action is taken, keep one`);
	const verb = verbs[0];
	if (raw.insert === undefined) {
		if (raw.before !== undefined) wrong("`before` goes with `insert`", [...path, "before"], "key");
		if (Array.isArray(raw.reopen))
			wrong("`reopen` with a list goes with `insert`; alone, write `reopen: true`", [...path, "reopen"], "key");
	} else if (raw.insert.length === 0) wrong("`insert` needs at least one step", [...path, "insert"]);
	if (raw.fresh !== undefined && raw.goto === undefined) wrong("`fresh` goes with `goto`", [...path, "fresh"], "key");
	const capped = (raw.max !== undefined && !raw.max.startsWith("*")) || raw.spend !== undefined;
	if (capped && raw.exhausted === undefined)
		wrong("`exhausted` is missing: say what happens when the cap is reached", [...path, raw.max !== undefined ? "max" : "spend"], "key");
	if (raw.count !== undefined && raw.max === undefined) wrong("`count` is the name of a cap: it needs a `max`", [...path, "count"], "key");
	if (!capped && raw.exhausted !== undefined)
		wrong("`exhausted` is never taken: it needs a `max` or a `spend`", [...path, "exhausted"], "key");
	const cap = raw.max === undefined ? undefined : take(parseCap(raw.max), [...path, "max"], report);
	const steps = raw.insert && plan(raw.insert, [...path, "insert"], report);
	const exhausted = raw.exhausted === undefined ? undefined : compileAction(raw.exhausted, [...path, "exhausted"], report);
	const converged = raw.converged === undefined ? undefined : compileAction(raw.converged, [...path, "converged"], report);
	if (!ok || verb === undefined || cap === null || exhausted === null || converged === null) return null;
	const target = raw.goto ?? (raw.fail === true ? OWN : raw.fail) ?? raw.wait;
	return {
		action: verb,
		...(target === undefined ? {} : { target }),
		...(steps === undefined ? {} : { steps }),
		...(raw.before === undefined ? {} : { before: raw.before }),
		...(Array.isArray(raw.reopen) ? { reopen: raw.reopen } : {}),
		...(raw.fresh === undefined ? {} : { fresh: raw.fresh }),
		...(cap ?? {}),
		...(raw.count === undefined ? {} : { count: raw.count }),
		...(raw.spend === undefined ? {} : { spend: raw.spend }),
		...(exhausted === undefined ? {} : { exhausted }),
		...(converged === undefined ? {} : { converged }),
		...(raw.set === undefined ? {} : { set: raw.set }),
		...(raw.record === undefined ? {} : { record: raw.record }),
		...(raw.rollback === undefined ? {} : { rollback: raw.rollback }),
	};
}

/** Steps of a list: `coding`, or `coding: its description`. */
export function plan(raw: readonly RawStep[], path: Path, report: Report): PlannedStep[] {
	return raw.flatMap((step, i): PlannedStep[] => {
		if (typeof step === "string") return [{ type: step }];
		const [entry, ...more] = Object.entries(step);
		if (!entry || more.length > 0) {
			report([...path, i], "one step is wanted here, as `coding` or as `coding: its description`");
			return [];
		}
		return [{ type: entry[0], description: entry[1] }];
	});
}

/** The value, or null with the problem reported. */
export function take<T>(parsed: Parsed<T>, path: Path, report: Report): T | null {
	if ("value" in parsed) return parsed.value;
	report(path, parsed.problem);
	return null;
}

/** A route and every route that may be taken instead of it, each with its path. */
export function variants(at: RouteAt): { route: Route; path: Path }[] {
	if (!at.route) return [];
	const { exhausted, converged } = at.route;
	return [
		{ route: at.route, path: at.path },
		...(exhausted ? variants({ route: exhausted, path: [...at.path, "exhausted"] }) : []),
		...(converged ? variants({ route: converged, path: [...at.path, "converged"] }) : []),
	];
}
