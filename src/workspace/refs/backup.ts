// Keeps the work of a story before its branch or its files are removed: refs that garbage collection does not touch.
//   refs/pawl/backup/<story>/<commit>   every abandoned tip, and uncommitted work
//   refs/pawl/kept/<story>              the tip at the last release, by any run
//   refs/pawl/kept-by/<run>/<story>     the same for one run, from which its retry continues
//   refs/pawl/start/<run>/<story>       the commit of base that the story started from
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { addAll } from "../git/add-all.ts";
import { git, tryGit } from "../git/git.ts";
import { identityEnv } from "../git/identity.ts";
import { names } from "../git/worktree-folders.ts";
import { backupRef } from "./names.ts";

/** Keeps what is in the folder of a worktree. `admin`: git's folder for it, which a git that was killed may have left half made; null if there is none. */
export async function keepFiles(path: string, admin: string | null, commonDir: string, label: string): Promise<void> {
	const env = { GIT_DIR: admin ?? commonDir, GIT_WORK_TREE: path };
	const whole = admin !== null && (await tryGit(path, ["rev-parse", "--verify", "-q", "HEAD^{commit}"], { env })).code === 0;
	if (whole) await keepWork(path, admin, label);
	else if ((await names(path)).some((name) => name !== ".git")) await keepWork(path, commonDir, label);
}

/** Commits the current files of a folder, on no branch, and keeps the commit; null if HEAD has all of it. */
export async function keepWork(path: string, gitDir: string, story: string): Promise<string | null> {
	const env = { GIT_DIR: gitDir, GIT_WORK_TREE: path };
	const status = await tryGit(path, ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"], { env });
	if (status.code === 0 && status.stdout.length === 0) return null;
	// Beside the repository's own, where nothing of it stays behind for good if this process is killed.
	await mkdir(join(gitDir, "pawl"), { recursive: true });
	const scratch = await mkdtemp(join(gitDir, "pawl", "kept-"));
	try {
		const index = join(scratch, "index");
		const head = await tryGit(path, ["rev-parse", "--verify", "-q", "HEAD^{commit}"], { env });
		const commit = head.code === 0 ? head.stdout.toString("utf8").trim() : null;
		if (commit !== null) await git(path, ["read-tree", commit], { index, env });
		await addAll(path, { index, env });
		const tree = await git(path, ["write-tree"], { index, env });
		if (commit !== null && tree === (await git(path, ["rev-parse", `${commit}^{tree}`], { env }))) return null;
		const parent = commit === null ? [] : ["-p", commit];
		const message = `pawl: what ${story} had not committed\n`;
		const kept = await git(path, ["commit-tree", tree, ...parent], { input: message, env: { ...env, ...(await identityEnv(path)) } });
		await git(path, ["update-ref", backupRef(story, kept), kept], { env });
		return kept;
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}
