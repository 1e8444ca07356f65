// Moves a branch together with the checkouts that are on it.
import { join } from "node:path";
import { type Checkout, checkoutsOf } from "./base-checkouts.ts";
import { isUnfinished, type Move, moveBase } from "./move-base.ts";
import type { Site } from "./noted.ts";
import type { Git } from "./remaining.ts";

/** The message for the log of the ref. */
export const PUT_BACK = "pawl: put back";

/** False if that would touch somebody's work, or somebody was faster: then nothing has changed. */
export async function setRef(git: Git, site: Site, move: Move): Promise<boolean> {
	const place = { root: site.root, commonDir: site.commonDir };
	const checkouts = move.ref.startsWith("refs/heads/") ? await checkoutsOf(place, move.ref) : [];
	// Somebody moved the ref without its checkout: the files never followed, so they need not go back.
	const behind = await Promise.all(checkouts.map((checkout) => isAt(git, checkout, move.to)));
	if (behind.every(Boolean)) return (await git.try(["update-ref", "-m", PUT_BACK, move.ref, move.to, move.from])).code === 0;
	if (await isUnfinished(place, move.ref)) return false;
	return (await moveBase(place, move, { why: PUT_BACK })) === "done";
}

async function isAt(git: Git, { path, gitDir }: Checkout, commit: string): Promise<boolean> {
	const env = { GIT_DIR: gitDir, GIT_WORK_TREE: path };
	return (await git.try(["-C", path, "diff-index", "--cached", "--quiet", commit, "--"], { env, index: join(gitDir, "index") })).code === 0;
}
