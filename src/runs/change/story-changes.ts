// A list of stories that changed while its run stood still: takes up new stories and changes of unfinished ones, and reports the rest.
import type { Input, StorySeed } from "../../core/input.ts";
import type { RunState, Story } from "../../core/model.ts";
import { typeOf, waitingSteps } from "../../core/query.ts";
import type { RunsContext } from "../context.ts";

export interface StoryChanges {
	readonly added: readonly StorySeed[];
	readonly changed: readonly StorySeed[];
	/** A plan that changed before it was approved: pawl plans all of it again and shows it again. */
	readonly renewed?: { readonly stories: readonly StorySeed[]; readonly fields: Readonly<Record<string, string>> };
	/** For a person, one sentence each. */
	readonly notes: readonly string[];
}

const NONE: StoryChanges = { added: [], changed: [], notes: [] };

/** From the current version of the list that the run was started from. */
export async function changesInList(c: RunsContext, state: RunState): Promise<StoryChanges> {
	const now = await c.services.storiesNow(state);
	if (now === null) return NONE;
	if ("problem" in now) return { ...NONE, notes: [`pawl ignores the changes in ${now.file}: ${now.problem}`] };
	return now.plan === undefined ? storyChanges(state, now.stories, now.file) : planChanged(state, now.stories, now.file, now.plan);
}

/** Takes up a whole plan until an agent works on it; after that it only reports changes. */
function planChanged(state: RunState, now: readonly StorySeed[], file: string, fields: Readonly<Record<string, string>>): StoryChanges {
	const { replaced = [] } = state;
	const was = new Map([...state.stories, ...replaced.toReversed()].map((story) => [story.id, story]));
	const other = now.filter((seed) => !was.has(seed.id) || differs(was.get(seed.id), seed)).map(({ id }) => id);
	// After a new plan nobody can tell which stories were in the document.
	const gone = replaced.length > 0 ? [] : state.stories.map(({ id }) => id).filter((id) => !now.some((seed) => seed.id === id));
	// A run that an earlier version started may not have such a field.
	const around = Object.entries(fields).some(([name, text]) => (state.root.fields[name] ?? text) !== text)
		? ["the text around its tasks"]
		: [];
	const ids = [...other, ...gone, ...around].join(", ");
	if (ids === "") return NONE;
	const each = state.root.steps.find((step) => typeOf(state, step)?.kind === "each");
	if (each?.status === "pending" && replaced.length === 0)
		return {
			...NONE,
			renewed: { stories: now, fields },
			notes: [`${file} has changed since it was planned (${ids}): it is planned and shown again`],
		};
	// A person who is asked about a story may mend it in the document.
	const asked = new Set(waitingSteps(state).map(({ scope }) => scope));
	const changed = now.filter((seed) => asked.has(seed.id) && differs(was.get(seed.id), seed));
	const rest = [...other, ...gone, ...around].filter((id) => !changed.some((seed) => seed.id === id)).join(", ");
	return {
		...NONE,
		changed,
		notes: [
			...(changed.length === 0 ? [] : [`changed in ${file}; pawl takes the change up: ${changed.map(({ id }) => id).join(", ")}`]),
			...(rest === ""
				? []
				: [`${file} has changed since its plan was approved (${rest}): this run ignores the change; --fresh starts a new run with it`]),
		],
	};
}

export function storyChanges(state: RunState, now: readonly StorySeed[], file: string): StoryChanges {
	const known = new Map(state.stories.map((story) => [story.id, story]));
	const added = now.filter(({ id }) => !known.has(id));
	const other = now.filter((seed) => differs(known.get(seed.id), seed));
	const changed = other.filter(({ id }) => known.get(id)?.status !== "completed");
	const done = other.filter(({ id }) => known.get(id)?.status === "completed");
	const gone = state.stories.filter(({ id }) => !now.some((seed) => seed.id === id));
	const note = (stories: readonly { readonly id: string }[], text: string): string[] =>
		stories.length === 0 ? [] : [`${text}: ${stories.map(({ id }) => id).join(", ")}`];
	return {
		added,
		changed,
		notes: [
			...note(added, `new in ${file}`),
			...note(changed, `changed in ${file}; pawl takes the change up`),
			...note(done, `changed in ${file}, but already done; pawl ignores the change`),
			...note(gone, `no longer in ${file}, but still part of the run`),
		],
	};
}

const differs = (story: Story | undefined, { title, description, criteria }: StorySeed): boolean =>
	story !== undefined &&
	(story.title !== title ||
		story.description !== description ||
		story.criteria.length !== criteria.length ||
		story.criteria.some((text, i) => text !== criteria[i]));

/** Tells the person what has changed in the list that the run was started from; the inputs that take it up. */
export async function inputsOfList(c: RunsContext, state: RunState): Promise<Input[]> {
	const changes = await changesInList(c, state);
	for (const note of changes.notes) c.warn(note);
	return inputsFor(changes, c.now());
}

/** Empty if there is nothing to take up. */
export const inputsFor = ({ added, changed, renewed }: StoryChanges, at: number): Input[] => [
	...(renewed === undefined ? [] : [{ type: "renew_plan", at, ...renewed } as const]),
	...(added.length + changed.length === 0 ? [] : [{ type: "add_stories", at, stories: added, changed } as const]),
];
