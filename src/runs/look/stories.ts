// The stories of a run.

import { RUN_SCOPE } from "../../core/model.ts";
import type { KeptStory } from "../../format.ts";
import type { RunsContext } from "../context.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { evidenceOf, type JudgedCriterion } from "./criteria/evidence.ts";
import { keptCriteria } from "./criteria/kept-criteria.ts";
import { type StoryView, storyViews } from "./run-view.ts";

/** With how each of its acceptance criteria was shown. */
export type JudgedStory = StoryView & { readonly criteria: readonly JudgedCriterion[] };

export interface StoriesView {
	readonly run: string;
	readonly workflow: string;
	/** false: its workflow knows no stories. */
	readonly hasStories: boolean;
	readonly stories: readonly JudgedStory[];
	/** The stories of a run that keeps them in its own file, not in the journal. */
	readonly kept: readonly JudgedKeptStory[];
}

export type JudgedKeptStory = KeptStory & { readonly criteria: readonly JudgedCriterion[] };

export function storiesOf(c: RunsContext, run: string | undefined): Promise<StoriesView> {
	return lookAt(c, run, (open) => storiesIn(c, open));
}

export async function storiesIn(c: RunsContext, { state, events }: OpenRun): Promise<StoriesView> {
	const evidence = evidenceOf(state, events);
	const stories = storyViews(state, events, c.now()).map((story) => ({ ...story, criteria: evidence.get(story.id) ?? [] }));
	const { name, types } = state.definition;
	const hasStories = stories.length > 0 || Object.values(types).some(({ kind }) => kind === "each");
	const inFile = stories.length === 0 ? await c.services.keptStories(state) : [];
	const kept = inFile.map((story) => ({ ...story, criteria: keptCriteria(story, state, events) }));
	return { run: state.id, workflow: name, hasStories, stories, kept };
}

/** Wherever the run keeps them. */
export async function storyList(c: RunsContext, open: OpenRun): Promise<readonly JudgedStory[]> {
	const { stories, kept } = await storiesIn(c, open);
	return kept.length === 0 ? stories : kept.map(asJournaled);
}

/** What only the journal could say. */
const UNKNOWN = {
	slot: null,
	depends_on: [] as string[],
	claimed_at: null,
	completed_at: null,
	elapsed_ms: null,
	cost_usd: null,
	input_tokens: null,
	output_tokens: null,
	sessions: 0,
	unknown_cost_sessions: 0,
	error: null,
	current_step: null,
	steps: [] as StoryView["steps"],
	excused: null,
	undone: false,
	retry_count: 0,
	output: null,
};

/** A story that a format keeps in its own file, with the fields of one from the journal: whoever reads them need not know the difference. */
export const asJournaled = (story: JudgedKeptStory, index: number): JudgedStory & JudgedKeptStory => ({
	...UNKNOWN,
	priority: index + 1,
	...story,
});

/** A story, or the run itself (`RUN_SCOPE`), with its criteria. */
export type OneStory = {
	readonly id: string;
	readonly title: string;
	readonly status: string;
	readonly criteria: readonly JudgedCriterion[];
};

export function oneStoryOf(c: RunsContext, run: string | undefined, scope: string): Promise<OneStory> {
	return lookAt(c, run, async (open) => {
		const { state, events } = open;
		if (scope === RUN_SCOPE)
			return { id: state.id, title: state.title, status: state.status, criteria: evidenceOf(state, events).get(RUN_SCOPE) ?? [] };
		const { stories, kept } = await storiesIn(c, open);
		const all: readonly OneStory[] = [...stories, ...kept];
		const found = all.find(({ id }) => id === scope);
		if (found !== undefined) return found;
		throw new Refusal("not_found", `run ${state.id} has no story ${scope}; there are ${all.map(({ id }) => id).join(", ") || "none"}`);
	});
}
