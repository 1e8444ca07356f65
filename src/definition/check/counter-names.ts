// Refuses names that would make two counters of a run the same (T-03, G-21).
import { isTypeTaken, VISITS } from "../../core/counter.ts";
import { type RouteAt, variants } from "../actions.ts";
import type { Report } from "../problem.ts";
import type { TypeDraft } from "../types.ts";

export function checkCounterNames(
	drafts: ReadonlyMap<string, TypeDraft>,
	signals: ReadonlyMap<string, readonly string[] | null>,
	routes: ReadonlyMap<string, ReadonlyMap<string, RouteAt>>,
	report: Report,
): void {
	for (const [name, { path }] of drafts) {
		const ends = signals.get(name) ?? [];
		if (isTypeTaken(name)) report(path, `\`${name}\` is what pawl calls its own counters or steps: call the type something else`, "key");
		if (ends.includes(VISITS))
			report(path, `\`${name}\` can end in \`${VISITS}\`, which is a counter of pawl's own: call it something else`, "key");
		for (const at of routes.get(name)?.values() ?? [])
			for (const { route, path: here } of variants(at)) {
				if (route.count === undefined) continue;
				if (route.count === VISITS) report([...here, "count"], `\`${VISITS}\` is a counter of pawl's own: call it something else`);
				else if (ends.includes(route.count))
					report(
						[...here, "count"],
						`\`${route.count}\` is also a signal of \`${name}\`, which is counted by that name: call it something else`,
					);
			}
	}
}
