// A worktree that nobody works in: checks out a commit, prepares it like the worktrees of stories, and removes it again.
import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive } from "../../files/write.ts";
import { removeHusk } from "../git/durable.ts";
import { git, tryGit } from "../git/git.ts";
import { withWorktreeLock } from "../git/lock.ts";
import { adminOf, names } from "../git/worktree-folders.ts";
import { type Preparation, prepare } from "./prepare.ts";

/** Removes those of killed processes. */
async function removeLeftovers(root: string, commonDir: string): Promise<void> {
	const folder = folderIn(root);
	for (const name of new Set([...(await names(folder)), ...(await names(join(commonDir, "worktrees")))])) {
		const pid = /^fresh-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
		if (pid !== undefined && !isAlive(Number(pid))) await remove(root, commonDir, name);
	}
}

/** Also one that a killed git left half made. */
async function remove(root: string, commonDir: string, name: string): Promise<void> {
	const path = join(folderIn(root), name);
	const admin = await adminOf(commonDir, path);
	await rm(path, { recursive: true, force: true });
	await withWorktreeLock(commonDir, async () => {
		// Twice: also a locked one. Not `prune`, which would forget worktrees of the user that are just not mounted.
		await tryGit(root, ["worktree", "remove", "--force", "--force", path]);
		if (admin !== null) await rm(admin, { recursive: true, force: true });
		await removeHusk(commonDir, name);
	});
}

export async function inFreshWorktree<T>(
	root: string,
	commit: string,
	preparation: Preparation,
	work: (path: string) => Promise<T>,
): Promise<T> {
	const commonDir = await git(root, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
	const name = `fresh-${process.pid}-${randomBytes(4).toString("hex")}`;
	const path = join(folderIn(root), name);
	await mkdir(dirname(path), { recursive: true });
	await removeLeftovers(root, commonDir);
	try {
		// Without the files, which can take long: others wait for the lock.
		await withWorktreeLock(commonDir, () => git(root, ["worktree", "add", "--quiet", "--no-checkout", "--detach", path, commit]));
		await git(path, ["reset", "--quiet", "--hard"]);
		const admin = (await git(path, ["rev-parse", "--path-format=absolute", "--git-dir"])).trim();
		await prepare({ root, path, admin, worked: false, run: null }, preparation, null);
		return await work(path);
	} finally {
		await remove(root, commonDir, name);
	}
}

const folderIn = (root: string): string => join(root, ".pawl", "worktrees");
