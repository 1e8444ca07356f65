// The workspace contract over git.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { initialise } from "../../test/support/empty-repository.ts";
import { openRepository } from "./repository.ts";
import { type TestSite, workspaceSuite } from "./workspace.suite.ts";

workspaceSuite("git", gitSite);

function gitSite(t: TestContext): TestSite {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-workspace-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const root = join(folder, "project");
	const git = (cwd: string, ...args: string[]): string =>
		execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
	const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
	const site: TestSite = {
		root,
		open: async () => {
			const opened = await openRepository(root);
			assert.ok(!("problem" in opened));
			return opened;
		},
		write: (cwd, path, text) => {
			mkdirSync(dirname(join(cwd, path)), { recursive: true });
			writeFileSync(join(cwd, path), text);
		},
		remove: (cwd, path) => rmSync(join(cwd, path)),
		read: (cwd, path) => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), "utf8") : null),
		commit: (cwd, message) => {
			git(cwd, "add", "-A");
			git(cwd, "commit", "-qm", message);
			return git(cwd, "rev-parse", "HEAD").trim();
		},
		switchTo: (branch) => git(root, "checkout", "-q", "-b", branch),
		show: (ref) => {
			const names = lines(git(root, "ls-tree", "-r", "--name-only", ref));
			return Object.fromEntries(names.map((name) => [name, git(root, "show", `${ref}:${name}`)]));
		},
		messageOf: (ref) => git(root, "log", "-1", "--format=%B", ref).replace(/\n+$/, "\n"),
		branches: () => lines(git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads")),
		backups: (story) => lines(git(root, "for-each-ref", "--format=%(objectname)", `refs/pawl/backup/${story}`)),
	};
	initialise(root, { name: "Ada", email: "ada@example.org" });
	site.write(root, "a.txt", "a\n");
	site.write(root, "b.txt", "b\n");
	site.write(root, ".gitignore", "*.log\n");
	site.commit(root, "first");
	return site;
}
