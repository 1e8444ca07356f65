// The workspace contract over a checkout in memory.
import {
	type Changes,
	type FoldRequest,
	type Leftover,
	type Leftovers,
	type Point,
	type RolledBack,
	type SessionStart,
	type Workspace,
	WorkspaceError,
} from "../../workspace.ts";
import { isPawls } from "./files.suite.ts";
import { type Checkout, refOf } from "./memory-checkout.suite.ts";
import { changedPaths, diffText, sameTree, type Tree } from "./memory-git.suite.ts";

export class MemoryWorkspace implements Workspace {
	readonly branch: string;
	private readonly checkout: Checkout;
	/** File → text of every diff that was ever saved. */
	private readonly diffs: Map<string, string>;
	/** A person's own checkout: its HEAD moves only on request. */
	private readonly users: boolean;

	constructor(checkout: Checkout, branch: string, diffs: Map<string, string>, users = false) {
		this.checkout = checkout;
		this.branch = branch;
		this.diffs = diffs;
		this.users = users;
	}

	get path(): string {
		return this.checkout.path;
	}

	async point(start?: SessionStart): Promise<Point> {
		this.checkout.tampered = [];
		// Checks of an attempt are a session of their own, within it.
		if (start !== undefined && "session" in start && !start.session?.endsWith(":checks")) this.checkout.refChanges = [];
		if (!this.users) this.checkout.head = { branch: this.branch };
		const { commit, branch } = this.checkout;
		if (commit === null) throw new WorkspaceError(`branch ${this.branch} of ${this.path} has no commit any more`);
		if (branch !== this.branch && this.branch !== "HEAD")
			throw new WorkspaceError(
				`${this.path} is on ${branch ?? "no branch"} now, and the run works on ${this.branch}: switch back to go on`,
			);
		return { commit, tree: this.checkout.git.keep(this.checkout.look()) };
	}

	async changes(since: Point): Promise<Changes> {
		const { git } = this.checkout;
		const tampered = this.checkout.tampered.splice(0);
		if (this.checkout.branch !== this.branch && this.branch !== "HEAD") {
			tampered.push(`HEAD (was ${this.checkout.branch ?? this.checkout.commit ?? "gone"})`);
			this.checkout.head = { branch: this.branch };
		}
		if (this.checkout.commit === null) {
			this.move(since.commit);
			tampered.push(`branch ${this.branch}`);
		}
		const commit = this.commitNow();
		const own = changedPaths(git.at(since.commit).tree, git.at(commit).tree).find(isPawls);
		if (own !== undefined) tampered.push(`pawl's own files in a commit (${own})`);
		const tree = this.checkout.look();
		return {
			point: { commit, tree: git.keep(tree) },
			paths: changedPaths(git.tree(since.tree), tree),
			committed: commit !== since.commit,
			uncommitted: !sameTree(tree, git.at(commit).tree),
			tampered,
			refs: [...this.checkout.refChanges],
			others: [],
		};
	}

	sessionEnv(): Readonly<Record<string, string>> {
		return {};
	}

	async commitsOfOthers(): Promise<readonly string[]> {
		return [];
	}

	async recall(): Promise<Point | null> {
		return null;
	}

	async saveDiff(since: Point, file: string, attempt?: number): Promise<string | null> {
		const [before, after] = [this.checkout.git.tree(since.tree), this.checkout.look()];
		if (sameTree(before, after)) return null;
		const text = diffText(before, after);
		const isFree = (name: string): boolean => attempt === undefined || (this.diffs.get(name) ?? text) === text;
		const suffix = (n: number): string => (n === 0 ? "" : n === 1 ? `-${attempt}` : `-${attempt}-${n}`);
		let name = file;
		for (let n = 0; !isFree(name); n++) name = file.replace(/(\.\w+)?$/, (extension) => `${suffix(n + 1)}${extension}`);
		this.diffs.set(name, text);
		return name;
	}

	async rollback(to: Point): Promise<RolledBack> {
		if (this.branch !== "HEAD") this.checkout.head = { branch: this.branch };
		const { git } = this.checkout;
		const { commit, tree } = git.onlyOfPersons(to.commit, this.commitNow(), git.tree(to.tree));
		// By what is committed now: a file that is in git is not ignored, whatever its name.
		this.checkout.put(tree);
		this.move(commit);
		return { commit, stayed: git.between(to.commit, commit).map(({ id }) => id), aside: [], refs: [] };
	}

	async revert(paths: readonly string[], to: Point): Promise<void> {
		const tree = this.checkout.git.tree(to.tree);
		for (const path of paths) {
			if (path.startsWith("/") || path.split("/").some((part) => part === ".." || part === ".git") || isPawls(path))
				throw new WorkspaceError(`${path} is not a path of this checkout`);
			const was = tree.get(path);
			if (was === undefined) this.checkout.files.remove(path);
			else this.checkout.files.write(path, was);
		}
	}

	async commitAll(message: string): Promise<string | null> {
		this.refuseElsewhere();
		if (sameTree(this.checkout.look(), this.checkout.committed())) return null;
		return this.checkout.commitAll(message);
	}

	async keepLeftovers(message: string, aside: string, leave: readonly string[] = [], but: readonly string[] = []): Promise<Leftovers> {
		this.refuseElsewhere();
		const [before, after] = [this.checkout.committed(), this.checkout.look()];
		const isLeft = (path: string): boolean => !but.includes(path) && leave.some((one) => path === one || path.startsWith(`${one}/`));
		const moved = await this.putLitterAside(
			changedPaths(before, after).filter((path) => !isLeft(path)),
			aside,
		);
		const changed = changedPaths(before, this.checkout.look());
		const work = changed
			.filter((path) => !isLeft(path))
			.map((path): Leftover => {
				const text = after.get(path);
				return { path, bytes: text === undefined ? null : Buffer.byteLength(text) };
			});
		if (work.length === changed.length) return { commit: await this.commitAll(message), committed: work, aside: moved };
		const tree = new Map(this.checkout.look());
		for (const path of changed.filter(isLeft)) {
			const was = before.get(path);
			if (was === undefined) tree.delete(path);
			else tree.set(path, was);
		}
		return { commit: work.length === 0 ? null : this.checkout.commitTree(tree, message), committed: work, aside: moved };
	}

	async putLitterAside(paths: readonly string[], aside: string): Promise<Leftover[]> {
		const [before, after] = [this.checkout.committed(), this.checkout.look()];
		const moved: Leftover[] = [];
		for (const path of paths) {
			const text = after.get(path);
			if (text === undefined || before.has(path)) continue;
			const bytes = Buffer.byteLength(text);
			const why = text.includes("\0") ? "binary" : bytes > 1_000_000 ? "large" : null;
			const like = why ?? (/\.(?:log|dump)$/.test(path) ? `a ${path.slice(path.lastIndexOf(".") + 1)}` : null);
			if (like === null) continue;
			this.diffs.set(`${aside}/${path}`, text);
			this.checkout.files.remove(path);
			moved.push({ path, bytes, why: like });
		}
		return moved;
	}

	async discard(): Promise<void> {
		this.checkout.put(this.checkout.git.at(this.commitNow()).tree);
	}

	async fold({ onto, message, leave = [] }: FoldRequest): Promise<string | null> {
		this.refuseElsewhere();
		const { git } = this.checkout;
		const commit = this.commitNow();
		if (!git.ancestors(commit).has(onto))
			throw new WorkspaceError(`${onto} is no commit of ${this.branch} any more: there is nothing to put this on top of`);
		const { commit: below } = git.onlyOfPersons(onto, commit, git.at(onto).tree);
		const [base, all] = [git.at(below).tree, this.checkout.look()];
		const tree = without(all, base, leave);
		const folded = sameTree(tree, base) ? null : git.commit(tree, [below], message);
		const top = sameTree(tree, all) ? (folded ?? below) : git.commit(all, [folded ?? below], `pawl: left out (${leave.join(", ")})\n`);
		this.move(top);
		return folded;
	}

	async markersSince(commit: string, tree?: string): Promise<readonly string[]> {
		const before = this.checkout.git.at(commit).tree;
		const isMarker = (line: string): boolean => /^(?:<{7}|>{7})(?: |$)/.test(line);
		return [...(tree === undefined ? this.checkout.look() : this.checkout.git.tree(tree))].flatMap(([path, text]) => {
			const old = (before.get(path) ?? "").split("\n");
			return text.split("\n").flatMap((line, n) => (isMarker(line) && !old.includes(line) ? [`${path}:${n + 1}`] : []));
		});
	}

	async read(point: Point, path: string): Promise<string | null> {
		return this.checkout.git.tree(point.tree).get(path) ?? null;
	}

	private commitNow(): string {
		const { commit } = this.checkout;
		if (commit === null) throw new WorkspaceError(`branch ${this.branch} of ${this.path} has no commit any more`);
		return commit;
	}

	private refuseElsewhere(): void {
		if (this.checkout.commit === null || (this.checkout.branch ?? "HEAD") !== this.branch)
			throw new WorkspaceError(`${this.path} is not on ${this.branch} any more`);
	}

	private move(commit: string): void {
		if (this.branch === "HEAD") this.checkout.head = { commit };
		else this.checkout.git.refs.set(refOf(this.branch), commit);
	}
}

/** The files under these paths are unchanged. */
function without(all: Tree, base: Tree, leave: readonly string[]): Tree {
	const left = (path: string): boolean => leave.some((folder) => path === folder || path.startsWith(`${folder}/`));
	return new Map([...[...all].filter(([path]) => !left(path)), ...[...base].filter(([path]) => left(path))]);
}
