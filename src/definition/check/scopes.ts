// The lists of steps of a workflow (the run's, each story's, the abort list), and whether everything that their routes name exists.
import type { Budget, PlannedStep, Route } from "../../core/definition.ts";
import { type RouteAt, variants } from "../actions.ts";
import { type Path, type Report, suggest } from "../problem.ts";
import type { TypeDraft } from "../types.ts";

export interface ScopeList {
	readonly kind: "run" | "story" | "abort";
	/** Its name in messages. */
	readonly label: string;
	readonly steps: readonly PlannedStep[];
	readonly path: Path;
}

export interface Known {
	readonly types: ReadonlyMap<string, TypeDraft>;
	readonly routes: ReadonlyMap<string, ReadonlyMap<string, RouteAt>>;
	readonly budgets: Readonly<Record<string, Budget>>;
	/** Entries that could not be read, such as `types.coding`: naming one of them is not another error. */
	readonly broken: ReadonlySet<string>;
	/** Types that can occur in a story. */
	readonly inStories: ReadonlySet<string>;
	readonly hasAbort: boolean;
}

/** The types that can occur in a scope: those of its list, and those that routes add. Reports what cannot occur there. */
export function checkScope(scope: ScopeList, known: Known, report: Report): Set<string> {
	const members = new Set<string>();
	checkList(scope, known, report);
	const called = [...known.types.values()].filter((d) => d.type.onDemand && scope.kind === "story").map((d) => d.type.name);
	const waiting = [...scope.steps.map((s) => s.type), ...called];
	for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
		const draft = known.types.get(name);
		if (!draft || members.has(name)) continue;
		members.add(name);
		if (draft.type.edits && scope.kind !== "story")
			report([...draft.path, "edits"], `\`edits\` changes the steps of a story, and \`${name}\` runs outside the stories`, "key");
		if (draft.type.spend !== undefined) checkSpend(scope, draft.type.spend, [...draft.path, "spend"], known, report);
		for (const at of known.routes.get(name)?.values() ?? []) {
			for (const { route, path } of variants(at)) {
				checkRoute(scope, draft, route, path, known, report);
				waiting.push(...(route.steps ?? []).map((s) => s.type));
				if (route.action === "goto" && known.types.get(route.target ?? "")?.type.detour) waiting.push(route.target ?? "");
			}
		}
	}
	return members;
}

function checkList(scope: ScopeList, known: Known, report: Report): void {
	scope.steps.forEach((step, i) => {
		const at = [...scope.path, i];
		const type = known.types.get(step.type)?.type;
		if (!type) return unknownType(step.type, at, known, report);
		if (type.detour) report(at, `\`${step.type}\` is a detour: it is reached only by a route, so take it out of the list`);
		if (type.kind === "each" && scope.kind !== "run")
			report(at, `\`${step.type}\` opens stories: it can stand only in the workflow's own \`steps\``);
		const after = scope.steps.slice(i + 1).find((s) => known.types.get(s.type)?.type.internal === false);
		if (type.last && after) report(at, `\`${step.type}\` is \`last\`, but \`${after.type}\` follows it`);
	});
}

function unknownType(name: string, path: Path, known: Known, report: Report): void {
	if (!known.broken.has(`types.${name}`)) report(path, `there is no step type \`${name}\`${suggest(name, known.types.keys())}`);
}

function checkRoute(scope: ScopeList, draft: TypeDraft, route: Route, path: Path, known: Known, report: Report): void {
	const { type } = draft;
	const listed = scope.steps.map((s) => s.type);
	// A route written as text has no keys, so the position is that of the route.
	const at = (key: string): Path => [...path, key];
	if (route.action === "goto" && route.target !== undefined) checkGoto(scope, draft, route.target, at("goto"), known, report);
	(route.steps ?? []).forEach((step, i) => {
		if (step.type === "same") return;
		const inserted = known.types.get(step.type)?.type;
		if (!inserted) return unknownType(step.type, [...at("insert"), i], known, report);
		if (inserted.kind === "each") report([...at("insert"), i], `\`${step.type}\` opens stories: it cannot be inserted`);
		if (type.last && route.before === undefined && !inserted.internal)
			report(
				[...at("insert"), i],
				`nothing can be put after \`${type.name}\`, which is \`last\`: add \`before: ${type.name}\` and \`reopen: [${type.name}]\``,
			);
	});
	if (route.before !== undefined && !listed.includes(route.before))
		report(at("before"), `${scope.label} has no step \`${route.before}\`${suggest(route.before, listed)}`);
	(route.reopen ?? []).forEach((name, i) => {
		if (!listed.includes(name)) report([...at("reopen"), i], `${scope.label} has no step \`${name}\`${suggest(name, listed)}`);
	});
	if (route.spend !== undefined) checkSpend(scope, route.spend, at("spend"), known, report);
	if (scope.kind !== "story") {
		// A step that is in stories as well fails whichever of the two it is in.
		if (route.action === "fail" && route.target === "story" && !known.inStories.has(type.name))
			report(at("fail"), `\`${type.name}\` runs outside the stories, so there is none to fail: write \`fail run\``);
		if (route.per === "story") report(at("max"), `\`${type.name}\` runs outside the stories: count per entry, step or run`);
	}
	if (route.action === "abort" && scope.kind === "abort") report(path, "the abort steps run already: write `fail run`");
	if (route.action === "abort" && !known.hasAbort)
		report(path, "there are no abort steps: add `abort` to the workflow, or write `fail run`");
}

function checkGoto(scope: ScopeList, draft: TypeDraft, target: string, path: Path, known: Known, report: Report): void {
	if (target === "back") {
		if (!draft.type.detour) report(path, `\`back\` is the step that sent us, and only a detour has one: \`${draft.type.name}\` is none`);
		return;
	}
	const listed = scope.steps.map((s) => s.type);
	const type = known.types.get(target)?.type;
	if (listed.includes(target) || type?.detour || known.broken.has(`types.${target}`)) return;
	const there = [...listed, ...[...known.types.values()].filter((d) => d.type.detour).map((d) => d.type.name)];
	report(
		path,
		type
			? `\`${target}\` is not a step of ${scope.label}, nor a detour${suggest(target, there)}`
			: `there is no step type \`${target}\`${suggest(target, there)}`,
	);
}

function checkSpend(scope: ScopeList, name: string, path: Path, known: Known, report: Report): void {
	const budget = Object.hasOwn(known.budgets, name) ? known.budgets[name] : undefined;
	if (!budget) {
		if (!known.broken.has(`budgets.${name}`)) report(path, `there is no budget \`${name}\`${suggest(name, Object.keys(known.budgets))}`);
	} else if (budget.unit !== "count")
		report(path, `\`${name}\` is a budget of ${budget.unit}: a route takes one unit of a count, as 3/run`);
	else if (budget.scope === "story" && scope.kind !== "story")
		report(path, `\`${name}\` counts per story, and this step runs outside the stories`);
}
