// A story's work as one commit on top of another: in its worktree, on no branch. No ref moves.
import type { MergeResult, StoryWork } from "../../workspace.ts";
import { git, gitError, tryGit } from "../git/git.ts";
import { identityEnv } from "../git/identity.ts";
import { keepWork } from "../refs/backup.ts";
import type { RepositoryPaths } from "../refs/base-checkouts.ts";
import { putOn, relink } from "../slot/linked.ts";
import { providedPatterns } from "../slot/prepare.ts";
import { addedMarkers } from "../tree/markers.ts";
import type { GitTree } from "../tree/tree.ts";
import { findMerged, messageOf } from "./merge-message.ts";
import type { Start } from "./story-start.ts";

export interface StoryTree extends RepositoryPaths {
	readonly worktree: GitTree;
	readonly request: StoryWork;
}

interface Composed {
	readonly commit: string;
	readonly tree: string;
}

/** Leaves the worktree at the commit. */
export async function compose(
	{ worktree, request, root }: StoryTree,
	start: Start,
	onto: string,
): Promise<Composed | Extract<MergeResult, { result: "conflict" | "empty" | "merged" }>> {
	const { path } = worktree;
	// Nothing should be uncommitted: each step ends with a commit or a rollback.
	await keepWork(path, worktree.gitDir, request.story);
	await putOn(path, worktree.gitDir, refOf(worktree));
	const conflict = start.taken === onto ? null : await rebase(path, start, onto);
	if (conflict !== null) return { result: "conflict", paths: conflict };
	const left = await leaveOut(path, onto);
	const tree = start.taken === onto && !left ? await worktree.commits.treeOf(start.head) : await git(path, ["write-tree"]);
	if (tree === (await worktree.commits.treeOf(onto))) {
		const before = request.announced === undefined ? await findMerged(root, request, null, start.base) : null;
		return before === null ? { result: "empty" } : { result: "merged", commit: before };
	}
	const markers = await addedMarkers(path, onto, tree);
	if (markers.length > 0) {
		const paths = [...new Set(markers.map((marker) => marker.path))].sort();
		return { result: "conflict", paths, markers: markers.map((marker) => `${marker.path}:${marker.line}`) };
	}
	const commit = await worktree.commits.make(tree, onto, messageOf(request));
	// On no branch, with the commit that will be base, so that a check that asks git sees exactly the merged state.
	await git(path, ["update-ref", "--no-deref", "HEAD", commit]);
	if (left) await git(path, ["reset", "-q"]);
	return { commit, tree };
}

export const refOf = (worktree: GitTree): string => `refs/heads/${worktree.branch}`;

/** Puts the worktree back on its branch, without the changes of a check or a rebase. */
export async function putBack(options: StoryTree, head?: string): Promise<void> {
	const { worktree, root } = options;
	await relink(worktree.path, worktree.gitDir);
	if (head !== undefined) await git(root, ["update-ref", refOf(worktree), head]);
	await putOn(worktree.path, worktree.gitDir, refOf(worktree));
}

/** Puts the whole work of the story on top of a commit, as one change: then commits that undo each other cannot conflict, and a
 * story that has merged base into itself stays in one piece. Returns the paths in conflict, or null. */
async function rebase(path: string, start: Start, onto: string): Promise<readonly string[] | null> {
	const env = await identityEnv(path);
	const squash = await git(path, ["commit-tree", `${start.head}^{tree}`, "-p", start.taken], { input: "squash\n", env });
	await git(path, ["checkout", "-q", "--detach", onto]);
	const args = ["-c", "merge.renames=true", "cherry-pick", "--no-commit", "--allow-empty", squash];
	const picked = await tryGit(path, args, { env });
	if (picked.code === 0) return null;
	const listed = await git(path, ["ls-files", "--unmerged", "-z"]);
	const paths = new Set(listed.split("\0").flatMap((entry) => (entry === "" ? [] : [entry.slice(entry.indexOf("\t") + 1)])));
	if (paths.size === 0) throw gitError(["cherry-pick"], picked);
	return [...paths].sort();
}

/** What setup put into the worktree does not belong to the story, even if an agent has committed it. */
async function leaveOut(path: string, base: string): Promise<boolean> {
	const patterns = await providedPatterns(path);
	if (patterns.length === 0) return false;
	const listed = await git(path, ["ls-files", "-c", "-i", "-z", ...patterns.flatMap((pattern) => ["-x", pattern])]);
	const provided = listed.split("\0").filter((name) => name !== "");
	if (provided.length === 0) return false;
	const inBase = new Set((await git(path, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base])).split("\0"));
	const out = provided.filter((name) => !inBase.has(name));
	if (out.length > 0)
		await git(path, ["update-index", "--force-remove", "-z", "--stdin"], { input: out.map((name) => `${name}\0`).join("") });
	return out.length > 0;
}
