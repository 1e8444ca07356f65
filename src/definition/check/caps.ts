// Checks that every loop ends: `retry`, `reopen` and `insert` need a cap of their own, and every cycle of gotos needs one.
import type { Route } from "../../core/definition.ts";
import { variants } from "../actions.ts";
import { UNLIMITED } from "../notation.ts";
import type { Path, Report } from "../problem.ts";
import type { Known, ScopeList } from "./scopes.ts";

interface Edge {
	readonly from: string;
	readonly to: string;
	readonly path: Path;
	readonly route: Route | null;
	readonly type: string;
}

const capped = (route: Route | null, known?: Known): boolean =>
	(route?.max !== undefined && route.max < UNLIMITED) ||
	route?.spend !== undefined ||
	(route?.action === "goto" && known?.types.get(route.target ?? "")?.type.visits !== undefined);
/** A cap per entry is reset when the step is entered again; all others last. */
const capLasts = (route: Route): boolean => route.spend !== undefined || (route.max !== undefined && route.per !== "entry");

export function checkCaps(scope: ScopeList, members: ReadonlySet<string>, known: Known, report: Report): void {
	for (const name of members)
		for (const at of known.routes.get(name)?.values() ?? [])
			for (const { route, path } of variants(at)) {
				const again =
					route.action === "insert" ||
					route.action === "reopen" ||
					(route.action === "wait" && route.target === "answer") ||
					(route.action === "retry" && known.types.get(name)?.type.kind !== "loop");
				if (route.action === "wait" && route.target === "answer" && known.types.get(name)?.type.kind !== "agent")
					report(path, "only a step of a role can ask for an answer: it runs again with it. Write `wait person` here");
				if (again && !capped(route, known) && known.types.get(name)?.type.spend === undefined)
					report(
						path,
						`nothing ends this \`${route.action}\`: add \`max\`, as 3/${scope.kind === "story" ? "story" : "run"}, and \`exhausted\``,
					);
			}
	const edges = edgesOf(scope, members, known);
	const free = edges.filter((e) => !capped(e.route, known));
	const circling = free.filter((e) => e.route !== null && reach(e.to, free).has(e.from));
	// The way back from a detour is fine; the route that leads to the detour needs the cap.
	const senders = circling.filter((e) => !known.types.get(e.type)?.type.detour);
	for (const e of senders.length > 0 ? senders : circling)
		report(
			e.path,
			`nothing ends this way back to \`${e.route?.target}\`: add \`max\`, as 3/${scope.kind === "story" ? "story" : "run"}, and \`exhausted\``,
		);
	for (const e of edges) {
		if (!e.route || !capped(e.route) || capLasts(e.route)) continue;
		if (e.route.fresh && reach(e.to, edges).has(e.from))
			report(e.path, "`fresh` starts the caps anew, so a cap per entry never ends this: cap it per step, story or run, or spend a budget");
	}
}

/** Steps of the list are nodes by position (`#3`), all others by type. */
function edgesOf(scope: ScopeList, members: ReadonlySet<string>, known: Known): Edge[] {
	const nodesOf = (name: string): string[] => {
		const found = scope.steps.flatMap((s, i) => (s.type === name ? [`#${i}`] : []));
		return found.length > 0 ? found : [name];
	};
	const after = (node: string): string[] =>
		node.startsWith("#") && Number(node.slice(1)) + 1 < scope.steps.length ? [`#${Number(node.slice(1)) + 1}`] : [];
	const senders = (detour: string): string[] =>
		[...members].filter((m) =>
			[...(known.routes.get(m)?.values() ?? [])].some((at) =>
				variants(at).some((v) => v.route.action === "goto" && v.route.target === detour),
			),
		);
	return [...members].flatMap((name) => {
		const type = known.types.get(name)?.type;
		const from = nodesOf(name);
		const onward = type?.detour ? senders(name).flatMap(nodesOf).flatMap(after) : null;
		const skipped: Edge[] =
			type && type.when.length > 0 ? from.flatMap((f) => after(f).map((to) => ({ from: f, to, path: [], route: null, type: name }))) : [];
		const routed = [...(known.routes.get(name)?.values() ?? [])].flatMap(variants).flatMap(({ route, path }): Edge[] => {
			if (route.action === "goto") {
				const to = route.target === "back" ? senders(name).flatMap(nodesOf) : nodesOf(route.target ?? "");
				return from.flatMap((f) => to.map((t) => ({ from: f, to: t, path, route, type: name })));
			}
			if (route.action !== "next" && route.action !== "skip" && route.action !== "insert") return [];
			return from.flatMap((f) =>
				(onward ?? after(f)).map((t) => ({ from: f, to: t, path, route: capped(route) ? route : null, type: name })),
			);
		});
		return [...skipped, ...routed];
	});
}

/** All nodes that can be reached from one, itself included. */
function reach(start: string, edges: readonly Edge[]): Set<string> {
	const seen = new Set([start]);
	for (const node of seen) for (const e of edges) if (e.from === node) seen.add(e.to);
	return seen;
}
