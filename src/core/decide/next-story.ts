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
function chainsBehind({ stories }: RunState): ReadonlyMap<string, number> {
	const left = stories.filter((s) => s.status === "unclaimed");
	if (left.every((s) => s.dependsOn.length === 0)) return new Map();
	const weightOf = weights(stories);
	return weightBehind(left, weightOf);
}

/** A story is expected to take as long as those of its group did, or else as those of the run. */
function weights(stories: readonly Story[]): (id: string) => number {
	const groups = new Map(stories.map((s) => [s.id, s.group]));
	const took = stories.flatMap(({ group, status, claimedAt, completedAt }) =>
		status === "completed" && claimedAt !== null && completedAt !== null ? [{ group, ms: Math.max(1, completedAt - claimedAt) }] : [],
	);
	const mean = (of: typeof took, otherwise: number): number =>
		of.length === 0 ? otherwise : of.reduce((sum, { ms }) => sum + ms, 0) / of.length;
	const all = mean(took, 1);
	const known = new Map<string | null, number>();
	for (const { group } of took) {
		const ofGroup = () =>
			mean(
				took.filter((one) => one.group === group),
				all,
			);
		if (!known.has(group)) known.set(group, ofGroup());
	}
	return (id) => known.get(groups.get(id) ?? null) ?? all;
}
