// Takes back what a run, or one of its stories, delivered: a commit on top for each of its commits, newest first. The work stays in the history, and the
// journal says who took it back.
import { RUN_SCOPE, type RunState, type UndoneCommit } from "../../core/model.ts";
import { isOver, workspaceOf } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import type { Repository, UndoResult } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { writtenByRuns } from "../drive/written-files.ts";
import { deliveryOf } from "../look/delivery.ts";
import { current, findRun, openExisting } from "../open.ts";
import { personFor } from "../person.ts";
import { scopesOf } from "../receipt/whose-commit.ts";
import { Refusal } from "../refusal.ts";
import { findRepository } from "../repository.ts";
import { deliver } from "./deliver.ts";

export interface Undone {
	readonly run: string;
	/** null: the whole run. */
	readonly story: string | null;
	readonly branch: string;
	/** Newest first. `by` is null with `only: true`, and for a commit that somebody had taken back before. */
	readonly commits: readonly { readonly commit: string; readonly subject: string; readonly by: string | null }[];
	/** Completed stories that need this one. */
	readonly needed_by: readonly string[];
}

export interface Undoing {
	/** A run, or a story of the latest run. */
	readonly what: string | undefined;
	readonly story?: string | undefined;
	/** Only say what would be undone. */
	readonly only: boolean;
}

interface Found {
	readonly state: RunState;
	readonly story: string | null;
	readonly branch: string;
	/** Newest first. */
	readonly commits: readonly { readonly sha: string; readonly subject: string; readonly scope: string }[];
}

export async function undo(c: RunsContext, undoing: Undoing): Promise<Undone> {
	const repository = await findRepository(c);
	const store = await openExisting(c, repository.root);
	try {
		const found = await find(c, repository, store, undoing);
		const { state, story, branch, commits } = found;
		const needed = state.stories.filter((one) => story !== null && one.dependsOn.includes(story) && one.status === "completed");
		const about = { run: state.id, story, branch, needed_by: needed.map(({ id }) => id) };
		const done = await takeBack(repository, found, await writtenByRuns(c, store)(state), undoing.only);
		if (undoing.only) return { ...about, commits: commits.map(({ sha, subject }) => ({ commit: sha, subject, by: null })) };
		const by = personFor(c, state);
		// Before the journal has it: after a crash in between, the same command does both again.
		await c.services.undone(state, storiesOf(found), c.warn);
		await deliver(c, store, state.id, { type: "undo", at: c.now(), by, scope: story ?? RUN_SCOPE, commits: done });
		const subjects = new Map(commits.map(({ sha, subject }) => [sha, subject]));
		return { ...about, commits: done.map(({ commit, by: taker }) => ({ commit, subject: subjects.get(commit) ?? "", by: taker })) };
	} finally {
		await store.close();
	}
}

async function find(c: RunsContext, repository: Repository, store: Store, { what, story: named }: Undoing): Promise<Found> {
	const latest = await findRun(c, repository, store, undefined, "repository").catch(() => null);
	const isStory = named === undefined && latest !== null && (await current(store, latest.id)).stories.some(({ id }) => id === what);
	const run = isStory ? latest.id : (await findRun(c, repository, store, what, "repository")).id;
	const story = (isStory ? what : named) ?? null;
	const events = await store.events(run);
	const state = await current(store, run);
	if (story !== null && !state.stories.some(({ id }) => id === story))
		throw new Refusal("not_found", `run ${run} has no story ${story}; there are ${state.stories.map(({ id }) => id).join(", ") || "none"}`);
	// Merges are announced. Elsewhere what a run makes is told by its end, and its agents would find their work gone.
	if (workspaceOf(state) !== "worktree" && !isOver(state.status))
		throw new Refusal("refused", `run ${run} is ${state.status}: it can be undone when it is over (pawl cancel ${run} ends it)`);
	const branch = state.branch ?? state.options.base ?? repository.branch;
	if (branch === null) throw new Refusal("refused", `run ${run} worked on no branch: take its commits back with git revert`);
	const delivered = (await deliveryOf(repository, events, state)).commits;
	const scopes = scopesOf(
		state,
		events,
		delivered.map(({ sha }) => sha),
	);
	const own = delivered
		.map((commit) => ({ ...commit, scope: scopes.get(commit.sha) ?? RUN_SCOPE }))
		.filter(({ scope }) => story === null || scope === story);
	const name = story ?? `run ${run}`;
	if (own.length === 0) throw new Refusal("refused", `${name} has delivered nothing on ${branch}: there is nothing to undo`);
	const before = new Set(state.undone?.map(({ commit }) => commit));
	const commits = own.filter(({ sha }) => !before.has(sha)).reverse();
	if (commits.length === 0) throw new Refusal("refused", `${name} was undone before; pawl history ${run} says by whom`);
	return { state, story, branch, commits };
}

const storiesOf = ({ commits }: Found): string[] => [...new Set(commits.map(({ scope }) => scope).filter((scope) => scope !== RUN_SCOPE))];

async function takeBack(
	repository: Repository,
	{ state, story, branch, commits }: Found,
	ignore: readonly string[],
	only: boolean,
): Promise<UndoneCommit[]> {
	const known = new Map(commits.map((commit) => [commit.sha, commit]));
	const result = await repository.undo({
		branch,
		commits: commits.map(({ sha }) => sha),
		message: (sha) =>
			`Revert "${known.get(sha)?.subject ?? ""}"\n\nThis reverts commit ${sha}.\n\nPawl-Undoes: ${state.id}${story === null ? "" : ` ${story}`}\n`,
		ignore,
		only,
	});
	if (result.result !== "undone")
		throw new Refusal("refused", `${story ?? `run ${state.id}`} cannot be undone: ${whyNot(result, branch, commits)}`);
	return result.commits.map(({ commit, by }) => ({ scope: known.get(commit)?.scope ?? RUN_SCOPE, commit, by }));
}

function whyNot(result: Exclude<UndoResult, { result: "undone" }>, branch: string, commits: Found["commits"]): string {
	switch (result.result) {
		case "conflict": {
			const all = commits.map(({ sha }) => sha.slice(0, 12)).join(" ");
			return `what came after ${result.commit.slice(0, 12)} changed the same lines of ${result.paths.slice(0, 10).join(", ")}. Nothing was changed. By hand, on ${branch}: git revert ${all}, resolve each conflict, git revert --continue`;
		}
		case "dirty":
			return `${branch} is checked out with uncommitted changes in ${result.paths.slice(0, 10).join(", ")}. Nothing was changed: commit them or put them away (git stash)`;
		case "held":
			return `${branch} is checked out at ${result.path}, where ${result.run === "" ? "a run" : `run ${result.run}`} works. Nothing was changed: wait, or stop that run first`;
	}
}
