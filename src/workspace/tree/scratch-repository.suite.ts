// Real repositories for the tests of this folder, removed when a test ends.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { initialise } from "../../../test/support/empty-repository.ts";
import { GitTree } from "./tree.ts";

export interface Scratch {
	/** The main checkout, on `main`, with one commit of a.txt, b.txt and .gitignore (`*.log`). */
	readonly root: string;
	/** Outside of every checkout. */
	readonly outside: string;
	/** Calls git like an agent or a user, in the root by default. */
	git(args: readonly string[], cwd?: string): string;
	write(path: string, content: string, cwd?: string): void;
	read(path: string, cwd?: string): string | null;
	/** The status from git itself, including untracked files in folders. */
	status(cwd?: string): string;
	/** The main checkout as a user's tree. */
	tree(): GitTree;
	/** A linked worktree like those of the slots. */
	worktree(story?: string): GitTree;
}

export function scratchRepository(t: TestContext): Scratch {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-tree-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const root = join(folder, "project");
	const git = (args: readonly string[], cwd = root): string =>
		execFileSync("git", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
	const write = (path: string, content: string, cwd = root): void => {
		mkdirSync(dirname(join(cwd, path)), { recursive: true });
		writeFileSync(join(cwd, path), content);
	};
	initialise(root, { name: "Ada", email: "ada@example.org" });
	write("a.txt", "a\n");
	write("b.txt", "b\n");
	write(".gitignore", "*.log\n");
	git(["add", "-A"]);
	git(["commit", "-qm", "first"]);
	const commonDir = join(root, ".git");
	return {
		root,
		outside: join(folder, "outside"),
		git,
		write,
		read: (path, cwd = root) => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), "utf8") : null),
		status: (cwd = root) => git(["status", "--porcelain", "--untracked-files=all"], cwd),
		tree: () =>
			new GitTree({
				root,
				path: root,
				branch: "main",
				gitDir: commonDir,
				commonDir,
				index: join(commonDir, "pawl", "index.test"),
				users: true,
			}),
		worktree: (story = "US-001") => {
			const path = join(folder, "worktrees", story);
			git(["worktree", "add", "-q", "--no-track", "-b", `ralph/${story}`, path, "main"]);
			const gitDir = join(commonDir, "worktrees", story);
			return new GitTree({ root, path, branch: `ralph/${story}`, gitDir, commonDir, index: join(gitDir, "pawl", "index") });
		},
	};
}

/** Time hardly passes: what was seen a moment ago still holds, however busy the machine is. */
export function slowClock(t: TestContext): void {
	let now = performance.now();
	t.mock.method(performance, "now", () => {
		now += 0.001;
		return now;
	});
}
