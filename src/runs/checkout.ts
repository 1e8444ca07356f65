// Where a run in the user's tree has to continue: in the checkout that is on its branch, which may be another worktree than the one that somebody asks from.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RunState } from "../core/model.ts";
import { workspaceOf } from "../core/query.ts";

/** The folder to act from; `here` if the run needs none in particular, or its branch is checked out nowhere. `root`: of the main checkout. */
export function checkoutFor(state: RunState, root: string, here: string): string {
	const { base } = state.options;
	if (workspaceOf(state) !== "tree" || base === null) return here;
	const git = join(root, ".git");
	const on = `ref: refs/heads/${base}`;
	if (textOf(join(git, "HEAD")) === on) return root;
	for (const name of namesIn(join(git, "worktrees"))) {
		const admin = join(git, "worktrees", name);
		// It names the file `.git` of the worktree.
		const link = textOf(join(admin, "HEAD")) === on ? textOf(join(admin, "gitdir")) : null;
		if (link !== null) return dirname(resolve(admin, link));
	}
	return here;
}

function textOf(file: string): string | null {
	try {
		return readFileSync(file, "utf8").trim();
	} catch {
		return null;
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
