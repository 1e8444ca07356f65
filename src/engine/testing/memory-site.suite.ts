// What outlives a process of the memory repository: commits and refs, checkouts with their files, what each slot is for, what was pushed.
import { join } from "node:path";
import { type Files, type MakeFiles, memoryFiles } from "./files.suite.ts";
import { Checkout, refOf } from "./memory-checkout.suite.ts";
import { MemoryGit } from "./memory-git.suite.ts";

export interface SiteOptions {
	/** Absolute. */
	readonly root?: string;
	readonly files?: Readonly<Record<string, string>>;
	readonly branch?: string;
	/** Where checkouts keep their files; in memory by default. */
	readonly makeFiles?: MakeFiles;
	readonly remotes?: readonly Remote[];
	/** Of a machine: what it has of the repository that machines share. */
	readonly git?: MemoryGit;
	readonly excluded?: string[];
}

export interface Remote {
	readonly name: string;
	readonly url: string;
	/** Its default branch. */
	readonly defaultBranch?: string;
	/** Why it refuses a push. */
	readonly refuses?: string;
}

export interface Push {
	readonly remote: string;
	readonly branch: string;
	readonly as: string;
	readonly commit: string;
}

/** A worktree, and what it is for: a story, a run with its own branch, or nothing at the moment. */
export interface Slot {
	readonly checkout: Checkout;
	story: string | null;
	run: { readonly id: string; branch: string; settled: boolean } | null;
	/** The setup that it was made ready with; null until one has ended well. */
	prepared: string | null;
}

/** What makes a worktree ready, as `setup`, `copy` and `link` of pawl.yml do. */
export interface Setup {
	/** Another name is another setup. */
	readonly name: string;
	/** Throws if it fails. */
	run(checkout: Checkout): void;
}

/** Code that looks for saved diffs finds them only on disk: `onSave` may put them there. */
export class SavedDiffs extends Map<string, string> {
	onSave: (file: string, text: string) => void = () => {};
	/** What another machine saved under this name is on disk here, too. */
	onMissing: (file: string) => string | undefined = () => undefined;

	override get(file: string): string | undefined {
		return super.get(file) ?? this.onMissing(file);
	}

	override set(file: string, text: string): this {
		this.onSave?.(file, text);
		return super.set(file, text);
	}
}

/** Results of attempts, by a name that nobody else has. */
export const PUBLISHED = "refs/pawl/published/";

export class MemorySite {
	readonly git: MemoryGit;
	readonly root: string;
	/** The checkout that the user is in. */
	readonly user: Checkout;
	readonly slots = new Map<number, Slot>();
	readonly excluded: string[];
	readonly notes = new Map<string, string>();
	/** File → text of the diffs that were saved. */
	readonly diffs = new SavedDiffs();
	readonly remotes: readonly Remote[];
	readonly pushes: Push[] = [];
	setup: Setup | null = null;
	/** Who has the user's tree, and who works in which slot: handles, each standing for a process. */
	treeHolder: { readonly repository: object; readonly run: string } | null = null;
	readonly slotHolders = new Map<number, object>();
	/** Of a machine: whether it can have a commit from elsewhere. */
	canHave: (commit: string) => boolean = () => true;
	private readonly makeFiles: MakeFiles;

	constructor(options: SiteOptions = {}) {
		const { root = "/memory/project", files = {}, branch = "main", makeFiles = memoryFiles, remotes = [] } = options;
		this.root = root;
		this.makeFiles = makeFiles;
		this.remotes = remotes;
		this.git = options.git ?? new MemoryGit();
		this.excluded = options.excluded ?? [];
		this.user = this.checkout(root, branch);
		if (options.git !== undefined) return;
		for (const [path, text] of Object.entries(files)) this.user.files.write(path, text);
		this.user.commitAll("first");
	}

	/** A machine's own clone: nobody works in its checkout, which is on no branch. Base is where this site has it, and so is what machines publish. */
	machine(root: string, base: string): MemorySite {
		const isShared = (ref: string): boolean => ref === refOf(base) || ref.startsWith(PUBLISHED);
		const { makeFiles, excluded } = this;
		const made = new MemorySite({ root, makeFiles, excluded, git: this.git.clone(isShared) });
		made.user.head = { commit: this.git.refs.get(refOf(base)) ?? "" };
		made.canHave = (commit) => [...this.git.refs].some(([ref, tip]) => isShared(ref) && this.git.ancestors(tip).has(commit));
		made.diffs.onSave = (file, text) => this.diffs.onSave(file, text);
		made.diffs.onMissing = (file) => this.diffs.onMissing(file);
		return made;
	}

	checkout(path: string, branch: string): Checkout {
		return new Checkout(this.git, this.makeFiles(path), branch, this.excluded);
	}

	/** Like a user: switches the checkout to a new branch. */
	switchTo(branch: string): void {
		this.git.refs.set(refOf(branch), this.user.commit ?? "");
		this.user.head = { branch };
	}

	pathOf(slot: number): string {
		return join(this.root, ".pawl", "worktrees", `agent-${slot}`);
	}

	/** By its path, which is what an agent knows. */
	at(path: string): Checkout {
		const found = [this.user, ...[...this.slots.values()].map((slot) => slot.checkout)].find((one) => one.path === path);
		if (found === undefined) throw new Error(`there is no checkout in ${path}`);
		return found;
	}

	filesAt(path: string): Files {
		return this.at(path).files;
	}

	get checkouts(): readonly Checkout[] {
		return [this.user, ...[...this.slots.values()].map((slot) => slot.checkout)];
	}

	/** The files of a branch or a commit. */
	show(ref: string): Readonly<Record<string, string>> {
		return Object.fromEntries(this.git.at(this.git.refs.get(refOf(ref)) ?? ref).tree);
	}

	branches(): string[] {
		return [...this.git.refs.keys()].flatMap((ref) => (ref.startsWith("refs/heads/") ? [ref.slice(11)] : [])).sort();
	}

	/** Subjects of the commits of a branch, oldest first. */
	subjects(ref: string, from?: string): string[] {
		const to = this.git.refs.get(refOf(ref)) ?? ref;
		const commits =
			from === undefined
				? [...this.git.ancestors(to)].map((id) => this.git.at(id)).sort((a, b) => a.order - b.order)
				: this.git.between(from, to);
		return commits.map((commit) => commit.message.split("\n", 1)[0] ?? "");
	}

	/** Every commit of abandoned work that was kept for this story. */
	backups(story: string): string[] {
		return [...this.git.refs].flatMap(([ref, commit]) => (ref.startsWith(`refs/pawl/backup/${story}/`) ? [commit] : []));
	}
}
