// A checkout of the memory repository: its files, and its branch or commit. Agents and people act on it through this file;
// the engine acts through the workspace contract.
import { matchesGlob } from "node:path";
import type { RefChange } from "../../workspace.ts";
import { type Files, isPawls } from "./files.suite.ts";
import { type MemoryGit, mergeTrees, type Tree } from "./memory-git.suite.ts";

export class Checkout {
	readonly git: MemoryGit;
	readonly files: Files;
	/** Its branch, or a commit if it is on none. */
	head: { readonly branch: string } | { readonly commit: string };
	/** What somebody did to the repository itself; the next look reports it, as if it had been put back. */
	tampered: string[] = [];
	/** What somebody did to refs that are not the session's own; every look tells it until the next attempt begins. */
	refChanges: RefChange[] = [];
	private readonly excluded: readonly string[];

	constructor(git: MemoryGit, files: Files, branch: string, excluded: readonly string[] = []) {
		this.git = git;
		this.files = files;
		this.head = { branch };
		this.excluded = excluded;
	}

	get path(): string {
		return this.files.path;
	}

	/** null if the branch is gone. */
	get commit(): string | null {
		return "commit" in this.head ? this.head.commit : (this.git.refs.get(refOf(this.head.branch)) ?? null);
	}

	get branch(): string | null {
		return "branch" in this.head ? this.head.branch : null;
	}

	/** All files that are committed or not ignored, as they are now. */
	look(): Tree {
		const committed = this.committed();
		const ignored = this.ignoring();
		const tree = new Map<string, string>();
		for (const path of this.files.list()) {
			if (ignored(path) && !committed.has(path)) continue;
			const text = this.files.read(path);
			if (text !== null) tree.set(path, text);
		}
		return tree;
	}

	committed(): Tree {
		const { commit } = this;
		return commit === null ? new Map() : this.git.at(commit).tree;
	}

	/** Makes the files equal to a tree; ignored files stay. */
	put(tree: Tree): void {
		const now = this.look();
		for (const path of now.keys()) if (!tree.has(path)) this.files.remove(path);
		for (const [path, text] of tree) if (now.get(path) !== text) this.files.write(path, text);
	}

	/** Commits like an agent or a person: everything, on the branch that is checked out. */
	commitAll(message: string, ...alsoFrom: readonly string[]): string {
		return this.commitTree(this.look(), message, alsoFrom);
	}

	commitTree(tree: Tree, message: string, alsoFrom: readonly string[] = []): string {
		const { commit } = this;
		const made = this.git.commit(tree, [...(commit === null ? [] : [commit]), ...alsoFrom], message);
		if ("commit" in this.head) this.head = { commit: made };
		else this.git.refs.set(refOf(this.head.branch), made);
		return made;
	}

	/** Commits one file as a person does it in their own terminal, whatever else lies in the checkout: no rollback takes it away. */
	commitAsPerson(path: string, text: string): string {
		this.files.write(path, text);
		const { commit } = this;
		const made = this.git.commit(new Map([...this.committed(), [path, text]]), commit === null ? [] : [commit], "by a person");
		this.git.ofPersons.add(made);
		if ("commit" in this.head) this.head = { commit: made };
		else this.git.refs.set(refOf(this.head.branch), made);
		return made;
	}

	/** Like `git merge -X ours BRANCH`, but for whole files. */
	mergeOurs(branch: string): string {
		const theirs = this.git.refs.get(refOf(branch));
		const { commit } = this;
		if (theirs === undefined || commit === null) throw new Error(`there is no branch ${branch}`);
		const fork = this.git.base(commit, theirs);
		const { tree } = mergeTrees(fork === null ? new Map() : this.git.at(fork).tree, this.look(), this.git.at(theirs).tree);
		this.put(tree);
		return this.commitAll(`merge ${branch}`, theirs);
	}

	private ignoring(): (path: string) => boolean {
		const lines = (this.files.read(".gitignore") ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
		const globs = [...this.excluded, ...lines].map(globOf);
		return (path) => isPawls(path) || globs.some((glob) => matchesGlob(`/${path}`, glob));
	}
}

export const refOf = (branch: string): string => `refs/heads/${branch}`;

/** Only the .gitignore patterns that tests use: names, rooted paths, folders. */
function globOf(pattern: string): string {
	const start = pattern.replace(/\/$/, "").includes("/") ? `/${pattern.replace(/^\//, "")}` : `/**/${pattern}`;
	return start.endsWith("/") ? `${start}**` : `{${start},${start}/**}`;
}
