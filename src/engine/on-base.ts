// The evidence `on-base`: after a step that puts a story on top of its base branch, pawl looks whether it is there. A story whose branch lacks
// commits of base, or has conflict markers, would only come back from the merge, after another review.
import type { CheckResult } from "../core/input.ts";
import { hasStoryTrees } from "../core/query.ts";
import type { Evidence } from "../format.ts";
import { mergeBase } from "./workspaces.ts";

const NAME = "on-base";
const MOST_NAMED = 10;

export const onBase: Evidence = async ({ state, scope, workspace, point, repository }) => {
	if (!hasStoryTrees(state) || !state.stories.some((story) => story.id === scope)) return [];
	const base = mergeBase(state);
	const command = `git merge-base --is-ancestor ${base} HEAD`;
	const ended = (exitCode: number, output: string): readonly CheckResult[] => [{ name: NAME, command, exitCode, output }];
	const missing = await repository.commits(workspace.branch, base);
	// Base may have moved while the step worked; what counts then is base as the step found it.
	const found = missing.length === 0 ? undefined : point?.noted?.refs[`refs/heads/${base}`];
	const lacks = found === undefined ? missing : await repository.commits(workspace.branch, found);
	if (lacks.length > 0) {
		const commits = lacks.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`);
		return ended(
			1,
			`no rebase is under way, and ${workspace.branch} is not on top of ${base}: it lacks ${listed(commits)}. Run \`git rebase ${base}\` and resolve every stop`,
		);
	}
	const markers = await workspace.markersSince(found ?? (await repository.commitOf(base)));
	if (markers.length > 0)
		return ended(1, `conflict markers were committed at ${listed(markers)}: resolve the conflict there and remove them`);
	return ended(0, "");
};

const listed = (all: readonly string[]): string =>
	all.slice(0, MOST_NAMED).join(", ") + (all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : "");
