// The merge of a story in memory, with the answers that git gives: found again after a crash, dirty, conflict, empty, checks failed.
import { relative } from "node:path";
import {
	type MergeRequest,
	type MergeResult,
	type StackRequest,
	type StackResult,
	type StoryWork,
	WorkspaceError,
} from "../../workspace.ts";
import { type Checkout, refOf } from "./memory-checkout.suite.ts";
import { changedPaths, mergeTrees, sameTree, type Tree } from "./memory-git.suite.ts";
import type { MemorySite } from "./memory-site.suite.ts";

const TRIES = 5;

/** One process makes its merges into a base one after the other: base → the last of them. */
export type MergeQueue = Map<string, Promise<unknown>>;

export function mergeStory(site: MemorySite, queue: MergeQueue, worktree: Checkout, request: MergeRequest): Promise<MergeResult> {
	const before = queue.get(request.base) ?? Promise.resolve();
	const mine = before.then(async () => {
		for (let n = 0; n < TRIES; n++) {
			const result = await mergeOnce(site, worktree, request);
			if (result !== "moved") return result;
		}
		throw new WorkspaceError(`${request.base} moved ${TRIES} times while ${request.story} was being merged into it`);
	});
	queue.set(
		request.base,
		mine.catch(() => {}),
	);
	return mine;
}

async function mergeOnce(site: MemorySite, worktree: Checkout, request: MergeRequest): Promise<MergeResult | "moved"> {
	const { git } = site;
	const [baseRef, storyRef] = [refOf(request.base), refOf(`ralph/${request.story}`)];
	const [base, head] = [git.refs.get(baseRef), git.refs.get(storyRef)];
	if (base === undefined || head === undefined)
		throw new WorkspaceError(`there is no branch ${request.base} or ralph/${request.story} any more`);
	const fork = git.base(base, head);
	if (fork === null) return { result: "conflict", paths: [`no history in common with ${request.base}`] };
	const putBack = (commit: string): void => {
		git.refs.set(storyRef, commit);
		worktree.head = { branch: `ralph/${request.story}` };
		worktree.put(git.at(commit).tree);
	};
	const merged = [...git.ancestors(base)].find((id) => request.announced?.includes(id));
	if (merged !== undefined) {
		putBack(head);
		return { result: "merged", commit: merged };
	}
	const held = site.user.branch === request.base ? site.treeHolder : null;
	if (held !== null) return { result: "held", path: site.user.path, run: held.run };
	const dirty = dirtIn(site, request, new Map(), new Map());
	if (dirty.length > 0) return { result: "dirty", paths: dirty };
	const { ahead } = request;
	const known = ahead?.onto === base && ahead.head === head ? ahead : null;
	const composed = known ?? compose(site, worktree, request, { onto: base, fork, head });
	if (!("tree" in composed)) {
		putBack(head);
		return composed;
	}
	const { commit } = composed;
	const { tree } = git.at(commit);
	await request.stacked?.(commit, base);
	const inTheWay = dirtIn(site, request, git.at(base).tree, tree);
	const failures = inTheWay.length > 0 ? [] : (known?.failures ?? (await request.check(worktree.path, composed.tree)));
	if (inTheWay.length + failures.length === 0) await request.announce(commit);
	const moved = git.refs.get(baseRef) !== base;
	const now = moved || inTheWay.length > 0 || failures.length > 0 ? [] : dirtIn(site, request, git.at(base).tree, tree);
	if (inTheWay.length + failures.length + now.length > 0 || moved) {
		putBack(head);
		if (failures.length > 0) return { result: "checks_failed", failures };
		return moved ? "moved" : { result: "dirty", paths: [...inTheWay, ...now] };
	}
	git.refs.set(`refs/pawl/backup/${request.story}/${head.slice(0, 16)}`, head);
	moveCheckouts(site, request.base, () => git.refs.set(baseRef, commit), git.at(base).tree, tree);
	putBack(commit);
	return { result: "merged", commit };
}

/** Ahead of its turn. */
export async function stackStory(site: MemorySite, worktree: Checkout, request: StackRequest): Promise<StackResult> {
	const { git } = site;
	const storyRef = refOf(`ralph/${request.story}`);
	const [base, head] = [git.refs.get(refOf(request.base)), git.refs.get(storyRef)];
	if (base === undefined || head === undefined)
		throw new WorkspaceError(`there is no branch ${request.base} or ralph/${request.story} any more`);
	const fork = git.base(base, head);
	if (fork === null) return { result: "conflict", paths: [`no history in common with ${request.base}`] };
	const merged = [...git.ancestors(base)].find((id) => request.announced?.includes(id));
	if (merged !== undefined) return { result: "merged", commit: merged };
	const onto = request.onto ?? base;
	try {
		const composed = compose(site, worktree, request, { onto, fork, head });
		if (!("tree" in composed)) return composed;
		if (!(await request.stacked(composed.commit, onto))) return { result: "unwanted" };
		const failures = await request.check(worktree.path, composed.tree);
		return { result: "stacked", onto, head, failures, ...composed };
	} finally {
		git.refs.set(storyRef, head);
		worktree.head = { branch: `ralph/${request.story}` };
		worktree.put(git.at(head).tree);
	}
}

type Composed = { readonly commit: string; readonly tree: string } | Extract<MergeResult, { result: "conflict" | "empty" }>;

interface Compose {
	readonly onto: string;
	readonly fork: string;
	readonly head: string;
}

function compose({ git }: MemorySite, worktree: Checkout, request: StoryWork, { onto, fork, head }: Compose): Composed {
	const { tree, conflicts } = mergeTrees(git.at(fork).tree, git.at(onto).tree, git.at(head).tree);
	if (conflicts.length > 0) return { result: "conflict", paths: conflicts };
	if (sameTree(tree, git.at(onto).tree)) return { result: "empty" };
	const commit = git.commit(tree, [onto], messageOf(request));
	// On no branch, with the commit that will be base, so that a check sees exactly the merged tree.
	worktree.head = { commit };
	worktree.put(tree);
	return { commit, tree: git.keep(tree) };
}

/** Checkouts that are on base move along with it; the user's other files stay. */
function moveCheckouts(site: MemorySite, base: string, move: () => void, before: Tree, after: Tree): void {
	const on = site.checkouts.filter((checkout) => checkout.branch === base);
	move();
	for (const { files } of on)
		for (const path of changedPaths(before, after)) {
			const text = after.get(path);
			if (text === undefined) files.remove(path);
			else files.write(path, text);
		}
}

/** Changed tracked files, and any file in a path that the merge writes. */
function dirtIn(site: MemorySite, request: MergeRequest, before: Tree, after: Tree): string[] {
	const touched = changedPaths(before, after);
	return site.checkouts
		.filter((checkout) => checkout.branch === request.base)
		.flatMap((checkout) => {
			const ignored = new Set(request.ignore.map((file) => relative(checkout.path, file)));
			const committed = checkout.committed();
			const changed = [...committed.keys()].filter((path) => checkout.files.read(path) !== committed.get(path));
			const inTheWay = touched.filter((path) => !before.has(path) && checkout.files.read(path) !== null);
			return [...changed.filter((path) => touched.includes(path) || !ignored.has(path)), ...inTheWay];
		})
		.sort();
}

const messageOf = ({ run, story, title }: StoryWork): string =>
	`feat(ralph): ${story} - ${title.replace(/\s+/g, " ").trim()}\n\nPawl-Run: ${run}\nPawl-Story: ${story}\n`;
