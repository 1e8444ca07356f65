// Lists and removes the refs under which pawl keeps abandoned work (backup.ts, put-back.ts). They hold their commits in the repository for ever, so
// somebody has to tidy them away: `pawl prune`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { KeptRef } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";

const FORMAT = "--format=%(refname) %(objectname) %(creatordate:unix)";

export async function keptRefs(root: string): Promise<KeptRef[]> {
	const listed = await git(root, ["for-each-ref", FORMAT, "refs/pawl/"]);
	return listed.split("\n").flatMap((line) => {
		const [ref, commit, seconds] = line.split(" ");
		if (ref === undefined || commit === undefined || seconds === undefined) return [];
		return [{ ref, commit, at: Number(seconds) * 1000, run: /^refs\/pawl\/(?:kept-by|start)\/([^/]+)\//.exec(ref)?.[1] ?? null }];
	});
}

/** Each is a file until git packs them, and git reads all of them for a `fetch`, a `push` or `log --decorate`: with this many that begins to show. */
const MANY = 1000;

/** Packs the refs of the repository when `most` of pawl's or more are files of their own. git's own tidying does the same, but pawl's calls never start it. */
export async function packKeptRefs(root: string, commonDir: string, most = MANY): Promise<void> {
	// Whoever else packs them at this moment has the lock, and does the work. No run fails for this: the next one tries again.
	if (looseRefs(commonDir) >= most) await tryGit(root, ["pack-refs", "--all"]).catch(() => {});
}

function looseRefs(commonDir: string): number {
	try {
		return readdirSync(join(commonDir, "refs", "pawl"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
	} catch {
		return 0;
	}
}

/** All in one transaction of git. One that somebody moved or removed since fails all of it, so they are looked at once more. */
export async function removeKeptRefs(root: string, refs: readonly KeptRef[]): Promise<void> {
	const now = new Map((await keptRefs(root)).map(({ ref, commit }) => [ref, commit]));
	const lines = refs.filter(({ ref, commit }) => now.get(ref) === commit).map(({ ref, commit }) => `delete ${ref} ${commit}\n`);
	if (lines.length > 0) await git(root, ["update-ref", "--stdin"], { input: lines.join("") });
}
