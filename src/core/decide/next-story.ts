// Which story starts next when a slot is free: by priority, then the one with the longest chain of stories behind it, then in the order of
// the list. The chain decides how long the whole run takes, so its weights are what the stories of this run took so far.
import { weightBehind } from "../graph.ts";
import type { RunState, Story } from "../model.ts";
import { eachOf } from "../query.ts";

export function nextStory(state: RunState): Story | undefined {
	const status = new Map(state.stories.map((s) => [s.id, s.status]));
	const ready = state.stories.filter((s) => s.status === "unclaimed" && s.dependsOn.every((id) => status.get(id) === "completed"));
	if (eachOf(state)?.order === "list") return ready[0];
	const first = ready.reduce((least, s) => Math.min(least, s.priority), Number.POSITIVE_INFINITY);
	const equal = ready.filter((s) => s.priority === first);
	if (equal.length < 2) return equal[0];
	const behind = chainsBehind(state);
	return equal.reduce((best, s) => ((behind.get(s.id) ?? 0) > (behind.get(best.id) ?? 0) ? s : best));
}

/** How long the work behind each story will take: nothing where no story that is left needs it. */
const chainsBehind = ({ stories }: RunState): ReadonlyMap<string, number> =>
	weightBehind(
		stories.filter((s) => s.status === "unclaimed"),
		weights(stories),
	);

interface Took {
	readonly ms: number;
	readonly stories: number;
}

/** A story is expected to take as long as those of its group did, or else as those of the run. */
function weights(stories: readonly Story[]): (id: string) => number {
	const groups = new Map(stories.map((s) => [s.id, s.group]));
	const took = new Map<string | null, Took>();
	const none: Took = { ms: 0, stories: 0 };
	let all = none;
	const and = (before: Took, ms: number): Took => ({ ms: before.ms + ms, stories: before.stories + 1 });
	for (const { group, claimedAt, completedAt } of stories) {
		if (claimedAt === null || completedAt === null) continue;
		const ms = Math.max(1, completedAt - claimedAt);
		took.set(group, and(took.get(group) ?? none, ms));
		all = and(all, ms);
	}
	return (id) => {
		const { ms, stories: count } = took.get(groups.get(id) ?? null) ?? all;
		return count === 0 ? 1 : ms / count;
	};
}
