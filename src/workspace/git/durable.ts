// What git has to sync so that a commit that the journal knows of survives a loss of power. By itself git syncs neither loose objects nor
// refs: they may be empty files afterwards, and an empty object is never written again. git before 2.36 does not know these settings.
import { constants, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Not with `core.fsyncMethod=batch`: git 2.39 then says that all is well although the disk was full and objects are missing. */
const SETTING = "core.fsync";

/** For our own calls. An index of our own can be made again, so it is not worth a sync. (Not `all,-index`: git adds what is named after it takes
 * away what is named with a minus.) */
export const durableArgs = (ownIndex: boolean): string[] => [
	"-c",
	`${SETTING}=${ownIndex ? "committed,derived-metadata,reference" : "all"}`,
];

/** For the git commands of a session. Not GIT_CONFIG_COUNT, which the user may have set. */
export const durableEnv: Readonly<Record<string, string>> = { GIT_CONFIG_PARAMETERS: `'${SETTING}'='all'` };

/** Brings a file to the disk that somebody else wrote. What was removed or made unreadable meanwhile is not ours to sync. */
export async function syncFile(file: string): Promise<void> {
	const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
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
	if (isEmpty(await readFile(join(husk, "gitdir"), "utf8").catch(() => ""))) await rm(husk, { recursive: true, force: true });
}

/** Some file systems leave zeros where something was to be written. */
const isEmpty = (text: string | null): boolean => text !== null && /^[\s\0]*$/.test(text);
