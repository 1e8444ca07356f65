// What routes recorded (`record`) because the work continues anyway: unresolved blockers, findings that were not repaired.
import type { Definition, Route } from "./definition.ts";
import { RUN_SCOPE, type RunState, type Scope } from "./model.ts";
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

/** The names under which routes record what they send to a repair, from which the work comes back to the one who found it. */
function repairNames({ types }: Definition): ReadonlySet<string> {
	const routes = Object.values(types).flatMap((type) => Object.values(type.routes));
	const sent = routes.filter(({ action, target = "" }) => action === "goto" && types[target]?.detour === true);
	return new Set(sent.flatMap(({ record }) => record ?? []));
}

/** Whoever found it has looked again after every repair, and did not say that it is still there. */
function isLookedAtAgain({ steps }: Scope, id: string): boolean {
	const repairs = (steps ?? []).filter(({ sender }) => sender === id);
	return repairs.length > 0 && [...repairs, steps.find((step) => step.id === id)].every((step) => step?.status === "completed");
}

const KEY = /^\[[^\]]+\]/;

/** What a repair said about the finding, such as why it was refused: the latest word. */
function answerTo({ steps, kept }: Scope, id: string, text: string, names: ReadonlySet<string>): string | null {
	const [key] = KEY.exec(text) ?? [];
	const isRepair = (step: string): boolean => steps.some((one) => one.id === step && one.sender === id);
	const said = kept.findLast((one) => key !== undefined && !names.has(one.name) && one.text.startsWith(key) && isRepair(one.step));
	return said === undefined ? null : `${said.name.replaceAll("_", " ")}: ${said.text.slice(key?.length ?? 0).trim()}`;
}

/** In their order, each once: what was recorded again under another name, as a finding that was not repaired in the end, has only that name. What was
 * repaired is left out; what was refused has the reason. */
export function recorded(state: RunState): readonly Recorded[] {
	const names = recordNames(state.definition);
	const repaired = repairNames(state.definition);
	const found = new Map<string, Recorded>();
	for (const scope of [state.root, ...state.stories.map((story) => story.scope)])
		for (const { name, text, step } of scope.kept) {
			const key = `${scope.id} ${text}`;
			if (!names.has(name)) continue;
			if (found.get(key)?.name !== name) found.delete(key);
			const settled = repaired.has(name) && isLookedAtAgain(scope, step);
			const answer = settled ? answerTo(scope, step, text, names) : null;
			if (!settled || answer !== null) found.set(key, { name, scope: scope.id, text: answer === null ? text : `${text} (${answer})` });
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
