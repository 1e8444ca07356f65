// Records the state of a repository before a session, to compare with afterwards: every ref, the stash, and where HEAD of each checkout
// points. Reads files instead of starting git where possible.
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Noted } from "../../workspace.ts";
import { git } from "../git/git.ts";
import { readPlain } from "../guard/guarded-file.ts";
import { readRefs } from "./ref-files.ts";
import { logLength, logOf } from "./reflog.ts";

/** A repository, and the checkout that a session works in. */
export interface Site {
	/** The root of the main checkout. */
	readonly root: string;
	readonly commonDir: string;
	/** The checkout. */
	readonly path: string;
	readonly gitDir: string;
	/** The branch that the session works on; null if HEAD is on none. */
	readonly branch: string | null;
}

export type RepositoryState = Pick<Noted, "refs" | "stash" | "heads">;

/** Refs that anybody may change: fetched refs, refs of a single checkout, and pawl's own, which the journal judges. */
const FREE = /^refs\/(?:remotes|prefetch|bisect|worktree|rewritten|pawl)\//;

export async function note(site: Site, trace: string | null): Promise<Noted> {
	const log = logLength(logOf(site));
	return { at: Date.now(), trace, log, ...(await see(site)) };
}

export async function see({ root, commonDir }: Pick<Site, "root" | "commonDir">): Promise<RepositoryState> {
	const head = textOf(join(commonDir, "HEAD"));
	const refs = readRefs(commonDir, head, (ref) => !FREE.test(ref)) ?? (await askForRefs(root, commonDir));
	return { refs, stash: stashOf(commonDir), heads: headsOf(root, head, commonDir) };
}

async function askForRefs(root: string, commonDir: string): Promise<Record<string, string>> {
	const listed = await git(root, ["for-each-ref", "--format=%(objectname) %(refname)"], { env: { GIT_DIR: commonDir } });
	const refs: Record<string, string> = {};
	for (const line of listed.split("\n")) {
		const at = line.indexOf(" ");
		const name = line.slice(at + 1);
		if (at > 0 && !FREE.test(name)) refs[name] = line.slice(0, at);
	}
	return refs;
}

export const stashLog = (commonDir: string): string => join(commonDir, "logs", "refs", "stash");

const stashOf = (commonDir: string): string[] =>
	(readPlain(stashLog(commonDir))?.toString("utf8") ?? "").split("\n").filter((line) => line !== "");

/** `ref: refs/heads/x` or a commit, by the path of the checkout. */
function headsOf(root: string, main: string, commonDir: string): Record<string, string> {
	const heads: Record<string, string> = {};
	if (main !== "") heads[root] = main;
	for (const { path, admin } of linkedCheckouts(commonDir)) heads[path] = textOf(join(admin, "HEAD"));
	return heads;
}

export function linkedCheckouts(commonDir: string): { readonly path: string; readonly admin: string }[] {
	const folder = join(commonDir, "worktrees");
	return namesIn(folder).flatMap((name) => {
		const admin = join(folder, name);
		const file = textOf(join(admin, "gitdir"));
		return file === "" ? [] : [{ path: dirname(resolve(admin, file)), admin }];
	});
}

const textOf = (file: string): string => (readPlain(file)?.toString("utf8") ?? "").trim();

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
