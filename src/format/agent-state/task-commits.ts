// Which commits a task made: from where it began to its checkpoint and, if it was planned anew, also those from before that.
import type { RunState, Story } from "../../core/model.ts";
import { isSameStory } from "../../core/query.ts";
import { CHECKPOINT, SAVE_POINT } from "./view.ts";

/** The field of a story that holds the commit at which it began. */
export const START = "start";

export interface Range {
	readonly from: string;
	readonly to: string;
}

export interface Ranges {
	/** Of each time that the task was given up for a new plan, oldest first. */
	readonly before: readonly Range[];
	/** `to`: empty until its checkpoint is taken. null: it has not begun. */
	readonly now: Range | null;
}

export function rangesOf({ replaced = [], stories }: RunState, story: Story): Ranges {
	const { scope } = story;
	// A label that has a task of its own now says more than an equal title.
	const isOther = (one: Story): boolean => one.id !== story.id && stories.some(({ id }) => id === one.id);
	const before = replaced
		.filter((one) => isSameStory(one, story) && !isOther(one))
		.map(({ scope: { fields } }) => ({ from: fields[START] ?? "", to: fields[SAVE_POINT] ?? "" }))
		.filter(({ from, to }) => from !== "" && to !== "" && from !== to);
	const from = scope.fields[START];
	return { before, now: from === undefined ? null : { from, to: scope.fields[CHECKPOINT] ?? "" } };
}
