// The end of a run that merged stories: nothing counts as delivered before pawl has looked at base. A commit that is gone by then (somebody moved
// the branch back) is named and fails the run.
import { type LostMerge, type Merged, RUN_SCOPE, type RunState, type RunStatus } from "../model.ts";
import { workspaceOf } from "../query.ts";
import type { Decision } from "./decision.ts";

/** A merge that an earlier version made announced nothing: there is nothing to look for. */
export const mergedStories = ({ stories }: Pick<RunState, "stories">): Merged[] =>
	stories.flatMap(({ id, status, scope }) => {
		const commits = scope.steps.flatMap((step) => step.announced ?? []).reverse();
		return status === "completed" && commits.length > 0 ? [{ story: id, commits }] : [];
	});

/** Ends the run, once base is known to hold what was merged. */
export function finishRun(d: Decision, status: RunStatus, reason: string | null): void {
	const merges = mergedStories(d.state);
	if (merges.length === 0) return d.end(status, reason);
	if (d.looked !== null) {
		const lost = d.looked.map((one) => lostText(d.state, one));
		return lost.length === 0 ? d.end(status, reason) : d.end("failed", [...(reason === null ? [] : [reason]), ...lost].join("; "));
	}
	if (d.state.sought) return;
	d.emit({ event: "merges_sought" });
	d.effect({ effect: "look_for_merges", scope: RUN_SCOPE, merges });
}

function lostText(state: RunState, { story, commit }: LostMerge): string {
	const base = (workspaceOf(state) === "branch" ? state.branch : null) ?? state.options.base ?? "its base";
	const short = commit.slice(0, 12);
	return `${story} was merged into ${base} as ${short}, and ${base} no longer holds that commit: the branch was moved. Bring it back with git cherry-pick ${short}`;
}
