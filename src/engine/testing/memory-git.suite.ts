// As much of git as a run needs: commits of whole trees of texts, refs, ancestors, and a merge that looks at each file by itself.
// No index, no modes, no links. Ids look like git's and come from a counter, so that the same run has the same ids again.
import { createHash } from "node:crypto";

export type Tree = ReadonlyMap<string, string>;

export interface Commit {
	readonly id: string;
	readonly parents: readonly string[];
	readonly tree: Tree;
	readonly message: string;
	/** In the order of their creation. */
	readonly order: number;
}

export class MemoryGit {
	private commits = new Map<string, Commit>();
	private trees = new Map<string, Tree>();
	readonly refs: Map<string, string>;
	/** Commits that a person made beside a run. */
	ofPersons = new Set<string>();

	constructor(refs = new Map<string, string>()) {
		this.refs = refs;
	}

	/** What another machine has: every commit can be had there, and refs are its own, except those that `isShared`. */
	clone(isShared: (ref: string) => boolean): MemoryGit {
		const made = new MemoryGit(new ClonedRefs(this.refs, isShared));
		made.commits = this.commits;
		made.trees = this.trees;
		made.ofPersons = this.ofPersons;
		return made;
	}

	commit(tree: Tree, parents: readonly string[], message: string): string {
		const order = this.commits.size;
		const id = hash(["commit", order, this.keep(tree), ...parents, message]);
		this.commits.set(id, { id, parents, tree, message, order });
		return id;
	}

	/** The id of a tree; equal files give equal ids. */
	keep(tree: Tree): string {
		const id = hash(["tree", ...[...tree].sort(([a], [b]) => (a < b ? -1 : 1))]);
		this.trees.set(id, tree);
		return id;
	}

	/** By its id, or as `COMMIT^{tree}`. */
	tree(id: string): Tree {
		const of = id.endsWith("^{tree}") ? this.commits.get(id.slice(0, -7))?.tree : this.trees.get(id);
		if (of === undefined) throw new Error(`there is no tree ${id}`);
		return of;
	}

	find(id: string): Commit | null {
		return this.commits.get(id) ?? null;
	}

	at(id: string): Commit {
		const found = this.commits.get(id);
		if (found === undefined) throw new Error(`there is no commit ${id}`);
		return found;
	}

	/** All ancestors of a commit, including itself. */
	ancestors(id: string): Set<string> {
		const seen = new Set<string>();
		const todo = [id];
		for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
			if (seen.has(next)) continue;
			seen.add(next);
			todo.push(...this.at(next).parents);
		}
		return seen;
	}

	/** The newest common ancestor. */
	base(a: string, b: string): string | null {
		const others = this.ancestors(b);
		const common = [...this.ancestors(a)].filter((id) => others.has(id)).map((id) => this.at(id));
		return common.sort((x, y) => y.order - x.order)[0]?.id ?? null;
	}

	/** The commits of `to` that `from` does not have, oldest first. */
	between(from: string, to: string): Commit[] {
		const known = this.ancestors(from);
		const fresh = [...this.ancestors(to)].filter((id) => !known.has(id)).map((id) => this.at(id));
		return fresh.sort((a, b) => a.order - b.order);
	}

	/** The commits that persons made between two points, again on top of the first, without whatever else lies between. `tree`: the files
	 * that somebody has there, with what the persons changed. */
	onlyOfPersons(from: string, to: string, files: Tree): { readonly commit: string; readonly tree: Tree } {
		let [commit, tree] = [from, files];
		for (const { id, parents, tree: after, message } of this.between(from, to)) {
			if (!this.ofPersons.has(id)) continue;
			const before = this.at(parents[0] ?? "").tree;
			tree = mergeTrees(before, tree, after).tree;
			if (parents[0] === commit) commit = id;
			else {
				commit = this.commit(mergeTrees(before, this.at(commit).tree, after).tree, [commit], message);
				this.ofPersons.add(commit);
			}
		}
		return { commit, tree };
	}
}

class ClonedRefs extends Map<string, string> {
	private readonly remote: Map<string, string>;
	private readonly isShared: (ref: string) => boolean;

	constructor(remote: Map<string, string>, isShared: (ref: string) => boolean) {
		super();
		this.remote = remote;
		this.isShared = isShared;
	}

	override get(ref: string): string | undefined {
		return this.isShared(ref) ? this.remote.get(ref) : super.get(ref);
	}

	override has(ref: string): boolean {
		return this.get(ref) !== undefined;
	}

	override set(ref: string, commit: string): this {
		if (this.isShared(ref)) this.remote.set(ref, commit);
		else super.set(ref, commit);
		return this;
	}
}

export function changedPaths(before: Tree, after: Tree): string[] {
	const all = new Set([...before.keys(), ...after.keys()]);
	return [...all].filter((path) => before.get(path) !== after.get(path)).sort();
}

export const sameTree = (a: Tree, b: Tree): boolean => changedPaths(a, b).length === 0;

/** `ours` with the changes of `theirs` since `fork`; files that both changed differently are conflicts and stay as ours. */
export function mergeTrees(fork: Tree, ours: Tree, theirs: Tree): { readonly tree: Tree; readonly conflicts: readonly string[] } {
	const tree = new Map(ours);
	const conflicts: string[] = [];
	for (const path of changedPaths(fork, theirs)) {
		const wanted = theirs.get(path);
		if (ours.get(path) === wanted) continue;
		if (ours.get(path) !== fork.get(path)) conflicts.push(path);
		else if (wanted === undefined) tree.delete(path);
		else tree.set(path, wanted);
	}
	return { tree, conflicts };
}

/** For people and for tests: which lines were added and removed, file by file. Not a patch that can be applied. */
export function diffText(before: Tree, after: Tree): string {
	const lines = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n"));
	return changedPaths(before, after)
		.map((path) => {
			const [was, is] = [lines(before.get(path)), lines(after.get(path))];
			const gone = was.filter((line) => !is.includes(line)).map((line) => `-${line}\n`);
			const came = is.filter((line) => !was.includes(line)).map((line) => `+${line}\n`);
			return `diff --git a/${path} b/${path}\n--- ${before.has(path) ? `a/${path}` : "/dev/null"}\n+++ ${after.has(path) ? `b/${path}` : "/dev/null"}\n${[...gone, ...came].join("")}`;
		})
		.join("");
}

const hash = (parts: readonly unknown[]): string => createHash("sha1").update(JSON.stringify(parts)).digest("hex");
