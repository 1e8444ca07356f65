// Moves a branch together with the checkouts that are on it.
import { join } from "node:path";
import { between, type Checkout, checkoutsOf } from "./base-checkouts.ts";
import { finishMove, isUnfinished, type Move, moveBase } from "./move-base.ts";
import type { Site } from "./noted.ts";
import type { Git } from "./remaining.ts";

const MOST_PATHS = 500;

/** The message for the log of the ref. */
export const PUT_BACK = "pawl: put back";

/** False if that would touch somebody's work, or somebody was faster: then nothing has changed. */
export async function setRef(git: Git, site: Site, move: Move): Promise<boolean> {
	const place = { root: site.root, commonDir: site.commonDir };
	const found = move.ref.startsWith("refs/heads/") ? await checkoutsOf(place, move.ref) : [];
	// The end of a rebase writes the branch over what it was at the beginning, so that it has to go back there.
	const checkouts = found.filter(({ rebasing }) => !rebasing);
	const touched = checkouts.length === 0 ? [] : (await between(place, move.from, move.to)).map(({ path }) => path);
	// Somebody moved the ref without its checkout: the files never followed, so they need not go back. What a person has changed or staged beside
	// them is not in the way.
	const behind = await Promise.all(checkouts.map((checkout) => isAt(git, checkout, move.to, touched)));
	if (behind.every(Boolean)) return (await git.try(["update-ref", "-m", PUT_BACK, move.ref, move.to, move.from])).code === 0;
	// Another run was killed while it merged there: unless base has the merge, it is undone, and that run merges again.
	if ((await isUnfinished(place, move.ref)) && (await finishMove(place, move.ref, checkouts, [])) !== null) return false;
	return (await moveBase(place, move, { why: PUT_BACK })) === "done";
}

/** The index of the checkout has these paths as they are in the commit. */
async function isAt(git: Git, { path, gitDir }: Checkout, commit: string, paths: readonly string[]): Promise<boolean> {
	if (paths.length === 0) return true;
	const env = { GIT_DIR: gitDir, GIT_WORK_TREE: path, GIT_LITERAL_PATHSPECS: "1" };
	// A command line is limited; then the whole index counts.
	const only = paths.length > MOST_PATHS ? [] : paths;
	const args = ["-C", path, "diff-index", "--cached", "--quiet", commit, "--", ...only];
	return (await git.try(args, { env, index: join(gitDir, "index") })).code === 0;
}
