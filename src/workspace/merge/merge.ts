// The merge of a story: turns its work into one commit on top of base, checks exactly that tree, and moves base.
// Until then the story's branch stays where it was, so a failure leaves it as the story's last step did. What was done ahead of its turn
// (`stackStory`) only saves work: it counts if base is what it was put on top of.
import { join } from "node:path";
import {
	type MergeRequest,
	type MergeResult,
	type StackRequest,
	type StackResult,
	type StoryWork,
	WorkspaceError,
} from "../../workspace.ts";
import { tryGit } from "../git/git.ts";
import { treeHolder } from "../git/held-tree.ts";
import { exists } from "../git/worktree-folders.ts";
import { between, type Checkout, dirtOf, type Touched } from "../refs/base-checkouts.ts";
import { backupRef } from "../refs/names.ts";
import { clearOperations, relink } from "../slot/linked.ts";
import { type BaseRef, LocalBase } from "./base-ref.ts";
import { compose, putBack, refOf, type StoryTree } from "./compose.ts";
import { findMerged } from "./merge-message.ts";
import { type Start, startOf, withoutGone } from "./story-start.ts";

export interface MergeOptions extends StoryTree {
	readonly request: MergeRequest;
}

/** How often somebody else may move base during our checks. */
const TRIES = 5;

/** What a base may say to a move beside "done": it comes back as it is. */
interface RefusedMove {
	readonly result: string;
}

export function mergeStory<Refused extends RefusedMove = never>(
	options: MergeOptions,
	base: BaseRef<Refused> = new LocalBase(options, options.request.base),
): Promise<MergeResult | Refused> {
	return base.exclusively(async () => {
		for (let i = 0; i < TRIES; i++) {
			const result = await mergeOnce(options, base);
			if (result !== "moved") return result;
		}
		throw new WorkspaceError(`${options.request.base} moved ${TRIES} times while ${options.request.story} was being merged into it`);
	});
}

async function mergeOnce<Refused extends RefusedMove>(
	options: MergeOptions,
	base: BaseRef<Refused>,
): Promise<MergeResult | Refused | "moved"> {
	const { worktree, request } = options;
	const checkouts = await base.settle(request.announced);
	if ("dirty" in checkouts) return { result: "dirty", paths: checkouts.dirty };
	await relink(worktree.path, worktree.gitDir);
	await clearOperations(worktree.gitDir);
	const look = await base.look(request);
	const where = { root: options.root, commonDir: options.commonDir, ref: refOf(worktree), base: look, request };
	const start = await startOf(where);
	if (start === null) return { result: "conflict", paths: [`no history in common with ${request.base}`] };
	const merged = look.merged ?? (await mergedBefore(options.root, request, start));
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
		const result = await attempt(options, base, start, checkouts);
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

async function attempt<Refused extends RefusedMove>(
	options: MergeOptions,
	base: BaseRef<Refused>,
	start: Start,
	checkouts: readonly Checkout[],
): Promise<MergeResult | Refused | "moved"> {
	const { worktree, request } = options;
	const { ahead } = request;
	const known = ahead?.onto === start.base && ahead.head === start.head ? ahead : null;
	const composed = known ?? (await compose(options, start, start.base));
	if (!("tree" in composed)) return composed;
	const { commit, tree } = composed;
	await request.stacked?.(commit, start.base);
	const touched = checkouts.length === 0 ? null : await between(options, start.base, commit);
	const dirty = await dirtIn(checkouts, touched ?? [], request.ignore);
	if (dirty.length > 0) return { result: "dirty", paths: dirty };
	const failures = known?.failures ?? (await request.check(worktree.path, tree));
	if (failures.length > 0) return { result: "checks_failed", failures };
	const held = heldIn(checkouts);
	if (held !== null) return held;
	await request.announce(commit);
	const kept = [`update ${backupRef(request.story, start.head)} ${start.head}`, `update ${refOf(worktree)} ${commit} ${start.head}`];
	const moved = await base.move(start.base, commit, { refs: kept, ignore: request.ignore, touched });
	if (moved === "moved") return "moved";
	if (moved === "done") return { result: "merged", commit };
	return "dirty" in moved ? { result: "dirty", paths: moved.dirty } : moved;
}

/** Ahead of its turn: on top of a commit that base may get, in the story's worktree. No ref moves, and nothing is locked. */
export async function stackStory(
	options: StoryTree & { readonly request: StackRequest },
	base: Pick<BaseRef, "look"> = new LocalBase(options, options.request.base),
): Promise<StackResult> {
	const { worktree, request, root } = options;
	await relink(worktree.path, worktree.gitDir);
	await clearOperations(worktree.gitDir);
	const look = await base.look(request);
	const start = await startOf({ root, commonDir: options.commonDir, ref: refOf(worktree), base: look, request });
	if (start === null) return { result: "conflict", paths: [`no history in common with ${request.base}`] };
	const merged = look.merged ?? (await mergedBefore(root, request, start));
	if (merged !== null) return { result: "merged", commit: merged };
	const onto = request.onto ?? start.base;
	try {
		const composed = await compose(options, start, onto);
		if (!("tree" in composed)) return composed;
		const { commit, tree } = composed;
		if (!(await request.stacked(commit, onto))) return { result: "unwanted" };
		const failures = await request.check(worktree.path, tree);
		return { result: "stacked", onto, head: start.head, commit, tree, failures };
	} finally {
		await putBack(options, start.head);
	}
}

/** The commit by which this step merged before a crash; null if it did not. */
async function mergedBefore(root: string, request: StoryWork, start: Start): Promise<string | null> {
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
export function heldIn(checkouts: readonly Checkout[]): Extract<MergeResult, { result: "held" }> | null {
	for (const { path, gitDir } of checkouts) {
		const run = treeHolder(gitDir);
		if (run !== null) return { result: "held", path, run };
	}
	return null;
}
