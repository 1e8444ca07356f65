// The repository contract in memory. What is kept is in the site; a handle on it is what one process has, with the locks it holds.
import {
	type BranchRequest,
	type DiffOf,
	type FoundCommit,
	type KeptRef,
	type ListedCommit,
	type MergeRequest,
	type MergeResult,
	type RefWatch,
	type Repository,
	type StackRequest,
	type StackResult,
	type Standing,
	type UndoResult,
	WorkGone,
	type Workspace,
	WorkspaceError,
} from "../../workspace.ts";
import { type Checkout, refOf } from "./memory-checkout.suite.ts";
import { changedPaths, diffText, sameTree, type Tree } from "./memory-git.suite.ts";
import { type MergeQueue, mergeStory, stackStory } from "./memory-merge.suite.ts";
import { type MemorySite, PUBLISHED } from "./memory-site.suite.ts";
import { keptOf, MemorySlots } from "./memory-slots.suite.ts";
import { MemoryWorkspace } from "./memory-workspace.suite.ts";

export class MemoryRepository implements Repository {
	readonly site: MemorySite;
	private readonly slots: MemorySlots;
	private readonly merging: MergeQueue = new Map();
	/** It is one machine's of several. */
	private readonly elsewhere: boolean;

	/** Called before whatever needs the other machines' repository; throws while that is away. */
	private readonly reach: () => void;

	constructor(site: MemorySite, elsewhere = false, reach: () => void = () => {}) {
		this.reach = reach;
		this.site = site;
		this.elsewhere = elsewhere;
		this.slots = new MemorySlots(site, this);
	}

	/** What the end of a process does to its locks. */
	die(): void {
		if (this.site.treeHolder?.repository === this) this.site.treeHolder = null;
		for (const [slot, holder] of this.site.slotHolders) if (holder === this) this.site.slotHolders.delete(slot);
	}

	get root(): string {
		return this.site.root;
	}

	get branch(): string | null {
		return this.site.user.branch;
	}

	async dirty(): Promise<readonly string[]> {
		return changedPaths(this.site.user.committed(), this.site.user.look());
	}

	async noteSettings(): Promise<string> {
		return "settings";
	}

	async useSettings(): Promise<{ readonly differ: readonly string[] }> {
		return { differ: [] };
	}

	dropSettings(): void {}

	confineSetup(): void {}

	async gitPlaces(): Promise<readonly []> {
		return [];
	}

	async hideOwnWrites(): Promise<void> {}

	async showOwnWrites(): Promise<void> {}

	async exclude(patterns: readonly string[]): Promise<void> {
		this.site.excluded.push(...patterns.filter((pattern) => !this.site.excluded.includes(pattern)));
	}

	async watchRefs(): Promise<RefWatch> {
		return { env: {}, check: async () => [] };
	}

	async startBranch(name: string): Promise<void> {
		if (await this.hasBranch(name)) throw new WorkspaceError(`the branch ${name} cannot be made`);
		this.site.switchTo(name);
	}

	async makeBranch(name: string, commit: string): Promise<void> {
		if ((await this.hasBranch(name)) && (await this.commitOf(name)) !== commit)
			throw new WorkspaceError(`the branch ${name} cannot be made: it is there`);
		this.site.git.refs.set(`refs/heads/${name}`, commit);
	}

	async remoteHas(): Promise<boolean | null> {
		return null;
	}

	get checkout(): string {
		return this.tree().path;
	}

	commitsOfOthers(): Promise<readonly string[]> {
		return this.tree().commitsOfOthers();
	}

	tree(): Workspace {
		return new MemoryWorkspace(this.site.user, this.site.user.branch ?? "HEAD", this.site.diffs, true);
	}

	holdTree(run = ""): boolean {
		if (this.site.treeHolder === null || (this.site.treeHolder.repository === this && run !== ""))
			this.site.treeHolder = { repository: this, run };
		return this.site.treeHolder.repository === this;
	}

	freeTree(): void {
		if (this.site.treeHolder?.repository === this) this.site.treeHolder = null;
	}

	async hasBranch(name: string): Promise<boolean> {
		return this.site.git.refs.has(refOf(name));
	}

	async commitOf(ref: string): Promise<string> {
		const isId = /^[0-9a-f]{40}$/.test(ref);
		const found = ref === "HEAD" ? this.site.user.commit : isId ? this.site.git.find(ref)?.id : this.site.git.refs.get(refOf(ref));
		if (!found) throw new WorkspaceError(isId || ref === "HEAD" ? `there is no commit ${ref}` : `there is no branch ${ref}`);
		return found;
	}

	async commits(from: string, to: string): Promise<readonly ListedCommit[]> {
		const found = this.site.git.between(await this.commitOf(from), await this.commitOf(to));
		return found.map(({ id, message }) => ({ sha: id, subject: message.split("\n", 1)[0] ?? "", at: 0 }));
	}

	/** No engine asks for it. */
	async undo(): Promise<UndoResult> {
		throw new WorkspaceError("commits in memory cannot be taken back");
	}

	async findCommit(name: string): Promise<FoundCommit | null> {
		const sha = await this.commitOf(name).catch(() => null);
		return sha === null ? null : { sha, subject: this.site.git.at(sha).message.split("\n", 1)[0] ?? "", run: null, story: null };
	}

	async notes(commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
		return new Map([...this.site.notes].filter(([commit]) => commits.includes(commit)));
	}

	async addNotes(notes: ReadonlyMap<string, string>): Promise<void> {
		for (const [commit, text] of notes) this.site.notes.set(commit, text);
	}

	async diff(of: DiffOf): Promise<string | null> {
		const { git } = this.site;
		if ("commit" in of) {
			const { tree, parents } = git.at(await this.commitOf(of.commit));
			return diffText(parents[0] === undefined ? new Map() : git.at(parents[0]).tree, tree);
		}
		if ("story" in of) {
			const tip = git.refs.get(refOf(`ralph/${of.story}`)) ?? git.refs.get(keptOf(of.story));
			return tip === undefined ? null : diffText(this.forkTree(await this.commitOf(of.base), tip), git.at(tip).tree);
		}
		const to = await this.commitOf(of.to);
		return diffText(this.forkTree(await this.commitOf(of.from), to), git.at(to).tree);
	}

	async changedPaths(from: string, to: string): Promise<readonly string[]> {
		const tip = await this.commitOf(to);
		return changedPaths(this.forkTree(await this.commitOf(from), tip), this.site.git.at(tip).tree);
	}

	async claim(slot: number, story: string, base: string): Promise<Workspace> {
		this.reach();
		return new MemoryWorkspace(this.slots.claim(slot, story, base), `ralph/${story}`, this.site.diffs);
	}

	async reopen(slot: number, story: string, _run?: string, _apart?: boolean, standing?: Standing): Promise<Workspace | null> {
		if (this.elsewhere && standing !== undefined && !this.isHere(slot, standing.commit, story)) {
			this.obtain(standing);
			this.slots.release(slot, story);
			this.site.git.refs.set(keptOf(story), standing.commit);
		}
		const checkout = this.slots.reopen(slot, story);
		return checkout === null ? null : new MemoryWorkspace(checkout, `ralph/${story}`, this.site.diffs);
	}

	/** Only what was published, or is on base, can be had from another machine. */
	private obtain({ start, commit }: Standing): void {
		this.reach();
		if (commit !== start && !this.site.canHave(commit))
			throw new WorkGone(`the work that the run goes on from is gone: there is no commit ${commit}`);
	}

	/** Whether this is where the story stands, with nothing beside it. */
	private isHere(slot: number, commit: string, story: string): boolean {
		const there = this.site.slots.get(slot);
		if (this.site.git.refs.get(refOf(`ralph/${story}`)) !== commit || there?.story !== story) return false;
		return sameTree(there.checkout.look(), this.site.git.at(commit).tree);
	}

	/** As a worker does it: a name is given once. */
	async publish(name: string, commit: string): Promise<void> {
		const ref = `${PUBLISHED}${name}`;
		const known = this.site.git.refs.get(ref);
		if (known !== undefined && known !== commit) throw new WorkspaceError(`${ref} is ${known} already, not ${commit}`);
		this.site.git.refs.set(ref, commit);
	}

	async release(slot: number, story: string): Promise<void> {
		this.slots.release(slot, story);
	}

	async close(slots: readonly number[]): Promise<void> {
		this.slots.close(slots);
	}

	async openBranch(slot: number, request: BranchRequest): Promise<Workspace> {
		const { checkout, branch } = this.slots.openBranch(slot, request);
		return new MemoryWorkspace(checkout, branch, this.site.diffs);
	}

	async keptRefs(): Promise<readonly KeptRef[]> {
		return [...this.site.git.refs].flatMap(([ref, commit]) => (ref.startsWith("refs/pawl/") ? [{ ref, commit, at: 0, run: null }] : []));
	}

	async removeKeptRefs(refs: readonly KeptRef[]): Promise<void> {
		for (const { ref } of refs) this.site.git.refs.delete(ref);
	}

	async standing(base: string): Promise<string> {
		if (this.site.user.branch === base && this.site.treeHolder !== null) return `held ${this.site.treeHolder.run}`;
		const files = this.site.checkouts
			.filter((checkout) => checkout.branch === base)
			.map((checkout) => [checkout.path, changedPaths(checkout.committed(), checkout.look())]);
		return JSON.stringify([this.site.git.refs.get(`refs/heads/${base}`), files]);
	}

	async anonymous(): Promise<boolean> {
		return false;
	}

	async subjects(): Promise<readonly string[]> {
		return [];
	}

	fresh<T>(commit: string, work: (path: string) => Promise<T>): Promise<T> {
		return work(`/fresh/${commit}`);
	}

	async closeBranch(slot: number, run: string, start: string): Promise<void> {
		this.slots.closeBranch(slot, run, start);
	}

	async remote(_branch: string): Promise<{ readonly name: string; readonly url: string } | null> {
		const { remotes } = this.site;
		const found = remotes.find((one) => one.name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
		return found === undefined ? null : { name: found.name, url: found.url };
	}

	async defaultBranch(remote: string): Promise<string | null> {
		return this.site.remotes.find((one) => one.name === remote)?.defaultBranch ?? null;
	}

	async push(remote: string, branch: string, as: string = branch): Promise<string | null> {
		const to = this.site.remotes.find((one) => one.name === remote);
		if (to === undefined) return `there is no remote ${remote}`;
		if (to.refuses !== undefined) return to.refuses;
		const commit = await this.commitOf(branch);
		const before = this.site.pushes.findLast((push) => push.remote === remote && push.as === as);
		if (before !== undefined && !this.site.git.ancestors(commit).has(before.commit)) return `${as} was rejected (non-fast-forward)`;
		this.site.pushes.push({ remote, branch, as, commit });
		return null;
	}

	async holds(commit: string, branch: string): Promise<boolean> {
		this.reach();
		const { git } = this.site;
		const tip = await this.commitOf(branch);
		const changeOf = (id: string): string => {
			const { tree, parents } = git.at(id);
			return diffText(parents[0] === undefined ? new Map() : git.at(parents[0]).tree, tree);
		};
		return git.find(commit) !== null && [...git.ancestors(tip)].some((id) => id === commit || changeOf(id) === changeOf(commit));
	}

	async stack(slot: number, request: StackRequest): Promise<StackResult> {
		return stackStory(this.site, this.worktreeOf(slot, request.story), request);
	}

	async merge(slot: number, request: MergeRequest): Promise<MergeResult> {
		this.reach();
		return mergeStory(this.site, this.merging, this.worktreeOf(slot, request.story), request);
	}

	private worktreeOf(slot: number, story: string): Checkout {
		const worktree = this.slots.reopen(slot, story);
		if (worktree === null) throw new WorkspaceError(`nothing is left of the work on ${story}: it has neither a worktree nor a branch`);
		return worktree;
	}

	/** Of where the second left the first. */
	private forkTree(from: string, to: string): Tree {
		const fork = this.site.git.base(from, to);
		return fork === null ? new Map() : this.site.git.at(fork).tree;
	}
}
