// What a story changed: its commit on base, else its work so far, else what a run in the user's own tree committed. And what a run changed as a whole.
import type { Event } from "../../core/event.ts";
import { publishedCommit } from "../../core/mark.ts";
import type { RunState, RunStatus, Story, StoryStatus } from "../../core/model.ts";
import { hasStoryTrees, startOfWork, workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { DiffOf, History } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { diffsPutBack } from "../run-files.ts";
import type { SharedCode } from "../shared-code.ts";

export interface StoryDiff {
	readonly run: string;
	/** `run`: the run as a whole. */
	readonly story: string;
	readonly status: StoryStatus | RunStatus;
	/** Those on base; work that is not merged has none there. */
	readonly commits: readonly { readonly sha: string; readonly subject: string }[];
	/** Empty: it changed nothing. */
	readonly patch: string;
	/** Files with what attempts of the story did that was put back. */
	readonly put_back: readonly string[];
}

/** What a story of a run changed; null if nothing of it is left. */
export async function patchOf({ state, repository, events, code }: OpenRun, story: Story): Promise<string | null> {
	const wanted = whatOf(state, story, events);
	const of = code === undefined ? wanted : await broughtHere(code, state, wanted);
	return of === null ? null : repository.diff(of);
}

const RUN = "run";

/** The story is optional if there is only one, or none: then it is what the run changed. */
export function diffOf(c: RunsContext, run: string | undefined, id: string | undefined): Promise<StoryDiff> {
	return lookAt(c, run, async (open) => {
		const { state } = open;
		const kept = id !== undefined && state.stories.length === 0 ? await c.services.keptStories(state) : [];
		if (kept.some((story) => story.id === id))
			throw new Refusal(
				"unavailable",
				`the stories of run ${state.id} have no diffs of their own; what it changed as a whole: pawl diff ${state.id}`,
			);
		return diffIn(open, id);
	});
}

export async function diffIn({ state, repository, events, code }: OpenRun, id: string | undefined): Promise<StoryDiff> {
	const story = id === RUN || (id === undefined && state.stories.length === 0) ? { id: RUN, status: state.status } : storyOf(state, id);
	const wanted = "scope" in story ? whatOf(state, story, events) : wholeOf(state);
	const of = code === undefined ? wanted : await broughtHere(code, state, wanted);
	const patch = of === null ? null : await repository.diff(of);
	const putBack = "scope" in story ? diffsPutBack(state, story.id) : [];
	if (of === null || patch === null) {
		const more = putBack.length === 0 ? "" : `; what its attempts did and was put back: ${putBack.join(", ")}`;
		throw new Refusal("unavailable", `nothing of ${story.id === RUN ? "this run" : story.id} (${story.status}) is left to show${more}`);
	}
	const commits = await commitsOf(state, repository, of, code !== undefined);
	return { run: state.id, story: story.id, status: story.status, commits, patch, put_back: putBack };
}

function storyOf(state: RunState, id: string | undefined): Story {
	const [single] = state.stories.length === 1 ? state.stories : [];
	const story = id === undefined ? single : state.stories.find((s) => s.id === id);
	if (story) return story;
	const there = state.stories.map((s) => s.id).join(", ") || "none";
	if (id === undefined) throw new Refusal("invalid", `which story? there are ${there}`);
	throw new Refusal("not_found", `run ${state.id} has no story ${id}; there are ${there}`);
}

/** Stories that follow each other on one branch: from the start of this one to the start of the next. */
function stretchOf(state: RunState, story: Story, events: readonly Event[]): DiffOf {
	const prepared = events.flatMap((e) => (e.event === "step_prepared" && e.commit !== null ? [{ scope: e.scope, commit: e.commit }] : []));
	const last = prepared.findLastIndex((e) => e.scope === story.id);
	const from = prepared.find((e) => e.scope === story.id)?.commit ?? startedWith(state).startCommit;
	const to = prepared.slice(last + 1).find((e) => e.scope !== story.id)?.commit;
	return { from, to: (last < 0 ? from : to) ?? state.branch ?? from };
}

const wholeOf = (state: RunState): DiffOf => ({
	from: startedWith(state).startCommit,
	to: state.branch ?? state.options.base ?? "HEAD",
});

function whatOf(state: RunState, story: Story, events: readonly Event[]): DiffOf {
	if (workspaceOf(state) === "branch" && !hasStoryTrees(state)) return stretchOf(state, story, events);
	const base = state.branch ?? state.options.base ?? "HEAD";
	if (workspaceOf(state) === "tree") return wholeOf(state);
	// The notes of the merge step name its commit.
	const merge = story.scope.steps.findLast(
		(s) => s.status === "completed" && state.definition.types[s.type]?.kind === "action" && /^[0-9a-f]{40,64}$/.test(s.notes ?? ""),
	);
	if (merge?.notes) return { commit: merge.notes };
	const [start, published] = [startOfWork(story.scope), publishedCommit(story.scope)];
	return start === null || published === null ? { story: story.id, run: state.id, base } : { from: start, to: published };
}

/** What workers did is on the shared repository. null: nothing was published yet. */
async function broughtHere(code: SharedCode, state: RunState, of: DiffOf): Promise<DiffOf | null> {
	if ("story" in of) return null;
	if ("commit" in of) await code.obtain([of.commit]);
	else if (of.to !== state.options.base) await code.obtain([of.from, of.to]);
	return "to" in of && of.to === state.options.base ? { from: of.from, to: await code.tipOf(of.to) } : of;
}

async function commitsOf(state: RunState, repository: History, of: DiffOf, isShared: boolean): Promise<StoryDiff["commits"]> {
	if ("story" in of) return [];
	const { startCommit } = startedWith(state);
	const isOnBase = "from" in of && state.stories.every(({ scope }) => publishedCommit(scope) !== of.to);
	if (isShared && !("commit" in of)) return isOnBase ? repository.commits(of.from, of.to) : [];
	const to = isShared && "commit" in of ? of.commit : (state.branch ?? state.options.base ?? "HEAD");
	const all = "from" in of && state.branch !== null ? await repository.commits(of.from, of.to) : await repository.commits(startCommit, to);
	return "commit" in of ? all.filter((commit) => commit.sha === of.commit) : all;
}
