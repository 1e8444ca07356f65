// Which run is meant by `latest`: the newest of the worktree that the person stands in, if one was ever started there; else the newest of
// the repository, where only looking is allowed. `.pawl/latest` is for people and scripts; what counts is one link for each worktree.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** The main checkout has a name instead of a hash: Node takes longer to load what makes the hash than everything else here takes. */
const linkOf = (root: string, tree: string): string => (tree === root ? join(root, ".pawl", "latest.d", "main") : hashedLink(root, tree));

const hashedLink = (root: string, tree: string): string =>
	join(root, ".pawl", "latest.d", createHash("sha256").update(tree).digest("hex").slice(0, 16));

/** `tree`: the checkout that the run was started in. */
export function pointLatest(root: string, tree: string, run: string): void {
	point(join(root, ".pawl", "latest"), join("runs", run));
	point(linkOf(root, tree), join("..", "runs", run));
}

function point(link: string, target: string): void {
	mkdirSync(dirname(link), { recursive: true });
	const fresh = `${link}.${process.pid}`;
	rmSync(fresh, { force: true });
	symlinkSync(target, fresh);
	renameSync(fresh, link);
}

/** null if no run was ever started there. */
export function latestIn(root: string, tree: string): string | null {
	const own = runBehind(linkOf(root, tree));
	if (own !== null) return own;
	// Runs of earlier versions left one link for all of the repository, or a hash for the main checkout too.
	return existsSync(join(root, ".pawl", "latest.d")) ? runBehind(hashedLink(root, tree)) : latestOf(root);
}

/** The run that was started last, wherever. */
export const latestOf = (root: string): string | null => runBehind(join(root, ".pawl", "latest"));

function runBehind(link: string): string | null {
	try {
		return readlinkSync(link).split("/").at(-1) ?? null;
	} catch {
		return null;
	}
}
