// What a story took from base: the commit that it started from, and what it merged or was rebased onto later. Base may no longer hold all of that: a session
// elsewhere had put a commit there, which pawl has put back since, or a person has moved base back. Such commits are not the story's work, so they are
// never merged with it.
import { join } from "node:path";
import { type MergeRequest, WorkspaceError } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";
import { backupRef, startRef } from "../refs/names.ts";
import { movesIn } from "../refs/reflog.ts";
import { type Git, mergeTrees } from "../refs/remaining.ts";
import type { BaseLook } from "./base-ref.ts";

/** What a merge starts from. */
export interface Start {
	readonly base: string;
	readonly head: string;
	/** Where the story left base. */
	readonly fork: string;
	/** Everything that the story took from base: the fork, or a commit that also has what base no longer holds. */
	readonly taken: string;
}

interface Where {
	readonly root: string;
	readonly commonDir: string;
	/** The story's branch. */
	readonly ref: string;
	readonly base: Pick<BaseLook, "name" | "log">;
	readonly request: Pick<MergeRequest, "base" | "story" | "run" | "start">;
}

/** null if the two have no history in common. */
export async function startOf(where: Where): Promise<Start | null> {
	const { root, ref, request } = where;
	const found = await tryGit(root, ["rev-parse", `${where.base.name}^{commit}`, `${ref}^{commit}`]);
	const [base, head] = found.stdout.toString("utf8").split("\n");
	if (found.code !== 0 || !base || !head)
		throw new WorkspaceError(`there is no branch ${request.base} or ${ref.slice("refs/heads/".length)} any more`);
	const common = await tryGit(root, ["merge-base", base, head]);
	if (common.code !== 0) return null;
	const fork = common.stdout.toString("utf8").trim();
	return { base, head, fork, taken: fork === head ? fork : await joined(root, [fork, ...(await gone(where, base, head))]) };
}

/** The commits that the story has from base and base no longer holds. */
async function gone({ root, commonDir, ref, base: { log }, request }: Where, base: string, head: string): Promise<string[]> {
	const only = new Set((await git(root, ["rev-list", head, `^${base}`])).split("\n"));
	const [first, ...later] = movesIn(join(commonDir, "logs", ref));
	// The story made these itself, even if a session has put them on base as well.
	const own = new Set(later.flatMap(({ to, why }) => (isMadeHere(to, why) ? [to] : [])));
	const moves = movesIn(log);
	const found = new Set<string>(request.start === undefined ? [] : [request.start]);
	const start = await tryGit(root, ["rev-parse", "--verify", "-q", `${startRef(request.run, request.story)}^{commit}`]);
	const started = start.stdout.toString("utf8").trim();
	// A session can write this ref, too: it counts only if base was there.
	if (start.code === 0 && (moves.length === 0 || moves.some(({ from, to }) => from === started || to === started))) found.add(started);
	if (first !== undefined) {
		const since = moves.filter(({ at }) => at >= first.at);
		const held = new Set(since.flatMap(({ from, to }) => [from, to]).filter((commit) => only.has(commit)));
		for (const commit of held) if (!(await isWithin(root, commit, first.to))) found.add(commit);
	}
	return [...found].filter((commit) => only.has(commit) && !own.has(commit));
}

/** By what git or pawl wrote into the log of the branch: a commit that it merely went to was there before. */
const isMadeHere = (commit: string, why: string): boolean =>
	!/^(?:|pawl|pawl: (?!commit|fold|merge).*|branch: .*|reset: .*|.*: Fast-forward)$/.test(why) &&
	/ onto ([0-9a-f]+)$/.exec(why)?.[1] !== commit;

/** One commit that has everything of these. */
async function joined(root: string, commits: readonly string[]): Promise<string> {
	let all = commits[0] ?? "";
	for (const next of commits.slice(1)) {
		if (await isWithin(root, next, all)) continue;
		if (await isWithin(root, all, next)) {
			all = next;
			continue;
		}
		const fork = (await git(root, ["merge-base", all, next])).trim();
		const merged = await mergeTrees(runner(root), await treeOf(root, fork), await treeOf(root, all), await treeOf(root, next));
		const tree = typeof merged === "string" ? merged : merged.tree;
		all = await git(root, ["commit-tree", tree, "-p", all, "-p", next], { input: "pawl: what a story took from base\n", env: PAWL });
	}
	return all;
}

/** For a story that cannot be merged as it is: puts its work on top of the fork, without what base no longer holds, so that whoever mends it
 * works with what base has. Where the story built on that, its files have conflict markers, which are a conflict until they are resolved. Returns the
 * commit, which no branch has yet; the old one is kept. */
export async function withoutGone({ root, request }: Where, { head, fork, taken }: Start): Promise<string> {
	if (taken === fork) return head;
	const merged = await mergeTrees(runner(root), await treeOf(root, taken), await treeOf(root, fork), await treeOf(root, head));
	const tree = typeof merged === "string" ? merged : merged.tree;
	await git(root, ["update-ref", "-m", "pawl", backupRef(request.story, head), head]);
	const message = `pawl: the work on ${request.story}, without what ${request.base} no longer holds\n`;
	return git(root, ["commit-tree", tree, "-p", fork], { input: message, env: PAWL });
}

const PAWL = {
	GIT_AUTHOR_NAME: "pawl",
	GIT_AUTHOR_EMAIL: "pawl@localhost",
	GIT_COMMITTER_NAME: "pawl",
	GIT_COMMITTER_EMAIL: "pawl@localhost",
};

const runner = (root: string): Git => ({
	run: (args, options) => git(root, args, options),
	try: (args, options) => tryGit(root, args, options),
});

const treeOf = (root: string, commit: string): Promise<string> => git(root, ["rev-parse", `${commit}^{tree}`]);

const isWithin = async (root: string, commit: string, of: string): Promise<boolean> =>
	(await tryGit(root, ["merge-base", "--is-ancestor", commit, of])).code === 0;
