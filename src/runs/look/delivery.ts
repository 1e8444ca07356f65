// What a run has made so far: its branch, its commits, its pull request, and what pawl put aside on the way. The summary at the end of a run and
// `pawl status` show the same.
import type { Event } from "../../core/event.ts";
import { KEPT_REFS, publishedCommit, pullRequestFile, pullRequestUrl } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";
import { workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { History, ListedCommit } from "../../workspace.ts";

export interface Delivery {
	/** The branch of its own that the run has; null: it has none. */
	readonly branch: string | null;
	/** The branch that its work is for. */
	readonly base: string | null;
	/** What it added to its branch, or to base; oldest first. */
	readonly commits: readonly { readonly sha: string; readonly subject: string }[];
	/** Where the pull request is; null: none was opened. */
	readonly pull_request: string | null;
	/** The file with the text of a pull request; null: there is none. */
	readonly pull_request_text: string | null;
}

export async function deliveryOf(repository: History, events: readonly Event[], state: RunState): Promise<Delivery> {
	const to = landedTip(events, state) ?? state.branch ?? state.options.base ?? "HEAD";
	const others = workspaceOf(state) === "tree" ? await repository.commitsOfOthers() : [];
	const all = await repository.commits(startedWith(state).startCommit, to).catch(() => []);
	return {
		branch: branchOf(state),
		base: targetBranch(state),
		commits: ownCommits(state, events, all, others),
		pull_request: pullRequestUrl(state),
		pull_request_text: pullRequestFile(state),
	};
}

/** The last commit of a run that machines share which got onto base: the branch here may be behind. */
function landedTip(events: readonly Event[], { stories }: RunState): string | null {
	if (stories.every(({ scope }) => publishedCommit(scope) === null)) return null;
	const notes = new Set(stories.flatMap(({ scope }) => scope.steps.flatMap((step) => (step.status === "completed" ? [step.notes] : []))));
	const last = events.findLast((event) => event.event === "merge_announced" && notes.has(event.commit));
	return last?.event === "merge_announced" ? last.commit : null;
}

/** The branch of its own that a run has: one worktree for everything, or a branch that its pull request is made from. */
export const branchOf = (state: RunState): string | null => state.branch ?? (startedWith(state).target === "" ? null : state.options.base);

/** The branch that the work of a run is for: its base, or the one that its pull request goes into. */
export const targetBranch = (state: RunState): string | null =>
	startedWith(state).target || (state.input["base_branch"] ?? state.options.base);

/** Others commit to the same branch too. A run with worktrees announced every commit it made on base; in the user's tree git's log of the
 * branch tells them apart, and what came after the run is a later run's; a run's own branch holds nothing else. */
function ownCommits(
	state: RunState,
	events: readonly Event[],
	all: readonly ListedCommit[],
	others: readonly string[],
): Delivery["commits"] {
	const announced = new Set(events.flatMap((event) => (event.event === "merge_announced" ? [event.commit] : [])));
	const end = state.endedAt ?? Number.POSITIVE_INFINITY;
	// A person took work back, and the run went on afterwards.
	const back = new Set(state.undone?.map(({ by }) => by));
	const isOwn = ({ sha, at }: ListedCommit): boolean =>
		workspaceOf(state) === "worktree" ? announced.has(sha) : at <= end && !others.includes(sha) && !back.has(sha);
	return all.filter(isOwn).map(({ sha, subject }) => ({ sha, subject }));
}

/** Whether a session made a branch, a tag or a stash that was taken away again and is kept under a ref of pawl's. */
export const keptRefs = (events: readonly Event[]): string | null =>
	events.some((event) => (event.event === "remarked" ? event.text : event.event === "route_taken" ? event.reason : "")?.includes(KEPT_REFS))
		? KEPT_REFS
		: null;

const PUT_BACK = /^put back: /;

/** What sessions changed that they may not, and that was put back: each once, in the words in which it was told. */
export const putBackIn = (events: readonly Event[]): readonly string[] => [
	...new Set(
		events.flatMap((event) => (event.event === "remarked" && PUT_BACK.test(event.text) ? [event.text.replace(PUT_BACK, "")] : [])),
	),
];
