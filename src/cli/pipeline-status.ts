// A run as its steps and stories, in the words of the tables that others read.
import type { RunState } from "../core/model.ts";
import { rowsOf } from "../view/pipeline-rows.ts";
import { oneLine } from "./text.ts";

export function pipelineStatus(state: RunState): string {
	const { steps } = rowsOf(state);
	const done = state.stories.filter((s) => s.status === "completed").length;
	const wide = Math.max(0, ...steps.map((s) => s.step_id.length));
	return `${[
		`${state.definition.name} ${state.id}: ${state.status}${state.reason === null ? "" : `, ${oneLine(state.reason, 500)}`}`,
		oneLine(state.title, 200),
		...(state.branch === null ? [] : [`branch: ${state.branch}`]),
		...(state.stories.length === 0 ? [] : [`stories: ${done}/${state.stories.length} done`]),
		...steps.map(
			(s) =>
				`  ${s.step_id.padEnd(wide)} ${`[${s.status}]`.padEnd(9)} ${s.agent_id}${s.retry_count > 0 ? ` (retry ${s.retry_count})` : ""}`,
		),
		...(state.stories.length === 0 ? [] : [storyLines(state).trimEnd()]),
	].join("\n")}\n`;
}

const STATUS: Readonly<Record<string, string>> = { completed: "done", in_progress: "running", unclaimed: "pending" };

/** `US-001 [done]    Title (retry 1)` */
export function storyLines(state: RunState): string {
	const rows = state.definition.pipeline
		? rowsOf(state).stories.map((row) => ({ id: row.story_id, status: row.status as string, title: row.title, retries: row.retry_count }))
		: state.stories.map((s) => ({ id: s.id, status: STATUS[s.status] ?? s.status, title: s.title, retries: 0 }));
	const wide = (of: (row: (typeof rows)[number]) => string): number => Math.max(0, ...rows.map((row) => of(row).length));
	const [ids, statuses] = [wide((row) => row.id), wide((row) => `[${row.status}]`)];
	return rows
		.map(
			(row) =>
				`${row.id.padEnd(ids)} ${`[${row.status}]`.padEnd(statuses)} ${oneLine(row.title, 200)}${row.retries > 0 ? ` (retry ${row.retries})` : ""}\n`,
		)
		.join("");
}
