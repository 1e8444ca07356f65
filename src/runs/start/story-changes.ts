// A list of stories that changed while its run stood still: takes up new stories and changes of unfinished ones, and reports the rest.
import type { Input, StorySeed } from "../../core/input.ts";
import type { RunState, Story } from "../../core/model.ts";
import type { RunsContext } from "../context.ts";

export interface StoryChanges {
	readonly added: readonly StorySeed[];
	readonly changed: readonly StorySeed[];
	/** For a person, one sentence each. */
	readonly notes: readonly string[];
}

const NONE: StoryChanges = { added: [], changed: [], notes: [] };

/** From the current version of the list that the run was started from. */
export async function changesInList(c: RunsContext, state: RunState): Promise<StoryChanges> {
	const now = await c.services.storiesNow(state);
	if (now === null) return NONE;
	return "problem" in now
		? { ...NONE, notes: [`${now.file} is not taken up: ${now.problem}`] }
		: storyChanges(state, now.stories, now.file);
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
			...note(changed, `changed in ${file}, and taken up`),
			...note(done, `changed in ${file}, but done already, so not taken up`),
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

/** Empty if there is nothing to take up. */
export const inputsFor = ({ added, changed }: StoryChanges, at: number): Input[] =>
	added.length + changed.length === 0 ? [] : [{ type: "add_stories", at, stories: added, changed }];
