// The stories of a run.
import type { KeptStory } from "../../format.ts";
import type { RunsContext } from "../context.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { type StoryView, storyViews } from "./run-view.ts";

export interface StoriesView {
	readonly run: string;
	readonly stories: readonly StoryView[];
	/** The stories of a run that keeps them in its own file, not in the journal. */
	readonly kept: readonly KeptStory[];
}

export function storiesOf(c: RunsContext, run: string | undefined): Promise<StoriesView> {
	return lookAt(c, run, (open) => storiesIn(c, open));
}

export async function storiesIn(c: RunsContext, { state, events }: OpenRun): Promise<StoriesView> {
	const stories = storyViews(state, events, c.now());
	return { run: state.id, stories, kept: stories.length === 0 ? await c.services.keptStories(state) : [] };
}
