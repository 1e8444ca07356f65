// The merge of a story: turns its work into one commit on top of base, checks exactly that tree, and moves base.
// Until then the story's branch stays where it was, so a failure leaves it as the story's last step did.
import { join } from "node:path";
import { type MergeRequest, type MergeResult, WorkspaceError } from "../../workspace.ts";
import { git, gitError, tryGit } from "../git/git.ts";
import { treeHolder } from "../git/held-tree.ts";
import { identityEnv } from "../git/identity.ts";
import { withMergeLock } from "../git/lock.ts";
import { exists } from "../git/worktree-folders.ts";
import { backupRef, keepWork } from "../refs/backup.ts";
import { between, type Checkout, checkoutsOf, dirtOf, type RepositoryPaths, type Touched } from "../refs/base-checkouts.ts";
import { finishMove, moveBase } from "../refs/move-base.ts";
import { clearOperations, putOn, relink } from "../slot/linked.ts";
import { providedPatterns } from "../slot/prepare.ts";
import { addedMarkers } from "../tree/markers.ts";
import type { GitTree } from "../tree/tree.ts";
import { findMerged, messageOf } from "./merge-message.ts";
import { type Start, startOf, withoutGone } from "./story-start.ts";

export interface MergeOptions extends RepositoryPaths {
	readonly worktree: GitTree;
	readonly request: MergeRequest;
}

/** How often somebody else may move base during our checks. */
const TRIES = 5;

export function mergeStory(options: MergeOptions): Promise<MergeResult> {
	return withMergeLock(options.commonDir, options.request.base, async () => {
		for (let i = 0; i < TRIES; i++) {
			const result = await mergeOnce(options);
			if (result !== "moved") return result;
		}
		throw new WorkspaceError(`${options.request.base} moved ${TRIES} times while ${options.request.story} was being merged into it`);
	});
}

async function mergeOnce(options: MergeOptions): Promise<MergeResult | "moved"> {
	const { worktree, request } = options;
	const baseRef = `refs/heads/${request.base}`;
	const checkouts = await checkoutsOf(options, baseRef);
	const unfinished = await finishMove(options, baseRef, checkouts, request.announced);
	if (unfinished !== null) return { result: "dirty", paths: unfinished };
	await relink(worktree.path, worktree.gitDir);
	await clearOperations(worktree.gitDir);
	const where = { root: options.root, commonDir: options.commonDir, ref: refOf(worktree), request };
	const start = await startOf(where);
	if (start === null) return { result: "conflict", paths: [`no history in common with ${request.base}`] };
	const merged = await mergedBefore(options.root, request, start);
	if (merged !== null) {
		await putBack(options);
		return { result: "merged", commit: merged };
	}
	// Before any work, because a merge that waits for the user's checkout comes here repeatedly.
	const held = heldIn(checkouts);
	if (held !== null) return held;
	const dirty = await dirtIn(checkouts, [], request.ignore);
	if (dirty.length > 0) return { result: "dirty", paths: dirty };
	try {
		const result = await attempt(options, start, checkouts);
		const kind = result === "moved" ? result : result.result;
		// These two go back to an agent.
		const again = kind === "conflict" || kind === "checks_failed";
		await putBack(options, kind === "merged" ? undefined : again ? await withoutGone(where, start) : start.head);
		return result;
	} catch (error) {
		await putBack(options, start.head).catch(() => {});
		throw error;
	}
}

async function attempt(options: MergeOptions, start: Start, checkouts: readonly Checkout[]): Promise<MergeResult | "moved"> {
	const { worktree, request, root } = options;
	const { path } = worktree;
	// Nothing should be uncommitted: each step ends with a commit or a rollback.
	await keepWork(path, worktree.gitDir, request.story);
	await putOn(path, worktree.gitDir, refOf(worktree));
	const conflict = start.taken === start.base ? null : await rebase(path, start);
	if (conflict !== null) return { result: "conflict", paths: conflict };
	const left = await leaveOut(path, start.base);
	const tree = await git(path, ["write-tree"]);
	if (tree === (await git(root, ["rev-parse", `${start.base}^{tree}`]))) {
		const before = request.announced === undefined ? await findMerged(root, request, null, start.base) : null;
		return before === null ? { result: "empty" } : { result: "merged", commit: before };
	}
	const markers = await addedMarkers(path, start.base, tree);
	if (markers.length > 0) {
		const paths = [...new Set(markers.map((marker) => marker.path))].sort();
		return { result: "conflict", paths, markers: markers.map((marker) => `${marker.path}:${marker.line}`) };
	}
	const message = { input: messageOf(request), env: await identityEnv(path) };
	const commit = await git(path, ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree, "-p", start.base], message);
	// On no branch, with the commit that will be base, so that a check that asks git sees exactly the merged state.
	await git(path, ["update-ref", "--no-deref", "HEAD", commit]);
	if (left) await git(path, ["reset", "-q"]);
	const dirty = await dirtIn(checkouts, checkouts.length === 0 ? [] : await between(options, start.base, commit), request.ignore);
	if (dirty.length > 0) return { result: "dirty", paths: dirty };
	const failures = await request.check(path, tree);
	if (failures.length > 0) return { result: "checks_failed", failures };
	const held = heldIn(checkouts);
	if (held !== null) return held;
	await request.announce(commit);
	const kept = [`update ${backupRef(request.story, start.head)} ${start.head}`, `update ${refOf(worktree)} ${commit} ${start.head}`];
	const moved = await moveBase(
		options,
		{ ref: `refs/heads/${request.base}`, from: start.base, to: commit },
		{ refs: kept, ignore: request.ignore },
	);
	if (moved === "moved") return "moved";
	if (moved !== "done") return { result: "dirty", paths: moved.dirty };
	return { result: "merged", commit };
}

/** The commit by which this step merged before a crash; null if it did not. */
async function mergedBefore(root: string, request: MergeRequest, start: Start): Promise<string | null> {
	if (request.announced === undefined) return findMerged(root, request, start.fork, start.base);
	for (const commit of request.announced)
		if ((await tryGit(root, ["merge-base", "--is-ancestor", commit, start.base])).code === 0) return commit;
	return null;
}

async function dirtIn(checkouts: readonly Checkout[], touched: readonly Touched[], ignore: readonly string[]): Promise<string[]> {
	const dirt: string[] = [];
	for (const checkout of checkouts) {
		// Not our mark: the user's git is working, or was killed.
		if (await exists(join(checkout.gitDir, "index.lock"))) dirt.push(".git/index.lock");
		dirt.push(...(await dirtOf(checkout, touched, ignore)));
	}
	return dirt;
}

/** A run that works in a checkout would take the merged files for its own. */
function heldIn(checkouts: readonly Checkout[]): MergeResult | null {
	for (const { path, gitDir } of checkouts) {
		const run = treeHolder(gitDir);
		if (run !== null) return { result: "held", path, run };
	}
	return null;
}

const refOf = (worktree: GitTree): string => `refs/heads/${worktree.branch}`;

/** Puts the worktree back on its branch, without the changes of a check or a rebase. */
async function putBack(options: MergeOptions, head?: string): Promise<void> {
	const { worktree, root } = options;
	await relink(worktree.path, worktree.gitDir);
	if (head !== undefined) await git(root, ["update-ref", refOf(worktree), head]);
	await putOn(worktree.path, worktree.gitDir, refOf(worktree));
}

/** Puts the whole work of the story on top of base, as one change: then commits that undo each other cannot conflict, and a
 * story that has merged base into itself stays in one piece. Returns the paths in conflict, or null. */
async function rebase(path: string, start: Start): Promise<readonly string[] | null> {
	const env = await identityEnv(path);
	const squash = await git(path, ["commit-tree", `${start.head}^{tree}`, "-p", start.taken], { input: "squash\n", env });
	await git(path, ["checkout", "-q", "--detach", start.base]);
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
