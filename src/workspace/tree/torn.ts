// Files that a loss of power left empty although they are committed. git checks out files without syncing them, and whoever commits next would
// commit the emptiness. Only for worktrees of our own, before anything runs in them.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { syncFile } from "../git/durable.ts";

/** The larger a file is, the sooner the system writes it by itself. */
const LARGEST = 1024 * 1024;

/** Those of the changed files that hold nothing, or nothing but zeros. */
export function tornOf(checkout: string, changed: readonly (readonly [status: string, path: string])[]): string[] {
	return changed.flatMap(([status, path]) => (status === "M" && isTorn(join(checkout, path)) ? [path] : []));
}

function isTorn(file: string): boolean {
	const info = statSync(file, { throwIfNoEntry: false });
	if (!info?.isFile() || info.size > LARGEST) return false;
	return info.size === 0 || readFileSync(file).every((byte) => byte === 0);
}

/** What an attempt changed is on the disk before the journal says that the attempt ended. */
export async function syncFiles(checkout: string, paths: readonly string[]): Promise<void> {
	for (const path of paths) await syncFile(join(checkout, path));
}
