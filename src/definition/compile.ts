// A raw workflow → checked Definition, whatever spelling it came from. A failed check does not stop the others.
import { createHash } from "node:crypto";
import type { Definition, StepType } from "../core/definition.ts";
import { compileRoutes, plan, type RouteAt } from "./actions.ts";
import { checkCaps } from "./check/caps.ts";
import { checkCounterNames } from "./check/counter-names.ts";
import { checkFields, checkPromise, fieldsOf } from "./check/fields.ts";
import { checkNames } from "./check/names.ts";
import { checkScope, type Known, type ScopeList } from "./check/scopes.ts";
import { withDelivery } from "./delivery.ts";
import type { ParseOptions } from "./options.ts";
import { placeOf, settledDraft, typesOfStories } from "./places.ts";
import { type Problem, type Report, suggest } from "./problem.ts";
import { readPrompts } from "./prompts.ts";
import { compileBudgets, compileInputs, compileRoles } from "./roles.ts";
import type { RawWorkflow } from "./schema.ts";
import { checkUnreadable, ENGINE_SIGNALS, promisesOf, type Roles, resolve, signalsOf, verdictsOf } from "./signals.ts";
import type { Notes, Spelled } from "./spelling.ts";
import { compileType, type TypeDraft } from "./types.ts";

/** `problems`: those of prompts, which have positions of their own, are added to it. */
export function compile(spelled: Spelled, options: ParseOptions, { report, warn }: Notes, problems: Problem[]): Definition {
	const { workflow } = spelled;
	const broken = new Set(spelled.broken);
	if (options.names) checkNames(workflow, options.names, report);
	const roles: Roles = { roles: compileRoles(workflow.roles, report), broken: namesIn(broken, "roles") };
	const budgets = compileBudgets(workflow.budgets, report);
	const inputs = compileInputs(workflow.inputs);
	if (Object.keys(inputs).length === 0 && namesIn(broken, "inputs").size === 0)
		report(["inputs"], "a workflow needs at least one way of giving it its input", "key");
	const defaults = compileRoutes(workflow.on, ["on"], report);
	const drafts = new Map(
		Object.entries(workflow.types).flatMap(([name, raw]) =>
			[compileType(name, raw, report)].filter((d) => d !== null).map((d) => [name, d] as const),
		),
	);
	for (const name of Object.keys(workflow.types)) if (!drafts.has(name)) broken.add(`types.${name}`);

	const scopes = scopesOf(workflow, drafts, report);
	const inStories = typesOfStories(scopes, drafts, defaults);
	for (const [name, draft] of drafts) drafts.set(name, settledDraft(draft, inStories.has(name)));
	const routes = new Map<string, Map<string, RouteAt>>();
	const ends = new Map([...drafts].map(([name, draft]) => [name, signalsOf(draft, roles, report)]));
	for (const [name, draft] of drafts) {
		const signals = ends.get(name);
		const place = placeOf(draft, scopes, drafts, inStories.has(name), promisesOf(draft, roles));
		routes.set(name, signals && !broken.has("on") ? resolve(draft, signals, defaults, place, report) : new Map(draft.own.named));
	}
	checkCounterNames(drafts, ends, routes, report);
	const all = new Set([...ENGINE_SIGNALS, ...[...ends.values()].flatMap((s) => s ?? [])]);
	const sure = broken.size === 0 && ![...ends.values()].includes(null);
	if (sure)
		for (const [signal, at] of defaults.named)
			if (!all.has(signal)) report(at.path, `no step of this workflow can end in \`${signal}\`${suggest(signal, all)}`, "key");

	const known: Known = {
		types: drafts,
		routes: withVisits(routes, drafts),
		budgets,
		broken,
		inStories,
		hasAbort: (workflow.abort ?? []).length > 0,
	};
	const used = new Set<string>();
	for (const scope of scopes) {
		const members = checkScope(scope, known, report);
		checkCaps(scope, members, known, report);
		for (const name of members) {
			used.add(name);
			const draft = drafts.get(name);
			const unreadable = routes.get(name)?.get("unreadable");
			const last = scope.steps.findLastIndex((s) => s.type === name);
			if (draft && unreadable) checkUnreadable(draft, unreadable, last < 0 ? [] : scope.steps.slice(last + 1).map((s) => s.type), report);
		}
	}
	for (const [name, draft] of drafts)
		if (!used.has(name) && sure) warn(draft.path, `\`${name}\` is never used: no list of steps and no route has it`, "key");

	const fields = fieldsOf(
		workflow,
		[...known.routes.values()].flatMap((r) => [...r.values()]),
	);
	if (sure) {
		for (const [name, draft] of drafts) checkFields(draft, routes.get(name) ?? new Map(), roles.roles, fields, report);
		for (const role of roles.roles.values()) checkPromise(role, fields, report);
	}
	const checked = sure && spelled.variables === "unchecked" ? fields : null;
	const prompts = readPrompts({ drafts, roles: roles.roles, texts: spelled.texts, options, fields: checked, report, problems });
	return finish({
		name: workflow.name,
		title: workflow.title ?? workflow.name,
		description: workflow.description ?? "",
		resume: workflow.resume ?? "yes",
		inputs,
		roles: Object.fromEntries(roles.roles),
		types: Object.fromEntries([...drafts].map(([name, draft]) => [name, stepType(draft, routes.get(name) ?? new Map(), roles)])),
		steps: scopes[0]?.steps ?? [],
		abort: scopes[1]?.steps ?? [],
		budgets,
		limits: { steps: workflow.limits?.steps ?? 30, restarts: workflow.limits?.restarts ?? 3 },
		prompts,
		projections: workflow.projections ?? [],
		...(workflow.recovery === undefined ? {} : { recovery: workflow.recovery }),
		...(workflow.inboxes === undefined ? {} : { inboxes: workflow.inboxes }),
		...(workflow.requires === undefined ? {} : { requires: workflow.requires }),
		...(workflow.ids === undefined ? {} : { ids: workflow.ids }),
		...(workflow.fields === undefined ? {} : { fields: workflow.fields }),
		...(spelled.foreign === undefined ? {} : { foreign: spelled.foreign }),
	});
}

/** Adds what `visits` says for when routes lead to a type too often: it is checked like a route of that type. */
function withVisits(routes: ReadonlyMap<string, ReadonlyMap<string, RouteAt>>, drafts: ReadonlyMap<string, TypeDraft>): Known["routes"] {
	return new Map(
		[...routes].map(([name, own]) => {
			const exhausted = drafts.get(name)?.exhausted;
			return [name, exhausted ? new Map([...own, ["visits", exhausted]]) : own] as const;
		}),
	);
}

const namesIn = (broken: ReadonlySet<string>, map: string): Set<string> =>
	new Set([...broken].flatMap((b) => (b.startsWith(`${map}.`) ? [b.slice(map.length + 1)] : [])));

/** The run's list first, then the abort list, then those of stories. */
function scopesOf(workflow: RawWorkflow, drafts: ReadonlyMap<string, TypeDraft>, report: Report): ScopeList[] {
	return [
		{ kind: "run", label: "the run", path: ["steps"], steps: plan(workflow.steps, ["steps"], report) },
		{ kind: "abort", label: "the abort list", path: ["abort"], steps: plan(workflow.abort ?? [], ["abort"], report) },
		...[...drafts.values()].flatMap(({ type, path }): ScopeList[] =>
			type.each ? [{ kind: "story", label: `a story of \`${type.name}\``, path: [...path, "each", "steps"], steps: type.each.steps }] : [],
		),
	];
}

function stepType(draft: TypeDraft, routes: ReadonlyMap<string, RouteAt>, roles: Roles): StepType {
	const own = [...routes].flatMap(([signal, at]) => (at.route ? [[signal, at.route] as const] : []));
	// A signal of `inject` keeps the loop going; for the core that is a retry without a cap.
	const injected = Object.keys(draft.type.loop?.inject ?? {}).map((signal) => [signal, { action: "retry" }] as const);
	return {
		...draft.type,
		...(draft.type.kind === "gate" ? { verdicts: verdictsOf(draft, roles) } : {}),
		routes: Object.fromEntries([...own, ...injected]),
	};
}

function finish(written: Omit<Definition, "hash">): Definition {
	const body = withDelivery(written);
	return {
		...body,
		hash: createHash("sha256")
			.update(JSON.stringify(canonical(body)))
			.digest("hex"),
	};
}

/** Sorts keys, so that the hash depends on the meaning and not on the order. */
function canonical(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(canonical);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([k, v]) => [k, canonical(v)]),
	);
}
