// A machine's clone as a repository: stories start from the remote's base and are merged into it, and what other machines published can be had.
import type { Clone, Release } from "../remote.ts";
import { RemoteAway, type Repository, WorkGone, WorkspaceError } from "../workspace.ts";
import type { NoRepository } from "./git/find.ts";
import { GitRemote } from "./remote/remote.ts";
import { sharedBase } from "./remote/remote-base.ts";
import { openRepository, type WorktreeConfig } from "./repository.ts";

/** `turn`: waits for the turn of a merge into this base. It saves checks; the push itself is what is safe. */
export async function openSharedRepository(
	clone: Clone,
	config: (root: string) => WorktreeConfig,
	turn: (base: string) => Promise<Release> = async () => () => {},
): Promise<Repository | NoRepository> {
	const { remote } = clone;
	if (!(remote instanceof GitRemote)) throw new Error("not a clone of git's");
	return openRepository(clone.root, config, {
		baseOf: sharedBase(remote, turn),
		bringUp: async (base) => {
			const found = await clone.bringUp(base);
			if (found.result === "unreachable") throw new RemoteAway(`${remote.shown} cannot be reached: ${found.message}`);
			if (found.result === "missing") throw new WorkspaceError(`there is no branch ${base} on ${remote.shown}`);
		},
		obtain: async (commits) => {
			for (const commit of commits) {
				const got = await remote.obtain(commit);
				if (got.result === "unreachable") throw new RemoteAway(`${remote.shown} cannot be reached: ${got.message}`);
				if (got.result === "gone") throw new WorkGone(`the work that the run goes on from is gone: ${got.message}`);
			}
		},
	});
}
