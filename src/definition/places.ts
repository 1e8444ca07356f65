// Where step types occur: in which lists, and what comes before them there. Default routes depend on it.
import { type RouteAt, type RouteTable, variants } from "./actions.ts";
import type { ScopeList } from "./check/scopes.ts";
import { type Place, settled } from "./defaults.ts";
import type { TypeDraft } from "./types.ts";

type Drafts = ReadonlyMap<string, TypeDraft>;

/** The types that can occur in a story: those of the lists of stories, those that routes add, and those that a person asks for. */
export function typesOfStories(scopes: readonly ScopeList[], drafts: Drafts, shared: RouteTable): ReadonlySet<string> {
	const found = new Set<string>();
	const called = [...drafts.values()].filter(({ type }) => type.onDemand).map(({ type }) => type.name);
	const waiting = [...scopes.filter(({ kind }) => kind === "story").flatMap(({ steps }) => steps.map((step) => step.type)), ...called];
	for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
		const draft = drafts.get(name);
		if (!draft || found.has(name)) continue;
		found.add(name);
		const tables = [draft.own, shared];
		const routes = tables.flatMap(({ named, rest }) => [...named.values(), ...(rest ? [rest] : [])]).flatMap(variants);
		for (const { route } of routes) {
			waiting.push(...(route.steps ?? []).map((step) => step.type));
			if (route.action === "goto" && drafts.get(route.target ?? "")?.type.detour) waiting.push(route.target ?? "");
		}
	}
	return found;
}

/** A type with every `fail` of its routes settled. */
export function settledDraft(draft: TypeDraft, inStory: boolean): TypeDraft {
	const settle = (at: RouteAt): RouteAt => ({ ...at, route: at.route && settled(at.route, inStory ? "story" : "run", false) });
	const { own, exhausted, type } = draft;
	const last = exhausted && settle(exhausted);
	return {
		...draft,
		own: { named: new Map([...own.named].map(([signal, at]) => [signal, settle(at)])), rest: own.rest && settle(own.rest) },
		exhausted: last,
		type: type.visits && last?.route ? { ...type, visits: { ...type.visits, exhausted: last.route } } : type,
	};
}

export function placeOf(draft: TypeDraft, scopes: readonly ScopeList[], drafts: Drafts, inStory: boolean, promises: boolean): Place {
	const { type } = draft;
	return {
		kind: type.kind,
		action: type.action,
		fails: inStory ? "story" : "run",
		repairer: repairerOf(type.name, scopes, drafts),
		promises,
		detour: type.detour,
	};
}

/** null if there is none, or if the type is in several lists. */
function repairerOf(name: string, scopes: readonly ScopeList[], drafts: Drafts): string | null {
	const [list, ...more] = scopes.filter(({ steps }) => steps.some((step) => step.type === name));
	if (!list || more.length > 0) return null;
	const before = list.steps.slice(
		0,
		list.steps.findIndex((step) => step.type === name),
	);
	const writes = (type: TypeDraft["type"] | undefined): boolean => type?.kind === "agent" && type.writes !== "none";
	return before.findLast((step) => writes(drafts.get(step.type)?.type))?.type ?? null;
}
