// The administrative folders that git keeps for linked worktrees: where they are, and which worktree each belongs to.
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { raw } from "./file-names.ts";

/** The administrative folder of the worktree at a path; null if git knows none. git chooses its name. */
export async function adminOf(commonDir: string, path: string): Promise<string | null> {
	const folder = join(commonDir, "worktrees");
	const wanted = join(await real(path), ".git");
	for (const name of await names(folder)) {
		const admin = join(folder, name);
		const text = await readFile(join(admin, "gitdir"), "utf8").catch(() => null);
		if (text !== null && resolve(admin, text.trim()) === wanted) return admin;
	}
	return null;
}

export async function names(folder: string): Promise<string[]> {
	return await readdir(folder).catch(() => []);
}

export async function exists(path: string): Promise<boolean> {
	return (await lstat(raw(path)).catch(() => null)) !== null;
}

/** Also works if the path is gone. */
async function real(path: string): Promise<string> {
	return await realpath(path).catch(async () =>
		dirname(path) === path ? path : join(await real(dirname(path)), path.slice(dirname(path).length)),
	);
}
