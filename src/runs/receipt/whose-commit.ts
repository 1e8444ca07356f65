// Which story a commit of a run belongs to: the one that was merged with it, or the one that was being worked on when it was made.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";

/** Commit → story, or `RUN_SCOPE`. `commits`: those of the run, oldest first. */
export function scopesOf(state: RunState, events: readonly Event[], commits: readonly string[]): ReadonlyMap<string, string> {
	if (workspaceOf(state) === "worktree") {
		const announced = events.flatMap((event) => (event.event === "merge_announced" ? [[event.commit, event.scope] as const] : []));
		return new Map(announced.filter(([commit]) => commits.includes(commit)));
	}
	return new Map(commits.map((commit, i) => [commit, scopeAt(state, events, commits, i)]));
}

/** An attempt made what came after the commit that it began at. Where commits were put together afterwards, nobody can tell: then it is the only story
 * that was worked on, or the run. */
function scopeAt(state: RunState, events: readonly Event[], commits: readonly string[], at: number): string {
	const all = [startedWith(state).startCommit, ...commits];
	const begun = events.flatMap((event) =>
		event.event === "step_prepared" && event.commit !== null ? [{ scope: event.scope, at: all.indexOf(event.commit) }] : [],
	);
	if (begun.every((one) => one.at >= 0)) return begun.findLast((one) => one.at <= at)?.scope ?? RUN_SCOPE;
	const stories = new Set(begun.map(({ scope }) => scope).filter((scope) => scope !== RUN_SCOPE));
	return stories.size === 1 ? ([...stories][0] ?? RUN_SCOPE) : RUN_SCOPE;
}
