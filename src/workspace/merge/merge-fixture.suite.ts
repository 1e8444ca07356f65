// For the tests of worktrees and merging: a repository in a temporary folder, and functions to work in it.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { initialise } from "../../../test/support/empty-repository.ts";
import type { MergeRequest, MergeResult } from "../../workspace.ts";
import { type WorktreeOptions, Worktrees } from "../slot/worktrees.ts";
import type { GitTree } from "../tree/tree.ts";
import { mergeStory } from "./merge.ts";

export class Fixture {
	readonly home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-merge-")));
	readonly root = join(this.home, "repo");
	readonly commonDir = join(this.root, ".git");
	readonly worktrees: Worktrees;

	constructor(files: Readonly<Record<string, string>> = { "a.txt": "one\n", "b.txt": "two\n" }, options: Partial<WorktreeOptions> = {}) {
		initialise(this.root, { name: "Ann", email: "ann@example.org" });
		this.write({ ".pawl/.gitignore": "/*\n!/workflows/\n", ...files });
		this.git("add", "-A");
		this.git("commit", "-q", "-m", "first");
		this.worktrees = this.open(options);
	}

	open(options: Partial<WorktreeOptions> = {}): Worktrees {
		return new Worktrees({ root: this.root, commonDir: this.commonDir, setup: null, copy: [], link: [], ...options });
	}

	git(...args: string[]): string {
		return run(this.root, ...args);
	}

	write(files: Readonly<Record<string, string>>, folder: string = this.root): void {
		for (const [name, text] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), text);
		}
	}

	read(name: string, folder: string = this.root): string {
		return readFileSync(join(folder, name), "utf8");
	}

	/** A story that has written and committed these files. */
	async story(slot: number, id: string, files: Readonly<Record<string, string>>): Promise<GitTree> {
		const tree = await this.worktrees.claim(slot, id, "main");
		this.commit(tree, files);
		return tree;
	}

	commit(tree: { readonly path: string }, files: Readonly<Record<string, string>>, message = "work"): string {
		this.write(files, tree.path);
		run(tree.path, "add", "-A");
		run(tree.path, "commit", "-q", "--allow-empty", "-m", message);
		return run(tree.path, "rev-parse", "HEAD");
	}

	merge(worktree: GitTree, request: Partial<MergeRequest> = {}): Promise<MergeResult> {
		const story = worktree.branch.slice("ralph/".length);
		const whole = { ...requestFor(this.root, story), ...request };
		return mergeStory({ root: this.root, commonDir: this.commonDir, worktree, request: whole });
	}

	/** The user's checkout as a person sees it. */
	status(): string {
		return this.git("status", "--porcelain");
	}

	log(): string[] {
		return this.git("log", "--format=%s", "main").split("\n");
	}

	remove(): void {
		rmSync(this.home, { recursive: true, force: true });
	}
}

/** What the engine asks for; a file beside the repository stands for its journal. */
export function requestFor(root: string, story: string): MergeRequest {
	const journal = join(dirname(root), `announced-${story}`);
	const announced = existsSync(journal) ? readFileSync(journal, "utf8").trimEnd().split("\n") : [];
	const announce = async (commit: string): Promise<void> => appendFileSync(journal, `${commit}\n`);
	return { run: "run-1", story, title: `Story ${story}`, base: "main", ignore: [], check: async () => [], announced, announce };
}

export function run(cwd: string, ...args: string[]): string {
	return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}
