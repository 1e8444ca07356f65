// Where a checkout's HEAD points, and what git keeps in its folder during a rebase, merge or bisect. Reads and
// writes files, because it must work on whatever an attempt left, even if git itself refuses.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readPlain, replaceFile } from "../guard/guarded-file.ts";

const UNFINISHED: readonly (readonly [name: string, files: readonly string[]])[] = [
	["rebase", ["rebase-merge", "rebase-apply", "REBASE_HEAD"]],
	["merge", ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG"]],
	["cherry-pick", ["CHERRY_PICK_HEAD"]],
	["revert", ["REVERT_HEAD"]],
	["sequence of commits", ["sequencer"]],
	["bisect", ["BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_RUN"]],
];

/** Ends such an operation without touching a file of the work; returns its name. Ignores leftover messages alone. */
export function endUnfinished(gitDir: string): string[] {
	const ended: string[] = [];
	const all = new Set(readdirSync(gitDir));
	for (const [name, files] of UNFINISHED) {
		const [first = ""] = files;
		const there = files.filter((file) => all.has(file));
		for (const file of there) rmSync(join(gitDir, file), { recursive: true, force: true });
		if (there.includes(first) || there.includes("rebase-apply")) ended.push(`an unfinished ${name}`);
	}
	return ended;
}

/** Puts HEAD on the branch (or, if there is none, detached at a commit) without touching files; returns where it was, or null if it was there. */
export function putHead(gitDir: string, branch: string | null, commit: string): string | null {
	const now = readHead(gitDir);
	// Kept in a reftable: this file says nothing then.
	if (now === "ref: refs/heads/.invalid") return null;
	if (branch === null ? /^[0-9a-f]{40,64}$/.test(now) : now === `ref: refs/heads/${branch}`) return null;
	const head = join(gitDir, "HEAD");
	rmSync(head, { recursive: true, force: true });
	replaceFile(head, branch === null ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
	return now;
}

export const readHead = (gitDir: string): string => (readPlain(join(gitDir, "HEAD"))?.toString("utf8") ?? "").trim();

/** The commit that a checkout is at, if its HEAD is on this branch (null: on none); null if it is not, or if its files do not say it plainly. */
export function tipOf(
	{ gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
	branch: string | null,
): string | null {
	const head = readHead(gitDir);
	if (branch !== null && head !== `ref: refs/heads/${branch}`) return null;
	const text = branch === null ? head : (readPlain(join(commonDir, "refs", "heads", branch))?.toString("utf8") ?? "").trim();
	return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : null;
}

/** Locks that a killed git left behind; only once nothing of the attempt is alive. */
export function removeLocks(gitDir: string, commonDir: string, branch: string | null): void {
	for (const file of [
		join(gitDir, "index.lock"),
		join(gitDir, "HEAD.lock"),
		...(branch === null ? [] : [join(commonDir, "refs", "heads", `${branch}.lock`)]),
		// From the housekeeping that git starts after a commit: while it exists, git never tidies this repository again.
		join(commonDir, "objects", "maintenance.lock"),
	])
		rmSync(file, { force: true });
}
