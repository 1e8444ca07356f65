// `pawl logs STORY` means a story of the latest run. What opens a run throws this if the name that it was given is such a story's.
import { Refusal } from "./refusal.ts";

export class StoryNamed extends Refusal {
	readonly run: string;
	readonly story: string;

	constructor(run: string, story: string) {
		super("not_found", `there is no run ${story}; run ${run} has a story ${story}: name the run first (${run} ${story})`);
		this.run = run;
		this.story = story;
	}
}

/** Does the work with a story of the latest run, if that is what the first name is. `work` opens the run before it does anything else. */
export async function withStory<T>(
	run: string | undefined,
	story: string | undefined,
	work: (run: string | undefined, story: string | undefined) => Promise<T>,
): Promise<T> {
	try {
		return await work(run, story);
	} catch (error) {
		if (story === undefined && error instanceof StoryNamed) return work(error.run, error.story);
		throw error;
	}
}
