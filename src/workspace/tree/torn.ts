// Files that a loss of power left empty although they are committed. git checks out files without syncing them, and whoever commits next would
// commit the emptiness. Only for worktrees of our own, before anything runs in them.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Point } from "../../workspace.ts";
import { syncFile } from "../git/durable.ts";
import { raw } from "../git/file-names.ts";
import type { Compare } from "./compare.ts";
import type { OwnIndex } from "./own-index.ts";

/** The larger a file is, the sooner the system writes it by itself. */
const LARGEST = 1024 * 1024;

/** What has to be put back, and to what; null if nothing is torn. */
export async function tornSince(
	{ commit, tree }: Point,
	checkout: string,
	index: OwnIndex,
	compare: Compare,
): Promise<{ readonly paths: readonly string[]; readonly back: Point } | null> {
	const committed = await index.treeOf(commit);
	const paths = tree === committed ? [] : tornOf(checkout, await compare.changed(committed, tree));
	return paths.length === 0 ? null : { paths, back: { commit, tree: committed } };
}

/** Those of the changed files that hold nothing, or nothing but zeros. */
export function tornOf(checkout: string, changed: readonly (readonly [status: string, path: string])[]): string[] {
	return changed.flatMap(([status, path]) => (status === "M" && isTorn(raw(join(checkout, path))) ? [path] : []));
}

function isTorn(file: string | Buffer): boolean {
	const info = statSync(file, { throwIfNoEntry: false });
	if (!info?.isFile() || info.size > LARGEST) return false;
	return info.size === 0 || readFileSync(file).every((byte) => byte === 0);
}

/** The disk takes many at once as quickly as one. */
const AT_ONCE = 64;

/** What an attempt changed is on the disk before the journal says that the attempt ended. */
export async function syncFiles(checkout: string, paths: readonly string[]): Promise<void> {
	for (let at = 0; at < paths.length; at += AT_ONCE)
		await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => syncFile(join(checkout, path))));
}
