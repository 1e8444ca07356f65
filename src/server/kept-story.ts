// A story that a format keeps in its own file, with the fields of one from the journal: whoever reads them need not know the difference.
import type { StoryView } from "../runs/look/run-view.ts";
import type { JudgedStory, StoriesView } from "../runs/look/stories.ts";

type KeptStory = StoriesView["kept"][number];

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

export const asJournaled = (story: KeptStory, index: number): JudgedStory & KeptStory => ({
	...UNKNOWN,
	priority: index + 1,
	...story,
});
