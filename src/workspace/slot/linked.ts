// A story's worktree as git sees it: its `.git` file, and what an interrupted operation left in it. Only for worktrees of our own in which nothing runs at the moment.
import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncFile } from "../git/durable.ts";
import { git, tryGit } from "../git/git.ts";
import { flaggedIn } from "../git/index-file.ts";
import { endUnfinished, readHead } from "../tree/checkout-state.ts";

/** What a run on its own branch has written about the worktree, in git's folder for it. */
export const runNote = (admin: string): string => join(admin, "pawl", "run.json");

/** An agent can point `.git` anywhere, and all our git calls would follow it. */
export async function relink(path: string, admin: string): Promise<void> {
	const file = join(path, ".git");
	const info = await lstat(file).catch(() => null);
	const text = info?.isFile() && info.size < 65_536 ? await readFile(file, "utf8") : "";
	const target = /^gitdir: (.+)\n?$/.exec(text)?.[1];
	if (target !== undefined && resolve(path, target) === admin) return;
	await rm(file, { recursive: true, force: true });
	await writeFile(file, `gitdir: ${admin}\n`);
}

/** Removes what a rebase, a merge or a killed git left; each would block or redirect our next call. */
export async function clearOperations(admin: string): Promise<void> {
	endUnfinished(admin);
	for (const name of ["index.lock", "HEAD.lock", "locked"]) await rm(join(admin, name), { force: true });
}

/** Puts HEAD on that branch, and files and index to its commit; ignored files stay. */
export async function putOn(path: string, admin: string, ref: string): Promise<void> {
	await clearOperations(admin);
	await setHead(path, admin, ref);
	await restore(path, admin);
}

/** Puts HEAD on that branch, and nothing else. git does not sync HEAD. */
export async function setHead(path: string, admin: string, ref: string): Promise<void> {
	// If even HEAD was broken, git does not see a repository here at all.
	if (readHead(admin) !== `ref: ${ref}` && (await tryGit(path, ["symbolic-ref", "HEAD", ref])).code !== 0)
		await writeFile(join(admin, "HEAD"), `ref: ${ref}\n`);
	await syncFile(join(admin, "HEAD"));
}

/** Puts files and index to HEAD, whatever the index was told to ignore. */
export async function restore(path: string, admin: string): Promise<void> {
	const known = await flaggedIn(join(admin, "index"));
	if (known === null ? await hasFlags(path) : known.length > 0) await rm(join(admin, "index"), { force: true });
	await git(path, ["reset", "-q", "--hard"]);
	await git(path, ["clean", "-ffdq"]);
}

async function hasFlags(path: string): Promise<boolean> {
	const listed = await tryGit(path, ["ls-files", "-v", "-z"]);
	return listed.code !== 0 || /(^|\0)[a-zS] /.test(listed.stdout.toString("latin1"));
}
