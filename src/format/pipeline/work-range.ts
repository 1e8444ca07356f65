// Which commits are the work of a story or of the run. A story that was put on top of others' work begins where its own commits do, not where it
// began: a judge must not look at what others did.
import { RUN_SCOPE } from "../../core/model.ts";
import { findScope, hasStoryTrees, startOfWork } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { PromptContext } from "../../format.ts";

export interface WorkRange {
	/** For `FROM..HEAD`; undefined before it began. */
	readonly from: string | undefined;
	/** There is no commit in it. */
	readonly empty: boolean;
}

/** `counted`: whether there are commits has to be known. */
export async function workRange({ state, scope, repository, workspace }: PromptContext, counted: boolean): Promise<WorkRange> {
	const story = scope === RUN_SCOPE ? undefined : findScope(state, scope);
	const start = story === undefined ? startedWith(state).startCommit : startOfWork(story);
	const from = start?.slice(0, 12);
	const apart = story !== undefined && hasStoryTrees(state);
	if (!start || !(counted || apart)) return { from, empty: !start };
	// A dry run has no branch yet.
	const made = await repository.commits(start, workspace.branch).catch(() => null);
	if (made === null) return { from, empty: false };
	const base = apart ? (state.branch ?? state.options.base) : null;
	const own = base === null ? made : await repository.commits(base, workspace.branch).catch(() => made);
	const [first] = own;
	return { from: first !== undefined && own.length < made.length ? `${first.sha.slice(0, 12)}^` : from, empty: made.length === 0 };
}
