// A text that stays the same as long as nothing changes that a merge into base may wait for: base itself, and the checkouts that are on it.
import { join } from "node:path";
import { git, tryGit } from "../git/git.ts";
import { treeHolder } from "../git/held-tree.ts";
import { exists } from "../git/worktree-folders.ts";
import { checkoutsOf, type RepositoryPaths, unfinishedIn } from "../refs/base-checkouts.ts";

const STATUS = ["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames"];

export async function standingOf(repository: RepositoryPaths, base: string): Promise<string> {
	const ref = `refs/heads/${base}`;
	const parts = [(await tryGit(repository.root, ["rev-parse", "--verify", "--quiet", ref])).stdout.toString("utf8")];
	for (const checkout of await checkoutsOf(repository, ref)) {
		const { path, gitDir } = checkout;
		const holder = treeHolder(gitDir);
		// Whatever that run does there, the merge waits until it stops.
		if (holder !== null) return `held\0${path}\0${holder}`;
		const locked = await exists(join(gitDir, "index.lock"));
		parts.push(path, await git(path, STATUS), locked ? "locked" : "", ...(await unfinishedIn(checkout)));
	}
	return parts.join("\0");
}
