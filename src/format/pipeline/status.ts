// A run as its steps and stories, in the words of the tables that others read.

import type { CommandContext } from "../../command.ts";
import type { RunState } from "../../core/model.ts";
import { rowsOf } from "./rows.ts";
import { type PipelineStory, storiesOf } from "./stories.ts";

type Text = Pick<CommandContext, "oneLine">;

export function statusText(c: Text, state: RunState): string {
	const { steps } = rowsOf(state);
	const done = state.stories.filter((s) => s.status === "completed").length;
	const wide = Math.max(0, ...steps.map((s) => s.step_id.length));
	return `${[
		`${state.definition.name} ${state.id}: ${state.status}${state.reason === null ? "" : `, ${c.oneLine(state.reason, 500)}`}`,
		c.oneLine(state.title, 200),
		...(state.branch === null ? [] : [`branch: ${state.branch}`]),
		...(state.stories.length === 0 ? [] : [`stories: ${done}/${state.stories.length} done`]),
		...steps.map(
			(s) =>
				`  ${s.step_id.padEnd(wide)} ${`[${s.status}]`.padEnd(9)} ${s.agent_id}${s.retry_count > 0 ? ` (retry ${s.retry_count})` : ""}`,
		),
		...(state.stories.length === 0 ? [] : [storyLines(c, state).trimEnd()]),
	].join("\n")}\n`;
}

/** `US-001 [done]    Title (retry 1)` */
export function storyLines(c: Text, state: RunState): string {
	const stories = storiesOf(state);
	const wide = (of: (story: PipelineStory) => string): number => Math.max(0, ...stories.map((story) => of(story).length));
	const [ids, statuses] = [wide((story) => story.storyId), wide((story) => `[${story.status}]`)];
	return stories
		.map(
			({ storyId, status, title, retryCount }) =>
				`${storyId.padEnd(ids)} ${`[${status}]`.padEnd(statuses)} ${c.oneLine(title, 200)}${retryCount > 0 ? ` (retry ${retryCount})` : ""}\n`,
		)
		.join("");
}
