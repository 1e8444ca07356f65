// What routes recorded (`record`) because the work continues anyway: unresolved blockers, findings that were not repaired.
import type { Definition, Route } from "./definition.ts";
import { RUN_SCOPE, type RunState } from "./model.ts";
import { droppedStories } from "./query.ts";

export interface Recorded {
	readonly name: string;
	/** RUN_SCOPE or a story's id. */
	readonly scope: string;
	readonly text: string;
}

/** The names under which the routes of a workflow record something. */
export function recordNames({ types }: Definition): ReadonlySet<string> {
	const names = new Set<string>();
	const look = (route: Route | undefined): void => {
		if (route === undefined) return;
		if (route.record !== undefined) names.add(route.record);
		look(route.exhausted);
		look(route.converged);
	};
	for (const type of Object.values(types)) for (const route of Object.values(type.routes)) look(route);
	return names;
}

/** In their order, each once: what was recorded again under another name, as a finding that was not repaired in the end, has only that name. */
export function recorded(state: RunState): readonly Recorded[] {
	const names = recordNames(state.definition);
	const found = new Map<string, Recorded>();
	for (const { id, kept } of [state.root, ...state.stories.map((story) => story.scope)])
		for (const { name, text } of kept) {
			const key = `${id} ${text}`;
			if (!names.has(name)) continue;
			if (found.get(key)?.name !== name) found.delete(key);
			found.set(key, { name, scope: id, text });
		}
	return [...found.values()];
}

const EXCUSED = "settled without a change";

/** What was recorded, which stories a person settled without a change, and what a new plan left out: by heading, for people. */
export function recordedByHeading(state: RunState): ReadonlyMap<string, readonly string[]> {
	const groups = new Map<string, string[]>();
	const add = (heading: string, text: string): void => void groups.set(heading, [...(groups.get(heading) ?? []), text]);
	for (const { name, scope, text } of recorded(state)) add(name.replaceAll("_", " "), scope === RUN_SCOPE ? text : `${scope}: ${text}`);
	for (const { id, title, excused } of state.stories) if (excused !== undefined) add(EXCUSED, `${id}: ${title} (${excused})`);
	for (const { id, title } of droppedStories(state)) add("dropped by a new plan, not done", `${id}: ${title}`);
	return groups;
}
