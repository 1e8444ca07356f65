// What a run on an issue needs from git before anything is written: the branch, the base it came from, whether the tree is clean.
import { execFile } from "node:child_process";

const TIMEOUT_MS = 60_000;

/** What git printed; null if it failed. */
function git(cwd: string, ...args: string[]): Promise<string | null> {
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
	return new Promise((resolve) => {
		execFile(
			"git",
			["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args],
			{ cwd, env: { ...env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" }, timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 },
			(error, stdout) => resolve(error === null ? stdout.replace(/\n$/, "") : null),
		);
	});
}

/** null: HEAD is detached. */
export const branchOf = (tree: string): Promise<string | null> => git(tree, "symbolic-ref", "--quiet", "--short", "HEAD");

export const isDirty = async (tree: string): Promise<boolean> =>
	(await git(tree, "status", "--porcelain", "--ignore-submodules=dirty")) !== "";

const USUAL = ["main", "master", "trunk", "develop"];

/** The branch that the work will be merged into: the remote's default, one of the usual names, or the main checkout's branch. */
export async function defaultBase(tree: string, root: string): Promise<string | null> {
	const remote = await git(tree, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD");
	const named = remote?.replace(/^origin\//, "");
	if (named && (await hasBranch(tree, named))) return named;
	for (const name of USUAL) if (await hasBranch(tree, name)) return name;
	return branchOf(root);
}

export const hasBranch = async (tree: string, name: string): Promise<boolean> =>
	(await git(tree, "show-ref", "--verify", "--quiet", `refs/heads/${name}`)) !== null;
