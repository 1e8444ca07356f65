// Files of git, and files that agents wrote, that pawl syncs itself; and what a loss of power leaves of a worktree that was being made.
import { access, constants, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { raw } from "./file-names.ts";

/** Brings a file to the disk that somebody else wrote. What was removed or made unreadable meanwhile is not ours to sync. */
export async function syncFile(file: string): Promise<void> {
	const handle = await open(raw(file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
	try {
		if ((await handle?.stat())?.isFile()) await handle?.sync();
	} finally {
		await handle?.close();
	}
}

/** `git worktree add` syncs nothing, and every git command that looks at all worktrees dies of one whose files are empty. */
export async function syncWorktree(path: string, admin: string): Promise<void> {
	for (const file of [join(admin, "commondir"), join(admin, "gitdir"), join(admin, "HEAD"), join(path, ".git")]) await syncFile(file);
}

/** For a worktree of ours that was made just before a loss of power: makes it such that git lists it again, so that it can be removed. */
export async function mendWorktrees(commonDir: string): Promise<void> {
	const folder = join(commonDir, "worktrees");
	for (const name of await readdir(folder).catch(() => [])) {
		const file = join(folder, name, "commondir");
		if (/^agent-\d+$/.test(name) && isEmpty(await readFile(file, "utf8").catch(() => null)))
			await writeFile(file, "../..\n", { flush: true });
	}
}

/** What a git left that was killed while it removed a worktree of ours, or what a loss of power left of a new one: git no longer sees a worktree, but
 * it is in the way. The name belongs to one slot alone. */
export async function removeHusk(commonDir: string, name: string): Promise<void> {
	const husk = join(commonDir, "worktrees", name);
	const checkout = await readFile(join(husk, "gitdir"), "utf8").catch(() => "");
	const isHusk = isEmpty(checkout) || !((await isThere(join(husk, "HEAD"))) || (await isThere(checkout.trim())));
	if (isHusk) await rm(husk, { recursive: true, force: true });
}

/** What a git left that was killed while it made a worktree: until that is done its HEAD is a commit that no repository has, and every fetch fails on it. Only where
 * nobody makes one. */
export async function removeHalfMade(commonDir: string): Promise<void> {
	const folder = join(commonDir, "worktrees");
	for (const name of await readdir(folder).catch(() => [])) {
		const head = await readFile(join(folder, name, "HEAD"), "utf8").catch(() => "");
		if (/^0*\s*$/.test(head)) await rm(join(folder, name), { recursive: true, force: true });
	}
}

const isThere = (path: string): Promise<boolean> =>
	access(path).then(
		() => true,
		() => false,
	);

/** Some file systems leave zeros where something was to be written. */
const isEmpty = (text: string | null): boolean => text !== null && /^[\s\0]*$/.test(text);
