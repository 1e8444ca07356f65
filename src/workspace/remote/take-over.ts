// A story that another machine worked on: its worktree here, at the commit that the journal names. What this machine had of the story itself (it lost its lease,
// and has the story again) is kept under a backup ref and does not count.
import { type Repository, type Workspace, WorkspaceError } from "../../workspace.ts";
import { git } from "../git/git.ts";
import { keptByRef, startRef } from "../refs/names.ts";
import { checkCommit } from "./names.ts";

export interface TakenOver {
	readonly run: string;
	readonly story: string;
	/** As for `claim`. */
	readonly apart?: boolean;
	/** The commit of base that the story started from. */
	readonly start: string;
	/** Where the story stands. Both commits are in this clone (`obtain`). */
	readonly commit: string;
}

export async function takeOver(
	repository: Repository,
	slot: number,
	{ run, story, apart = false, start, commit }: TakenOver,
): Promise<Workspace> {
	await repository.release(slot, story, run, apart);
	// What a retry goes on from after a release.
	const lines = [`update ${keptByRef(run, story)} ${checkCommit(commit)}`, `update ${startRef(run, story)} ${checkCommit(start)}`, ""];
	await git(repository.root, ["update-ref", "-m", "pawl", "--stdin"], { input: lines.join("\n") });
	const tree = await repository.reopen(slot, story, run, apart);
	if (tree === null) throw new WorkspaceError(`the worktree of ${story} could not be made`);
	return tree;
}
