// YAML text → checked Definition. Pure: the caller brings the text and a way to read prompts. All problems are reported at once, so
// a failed check does not stop the others.
import { createHash } from "node:crypto";
import type { Definition, StepType } from "../core/definition.ts";
import { readYaml } from "../yaml.ts";
import { compileRoutes, plan, type RouteAt } from "./actions.ts";
import { checkCaps } from "./caps.ts";
import { checkCounterNames } from "./counter-names.ts";
import { withDelivery } from "./delivery.ts";
import { checkFields, checkPromise, checkPromptText, fieldsOf } from "./fields.ts";
import { checkNames, type Names } from "./names.ts";
import { orderProblems, type Path, type Problem, type Report, suggest } from "./problem.ts";
import { compileBudgets, compileInputs, compileRoles } from "./roles.ts";
import type { RawWorkflow } from "./schema.ts";
import { checkScope, type Known, type ScopeList } from "./scopes.ts";
import { readShape } from "./shape.ts";
import { checkUnreadable, ENGINE_SIGNALS, type Roles, resolve, signalsOf, verdictsOf } from "./signals.ts";
import type { Notes, Spelling } from "./spelling.ts";
import { compileType, type TypeDraft } from "./types.ts";

export type PromptText = { readonly text: string } | { readonly problem: string };

export interface ParseOptions {
	/** Its name in problems. */
	readonly file: string;
	/** Reads a file of the workflow's folder. */
	readonly readPrompt: (path: string) => PromptText;
	/** The name of a prompt in problems; by default its path. */
	readonly promptFile?: (path: string) => string;
	/** Reads a file of an agent, which may lie outside the workflow's folder. Without it none can be read. */
	readonly readAgentFile?: (path: string) => PromptText;
	/** The code that a workflow may name; without it names are not checked. */
	readonly names?: Names;
	/** Other ways in which the text may be written. */
	readonly spellings?: readonly Spelling[];
}

export type Loaded =
	| { readonly ok: true; readonly definition: Definition; readonly warnings: readonly Problem[] }
	| { readonly ok: false; readonly problems: readonly Problem[] };

export function parseDefinition(text: string, options: ParseOptions): Loaded {
	const source = readYaml(text, options.file);
	const problems: Problem[] = [...source.problems];
	const warnings: Problem[] = [];
	const into =
		(target: Problem[]): Report =>
		(path, message, where = "value") =>
			target.push({ file: options.file, ...source.at(path, where), message });
	const report = into(problems);
	const definition =
		source.value === undefined && problems.length > 0
			? null
			: (spelled(source.value, options, { report, warn: into(warnings) }) ??
				compile(source.value, options, report, into(warnings), problems));
	if (problems.length > 0 || !definition) return { ok: false, problems: orderProblems(problems, options.file) };
	return { ok: true, definition, warnings: orderProblems(warnings, options.file) };
}

/** null: it is written in the language itself. */
function spelled(value: unknown, options: ParseOptions, notes: Notes): Definition | null {
	const spelling = options.spellings?.find((one) => one.matches(value));
	const readFile = options.readAgentFile ?? ((path) => ({ problem: `\`${path}\` cannot be read from here` }));
	return spelling ? finish(spelling.compile(value, readFile, notes)) : null;
}

function compile(value: unknown, options: ParseOptions, report: Report, warn: Report, problems: Problem[]): Definition | null {
	const { workflow, broken } = readShape(value, report);
	if (!workflow) return null;
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

	const routes = new Map<string, Map<string, RouteAt>>();
	const ends = new Map([...drafts].map(([name, draft]) => [name, signalsOf(draft, roles, report)]));
	for (const [name, draft] of drafts) {
		const signals = ends.get(name);
		routes.set(name, signals && !broken.has("on") ? resolve(draft, signals, defaults, report) : new Map(draft.own.named));
	}
	checkCounterNames(drafts, ends, routes, report);
	const all = new Set([...ENGINE_SIGNALS, ...[...ends.values()].flatMap((s) => s ?? [])]);
	const sure = broken.size === 0 && ![...ends.values()].includes(null);
	if (sure)
		for (const [signal, at] of defaults.named)
			if (!all.has(signal)) report(at.path, `no step of this workflow can end in \`${signal}\`${suggest(signal, all)}`, "key");

	const scopes = scopesOf(workflow, drafts, report);
	const known: Known = { types: drafts, routes: withVisits(routes, drafts), budgets, broken, hasAbort: (workflow.abort ?? []).length > 0 };
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
	if (workflow.title === undefined) warn([], "`title` is missing: lists of workflows show it");

	const fields = fieldsOf(
		workflow,
		[...known.routes.values()].flatMap((r) => [...r.values()]),
	);
	if (sure) {
		for (const [name, draft] of drafts) checkFields(draft, routes.get(name) ?? new Map(), roles.roles, fields, report);
		for (const role of roles.roles.values()) checkPromise(role, fields, report);
	}
	const prompts = readPrompts(drafts, roles, options, sure ? fields : null, report, problems);
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

function readPrompts(
	drafts: ReadonlyMap<string, TypeDraft>,
	{ roles }: Roles,
	options: ParseOptions,
	fields: ReadonlySet<string> | null,
	report: Report,
	problems: Problem[],
): Record<string, string> {
	const wanted: { file: string; at: Path; frame: boolean }[] = [...roles.values()].flatMap((r) =>
		r.frame === undefined ? [] : [{ file: r.frame, at: ["roles", r.name, "frame"], frame: true }],
	);
	for (const { type, path } of drafts.values()) {
		if (type.prompt !== undefined) wanted.push({ file: type.prompt, at: [...path, "prompt"], frame: false });
		for (const m of type.members ?? [])
			if (m.prompt !== undefined) wanted.push({ file: m.prompt, at: [...path, "gate", "members", m.role, "prompt"], frame: false });
		for (const [letter, r] of Object.entries(type.loop?.roles ?? {}))
			if (r.prompt !== undefined) wanted.push({ file: r.prompt, at: [...path, "loop", "roles", letter, "prompt"], frame: false });
	}
	const prompts: Record<string, string> = {};
	for (const { file, at, frame } of wanted) {
		const read = options.readPrompt(file);
		if ("problem" in read) {
			report(at, read.problem);
			continue;
		}
		prompts[file] = read.text;
		if (fields) problems.push(...checkPromptText(read.text, options.promptFile?.(file) ?? file, frame, fields));
	}
	return prompts;
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
