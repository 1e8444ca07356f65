// The action `merge`: a story's branch becomes one commit on base. Every check of the repository passes on the merged tree first.

import { EMPTY } from "../../core/definition.ts";
import type { CheckResult } from "../../core/input.ts";
import { publishedCommit } from "../../core/mark.ts";
import { startOfWork } from "../../core/query.ts";
import { type Action, EVERY_CHECK, type StepContext } from "../../format.ts";
import { failuresIn } from "../attempt/undisturbed.ts";
import { isApart, mergeBase } from "../workspaces.ts";
import { mergeAhead } from "./merge-ahead.ts";

/** How soon a merge that waits for the user's checkout may try again, at the earliest. */
const AGAIN_MS = 2_000;
const LATEST_MS = 15_000;
const MOST_NAMED = 10;

const tryToMerge: Action = async (context) => {
	const { state, scope, step, repository, now, signal, announceMerge, userFiles, mergeQueue: queue } = context;
	const story = state.stories.find((s) => s.id === scope);
	if (!story || story.slot === null) return { signal: "workspace_error", error: `story ${scope} has no worktree` };
	const { slot } = story;
	const start = startOfWork(story.scope);
	// The results of the last try: base may move while a tree is checked, and then it is checked again.
	let results: readonly CheckResult[] = [];
	const check = async (path: string, tree: string, until?: AbortSignal): Promise<readonly string[]> => {
		results = await context.check([EVERY_CHECK], path, tree, until);
		// Whoever stops the run keeps checks from running: then nothing is proved.
		return signal.aborted ? ["the merge was given up before its checks had ended"] : failuresIn(results);
	};
	const work = {
		run: state.id,
		story: story.id,
		title: story.title,
		base: mergeBase(state),
		apart: isApart(state),
		// Another machine than the one that began the story may merge it.
		...(start === null || publishedCommit(story.scope) === null ? {} : { start }),
		...(step.announced === undefined ? {} : { announced: step.announced }),
	};
	const ahead = queue === null ? null : await mergeAhead({ repository, slot, queue, signal, work, check });
	if (signal.aborted) return { signal: "workspace_error", error: "the merge was given up before its turn came" };
	if (ahead === null) results = [];
	const result = await repository.merge(slot, {
		...work,
		check,
		ignore: await userFiles(),
		announce: announceMerge,
		...(ahead === null ? {} : { ahead }),
		...(queue === null ? {} : { stacked: (commit: string, onto: string) => queue.stacked(commit, onto, null) }),
	});
	const passed = failuresIn(results).length === 0 ? { checks: results } : {};
	const retryAt = now() + Math.min(LATEST_MS, AGAIN_MS * 2 ** Math.min(step.attempt - 1, 5));
	switch (result.result) {
		case "merged":
			return { signal: "merged", notes: result.commit, checks: results };
		case "empty":
			return { signal: EMPTY, error: "there is nothing to merge: the branch equals its base" };
		case "conflict":
			return { signal: "conflict", error: conflictText(mergeBase(state), result.paths, result.markers ?? []) };
		case "checks_failed":
			return { signal: "checks_failed", checks: results, error: `the checks fail on the merged tree: ${result.failures.join("\n")}` };
		case "held":
			return {
				signal: "dirty",
				error: `${mergeBase(state)} is checked out at ${result.path}, where ${result.run === "" ? "another run" : `run ${result.run}`} works; the merge goes on when that run stops`,
				retryAt,
				...passed,
			};
		case "dirty":
			return {
				signal: "dirty",
				error: `${mergeBase(state)} is checked out with uncommitted changes (${result.paths.slice(0, 5).join(", ")}); the merge goes on when they are committed or put away`,
				retryAt,
				...passed,
			};
	}
};

/** As long as nobody changes base or a checkout of it, a merge that waits for one waits on. */
export const merge = Object.assign(tryToMerge, {
	standing: ({ state, repository }: Pick<StepContext, "state" | "repository">): Promise<string> => repository.standing(mergeBase(state)),
});

function conflictText(base: string, paths: readonly string[], markers: readonly string[]): string {
	if (markers.length === 0) return `conflict with ${base} in ${paths.join(", ")}`;
	const named = markers.slice(0, MOST_NAMED).join(", ") + (markers.length > MOST_NAMED ? ` and ${markers.length - MOST_NAMED} more` : "");
	return `conflict with ${base} in ${paths.join(", ")}: conflict markers were committed at ${named}; resolve the conflict there and remove them`;
}
