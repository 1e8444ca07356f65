// Takes commits of a branch back, each with a commit of its own, newest first, and moves the branch to the last of these. All or nothing: where one of them
// conflicts with what came later, the branch stays as it is.
import { type UndoRequest, type UndoResult, WorkspaceError } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";
import { identityEnv } from "../git/identity.ts";
import { withMergeLock } from "../git/lock.ts";
import { checkoutsOf, type RepositoryPaths } from "../refs/base-checkouts.ts";
import { finishMove, moveBase } from "../refs/move-base.ts";
import { inFreshWorktree } from "../slot/fresh.ts";
import { heldIn } from "./merge.ts";

/** How often somebody else may move the branch meanwhile. */
const TRIES = 5;
const UNPREPARED = { setup: null, copy: [], link: [] };

export function undoCommits(place: RepositoryPaths, request: UndoRequest): Promise<UndoResult> {
	return withMergeLock(place.commonDir, request.branch, async () => {
		for (let i = 0; i < TRIES; i++) {
			const result = await undoOnce(place, request);
			if (result !== "moved") return result;
		}
		throw new WorkspaceError(`${request.branch} moved ${TRIES} times meanwhile`);
	});
}

async function undoOnce(place: RepositoryPaths, { branch, commits, message, ignore, only }: UndoRequest): Promise<UndoResult | "moved"> {
	const ref = `refs/heads/${branch}`;
	const checkouts = await checkoutsOf(place, ref);
	const unfinished = await finishMove(place, ref, checkouts, undefined);
	if (unfinished !== null) return { result: "dirty", paths: unfinished };
	const held = heldIn(checkouts);
	if (held !== null) return held;
	const from = await git(place.root, ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`]);
	const made = await inFreshWorktree(place.root, from, UNPREPARED, (path) => revertAll(path, commits, message));
	if ("result" in made) return made;
	if (made.tip === null || only) return { result: "undone", commits: made.undone };
	const moved = await moveBase(place, { ref, from, to: made.tip }, { ignore, why: "pawl: undo" });
	if (moved === "moved") return "moved";
	return moved === "done" ? { result: "undone", commits: made.undone } : { result: "dirty", paths: moved.dirty };
}

interface Reverted {
	/** null: there was nothing to take back. */
	readonly tip: string | null;
	readonly undone: readonly { readonly commit: string; readonly by: string | null }[];
}

async function revertAll(path: string, commits: readonly string[], message: UndoRequest["message"]): Promise<Reverted | UndoResult> {
	const env = await identityEnv(path);
	const undone: { readonly commit: string; readonly by: string | null }[] = [];
	let tip: string | null = null;
	for (const commit of commits) {
		const reverted = await tryGit(path, ["revert", "--no-commit", "--end-of-options", commit]);
		const paths = (await git(path, ["diff", "--name-only", "-z", "--diff-filter=U"])).split("\0").filter((name) => name !== "");
		if (paths.length > 0) return { result: "conflict", commit, paths };
		if (reverted.code !== 0) throw new WorkspaceError(`${commit} cannot be reverted: ${reverted.stderr.trim().slice(0, 500)}`);
		// Somebody has taken it back before.
		if ((await tryGit(path, ["diff", "--cached", "--quiet"])).code === 0) {
			await tryGit(path, ["revert", "--quit"]);
			undone.push({ commit, by: null });
			continue;
		}
		await git(path, ["commit", "--quiet", "--no-verify", "--cleanup=verbatim", "-F", "-"], { input: message(commit), env });
		tip = await git(path, ["rev-parse", "HEAD"]);
		undone.push({ commit, by: tip });
	}
	return { tip, undone };
}
