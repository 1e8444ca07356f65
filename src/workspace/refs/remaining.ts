// What remains of a branch without the moves of a session: the commits of others stay. They keep
// their ids: if one of them is on top of the session's work, one more commit on top undoes that work.
import { type GitOptions, type GitResult, gitError } from "../git/git.ts";
import { isNull, type Move } from "./reflog.ts";

/** Calls git in one repository. */
export interface Git {
	run(args: readonly string[], options?: GitOptions): Promise<string>;
	try(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

export interface Remaining {
	/** The tree that the branch would have. */
	readonly tree: string;
	/** The commit that has exactly that tree and history; null if a new commit on top of `last` is needed. */
	readonly exact: string | null;
	/** The newest commit of others; null if there is none. */
	readonly last: string | null;
}

export interface Conflict {
	readonly conflict: readonly string[];
	/** With conflict markers. */
	readonly tree: string;
}

/** `isSession`: whether a move was the session's. The moves must follow each other, from `start` on. */
export async function remainingOf(
	git: Git,
	start: string,
	moves: readonly Move[],
	isSession: (move: Move) => boolean,
): Promise<Remaining | Conflict> {
	let tree = await treeOf(git, start);
	let exact: string | null = start;
	let last: string | null = null;
	for (const move of moves) {
		if (isSession(move) || isNull(move.to) || move.from === move.to) continue;
		last = move.to;
		if (exact === move.from) {
			exact = move.to;
			tree = await treeOf(git, move.to);
			continue;
		}
		exact = null;
		const merged = await mergeTrees(git, await treeOf(git, move.from), tree, await treeOf(git, move.to));
		if (typeof merged !== "string") return merged;
		tree = merged;
	}
	// Nothing of the session's work is left in it.
	if (exact === null && last !== null && (await treeOf(git, last)) === tree) exact = last;
	return { tree, exact, last };
}

/** What `theirs` changed since `base`, on top of `ours`: all of them trees. */
export async function mergeTrees(git: Git, base: string, ours: string, theirs: string): Promise<string | Conflict> {
	if (ours === base) return theirs;
	if (theirs === base) return ours;
	// Uses temporary commits, so that git finds the common ancestor by itself.
	const env = {
		GIT_AUTHOR_NAME: "pawl",
		GIT_AUTHOR_EMAIL: "pawl@localhost",
		GIT_COMMITTER_NAME: "pawl",
		GIT_COMMITTER_EMAIL: "pawl@localhost",
	};
	const commit = (tree: string, ...parents: string[]): Promise<string> =>
		git.run(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], { input: "pawl\n", env });
	const root = await commit(base);
	const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", await commit(ours, root), await commit(theirs, root)];
	const result = await git.try(merge);
	const [tree = "", ...paths] = result.stdout.toString("utf8").split("\0");
	if (result.code === 0) return tree.trim();
	if (result.code === 1) return { conflict: [...new Set(paths.filter((path) => path !== ""))], tree: tree.trim() };
	throw gitError(merge, result);
}

const treeOf = (git: Git, commit: string): Promise<string> => git.run(["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
