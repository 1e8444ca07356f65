// A worktree that nobody works in: checks out a commit, prepares it like the worktrees of stories, and removes it again.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive } from "../../files/write.ts";
import { git, tryGit } from "../git/git.ts";
import { type Preparation, prepare } from "./prepare.ts";

/** Removes those of killed processes. */
async function removeLeftovers(root: string, folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const pid = /^fresh-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
		if (pid === undefined || isAlive(Number(pid))) continue;
		await tryGit(root, ["worktree", "remove", "--force", join(folder, name)]);
		await rm(join(folder, name), { recursive: true, force: true });
	}
}

export async function inFreshWorktree<T>(
	root: string,
	commit: string,
	preparation: Preparation,
	work: (path: string) => Promise<T>,
): Promise<T> {
	const path = join(root, ".pawl", "worktrees", `fresh-${process.pid}-${randomBytes(4).toString("hex")}`);
	await mkdir(dirname(path), { recursive: true });
	await removeLeftovers(root, dirname(path));
	await git(root, ["worktree", "add", "--quiet", "--detach", path, commit]);
	try {
		const admin = (await git(path, ["rev-parse", "--path-format=absolute", "--git-dir"])).trim();
		await prepare({ root, path, admin, worked: false, run: null }, preparation, null);
		return await work(path);
	} finally {
		await tryGit(root, ["worktree", "remove", "--force", path]);
		await rm(path, { recursive: true, force: true });
		await tryGit(root, ["worktree", "prune"]);
	}
}
