// Scratch folders and git repositories of a test file. All of them are gone when the file ends, and so is every process that still names
// one of them: what a faulty pawl leaves behind must not spoil the tests after it (scripts/test.ts fails the run for it anyway).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { initialise } from "./empty-repository.ts";

const folders: string[] = [];

after(() => {
	for (const pid of processesNaming(...folders)) kill(pid);
	for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

export function scratchFolder(name = "scenario"): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), `pawl-${name}-`)));
	folders.push(folder);
	return folder;
}

/** A repository with one commit on `branch`. */
export function repository(files: Readonly<Record<string, string>> = {}, branch = "main"): string {
	const folder = scratchFolder("repository");
	initialise(folder, { name: "Scenario", email: "scenario@example.invalid" }, branch);
	put(folder, { "README.md": "# scratch\n", ...files });
	git(folder, "add", "-A");
	git(folder, "commit", "-q", "-m", "start");
	return folder;
}

export function git(cwd: string, ...args: string[]): string {
	return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 1024 * 1024 }).trimEnd();
}

export function put(folder: string, files: Readonly<Record<string, string>>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
}

export const read = (...path: string[]): string => readFileSync(join(...path), "utf8");
export const exists = (...path: string[]): boolean => existsSync(join(...path));
export const list = (...path: string[]): string[] => (exists(...path) ? readdirSync(join(...path)).sort() : []);

/** What a user has in their checkout: commit, branch, index, changes, untracked files, stash, configuration, hooks. */
export function userView(repo: string): Record<string, string> {
	return {
		head: git(repo, "rev-parse", "HEAD"),
		branch: git(repo, "rev-parse", "--symbolic-full-name", "HEAD"),
		status: git(repo, "status", "--porcelain", "--untracked-files=all"),
		staged: git(repo, "diff", "--cached", "--binary"),
		unstaged: git(repo, "diff", "--binary"),
		branches: git(repo, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"),
		config: read(repo, ".git/config"),
		hooks: list(repo, ".git/hooks").join(" "),
		flags: git(repo, "ls-files", "-v"),
	};
}

/** Waits for a condition; the wait is long because a busy machine is slow, and ends as soon as it holds. */
export async function until<T>(what: string, look: () => T | false | null | undefined, ms = 30_000): Promise<T> {
	const end = Date.now() + ms;
	for (;;) {
		const found = look();
		if (found) return found;
		if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
		await new Promise((again) => setTimeout(again, 10));
	}
}

/** Live processes with one of these texts in their environment or command line, other than ourselves and zombies. */
export function processesNaming(...texts: readonly string[]): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.map(Number)
		.filter((pid) => {
			try {
				if (/\) [ZX] /.test(read(`/proc/${pid}/stat`))) return false;
				const said = read(`/proc/${pid}/environ`) + read(`/proc/${pid}/cmdline`);
				return texts.some((text) => said.includes(text));
			} catch {
				return false;
			}
		});
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It ended by itself.
	}
}
