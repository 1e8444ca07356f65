// Which files of a run's folder travel, and whose they are. A file of a story has the story's id in its name; any other one is everybody's.
import { isAbsolute, join, normalize } from "node:path";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { laneOf } from "../../core/query.ts";

/** Everybody's. */
export const SHARED = "";
/** The notes of all stories: everybody appends to them. */
export const NOTES = "scratch.md";

/** Logs travel in pieces; sessions, report boxes and refused commands belong to one machine. Workers write no projections. */
const STAYS = /^(logs|attempts|inbox|sessions|refusals)\/|^(pawl\.log|retro\.md|\.brought)$|\.(tmp|set-aside)$/;

export const travels = (path: string): boolean => !STAYS.test(path);

/** A path that comes from elsewhere and leads to a file of the run's folder. */
export const isBelow = (path: string): boolean =>
	path !== "" && !isAbsolute(path) && normalize(path) === path && !path.startsWith("..") && !path.includes("\0") && join("a", path) !== "a";

/** The lane that a file belongs to: the first part of its path that names one says it. */
export function laneOfPath(state: RunState, path: string): string {
	for (const name of path.split("/")) {
		const names = (id: string): boolean => name === id || name.startsWith(`${id}-`) || name === `scratch_${id}.md` || name === `${id}.json`;
		const [story] = state.stories.filter(({ id }) => names(id)).sort((a, b) => b.id.length - a.id.length);
		if (story !== undefined) return laneOf(state, story.id);
		if (names("run")) return RUN_SCOPE;
	}
	return SHARED;
}
