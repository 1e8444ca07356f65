// The action `merge`: a story's branch becomes one commit on base. Every check of the repository passes on the merged tree first.

import type { CheckResult } from "../../core/input.ts";
import { type Action, EVERY_CHECK } from "../../format.ts";
import { failuresIn } from "../attempt/undisturbed.ts";
import { mergeBase } from "../workspaces.ts";

/** How soon a merge that waits for the user's checkout looks again: ever later, as each look is in the journal for good. */
const AGAIN_MS = 2_000;
const LATEST_MS = 15_000;

export const merge: Action = async ({ state, scope, step, repository, now, check }) => {
	const story = state.stories.find((s) => s.id === scope);
	if (!story || story.slot === null) return { signal: "workspace_error", error: `story ${scope} has no worktree` };
	// Of the try that counts: base may move while a tree is checked.
	let results: readonly CheckResult[] = [];
	const result = await repository.merge(story.slot, {
		run: state.id,
		story: story.id,
		title: story.title,
		base: mergeBase(state),
		check: async (path) => {
			results = await check([EVERY_CHECK], path);
			return failuresIn(results);
		},
		ignore: state.input["prd"] === undefined ? [] : [state.input["prd"]],
	});
	switch (result.result) {
		case "merged":
			return { signal: "merged", notes: result.commit, checks: results };
		case "empty":
			return { signal: "empty", error: "there is nothing to merge: the branch equals its base" };
		case "conflict":
			return { signal: "conflict", error: `conflict with ${mergeBase(state)} in ${result.paths.join(", ")}` };
		case "checks_failed":
			return { signal: "checks_failed", checks: results, error: `the checks fail on the merged tree: ${result.failures.join("\n")}` };
		case "dirty":
			return {
				signal: "dirty",
				error: `${mergeBase(state)} is checked out with uncommitted changes (${result.paths.slice(0, 5).join(", ")}); the merge goes on when they are committed or put away`,
				retryAt: now() + Math.min(LATEST_MS, AGAIN_MS * 2 ** Math.min(step.attempt - 1, 5)),
			};
	}
};
