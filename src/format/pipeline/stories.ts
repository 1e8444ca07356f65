// The stories of a run as other programs read them, with the names of the pipelines' document: what `pawl step stories --json` prints.
import type { RunState } from "../../core/model.ts";
import { rowsOf, storyRowId } from "./rows.ts";

export interface PipelineStory {
	readonly id: string;
	readonly runId: string;
	readonly storyIndex: number;
	readonly storyId: string;
	readonly title: string;
	readonly description: string;
	readonly acceptanceCriteria: readonly string[];
	readonly status: string;
	/** What its developer printed; left out if there is nothing yet. */
	readonly output?: string;
	readonly retryCount: number;
	readonly maxRetries: number;
}

const STATUS: Readonly<Record<string, string>> = { completed: "done", in_progress: "running", unclaimed: "pending", blocked: "pending" };

/** In the order of their list. Stories of a run that is not a pipeline have no such retries. */
export function storiesOf(state: RunState): PipelineStory[] {
	const rows = new Map(rowsOf(state).stories.map((row) => [row.story_id, row]));
	return state.stories.map((story, storyIndex) => {
		const row = rows.get(story.id);
		const output = row?.output ?? null;
		return {
			id: storyRowId(state.id, story.id),
			runId: state.id,
			storyIndex,
			storyId: story.id,
			title: story.title,
			description: story.description,
			acceptanceCriteria: story.criteria,
			status: row?.status ?? STATUS[story.status] ?? story.status,
			...(output === null ? {} : { output }),
			retryCount: row?.retry_count ?? 0,
			maxRetries: row?.max_retries ?? 0,
		};
	});
}

/** The story that a step of a pipeline works on; null if there is none. */
export function currentStoryOf(state: RunState, stepId: string): PipelineStory | null {
	const at = rowsOf(state).steps.find((row) => row.step_id === stepId)?.current_story_id ?? null;
	return at === null ? null : (storiesOf(state).find((story) => story.id === at) ?? null);
}
