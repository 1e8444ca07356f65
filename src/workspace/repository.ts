// The repository that pawl was started in: what it is, where its checkouts are, and the way to worktrees and merging.
import type { Place } from "../core/sandbox/sandbox.ts";
import {
	type BranchRequest,
	type ConfineSetup,
	type FoundCommit,
	type KeptRef,
	type MergeRequest,
	type MergeResult,
	type RefWatch,
	type Repository,
	type StackRequest,
	type StackResult,
	type Standing,
	type StoryWork,
	type UndoRequest,
	type UndoResult,
	type UsedSettings,
	type Workspace,
	WorkspaceError,
} from "../workspace.ts";
import { excludePatterns } from "./exclude.ts";
import { type FoundRepository, findRepository, type NoRepository } from "./git/find.ts";
import { git, tryGit } from "./git/git.ts";
import { forgetHolder, holdTree, noteHolder } from "./git/held-tree.ts";
import { identityEnv } from "./git/identity.ts";
import type { Lock } from "./git/lock.ts";
import { gitPlaces } from "./git/places.ts";
import { privateIndex } from "./git/private-index.ts";
import { clearPackedRefsLock } from "./git/stale-lock.ts";
import { isPrivate, parseStatus } from "./git/status.ts";
import { adminOf } from "./git/worktree-folders.ts";
import { NotedSettings } from "./guard/noted-settings.ts";
import { GitHistory } from "./history.ts";
import type { BaseRef } from "./merge/base-ref.ts";
import type { StoryTree } from "./merge/compose.ts";
import { mergeStory, stackStory } from "./merge/merge.ts";
import { findCommit } from "./merge/merge-message.ts";
import { standingOf } from "./merge/standing.ts";
import { undoCommits } from "./merge/undo.ts";
import { keptRefs, packKeptRefs, removeKeptRefs } from "./refs/kept.ts";
import { addNotes, notesOf } from "./refs/notes.ts";
import { Sessions } from "./refs/sessions.ts";
import { takeOver } from "./remote/take-over.ts";
import { inFreshWorktree } from "./slot/fresh.ts";
import { RunBranches } from "./slot/run-branch.ts";
import { Worktrees } from "./slot/worktrees.ts";
import { hideOwnWrites, showOwnWrites } from "./tree/own-writes.ts";
import { GitTree } from "./tree/tree.ts";

export interface WorktreeConfig {
	readonly setup: string | null;
	readonly copy: readonly string[];
	readonly link: readonly string[];
}

/** For a clone of a repository that machines share: where base is, and how the work of other machines gets here. */
export interface Elsewhere {
	baseOf(tree: StoryTree): BaseRef;
	/** Puts this clone's own branch of that name to where base is. */
	bringUp(base: string): Promise<void>;
	/** Makes sure that these commits are here. */
	obtain(commits: readonly string[]): Promise<void>;
}

/** Reads the configuration only once the root is known, and not if there is a problem. */
export async function openRepository(
	cwd: string,
	config: (root: string) => WorktreeConfig = () => ({ setup: null, copy: [], link: [] }),
	elsewhere: Elsewhere | null = null,
): Promise<Repository | NoRepository> {
	try {
		const found = await findRepository(cwd);
		return "problem" in found ? found : new GitRepository(found, config(found.root), elsewhere);
	} catch (error) {
		if (error instanceof WorkspaceError) return { problem: error.message };
		throw error;
	}
}

class GitRepository extends GitHistory implements Repository {
	private readonly worktrees: Worktrees;
	private readonly branches: RunBranches;
	private readonly preparation: WorktreeConfig;
	private readonly settings: NotedSettings;
	private readonly elsewhere: Elsewhere | null;
	private held: Lock | null = null;
	private readonly confined = new Map<string, ConfineSetup>();
	private readonly claimed = new Map<number, { readonly story: string; readonly tree: GitTree }>();

	constructor(found: FoundRepository, config: WorktreeConfig, elsewhere: Elsewhere | null) {
		super(found);
		this.elsewhere = elsewhere;
		const confine = (run: string | null): ConfineSetup | null => this.confined.get(run ?? "") ?? null;
		const options = { root: found.root, commonDir: found.commonDir, setup: config.setup, copy: config.copy, link: config.link, confine };
		this.preparation = config;
		this.settings = new NotedSettings(found);
		this.worktrees = new Worktrees(options);
		this.branches = new RunBranches(options);
	}

	async dirty(): Promise<readonly string[]> {
		const args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];
		const status = parseStatus(await git(this.found.top, args));
		return [...new Set([...status.staged, ...status.changed, ...status.nested])].filter((path) => !isPrivate(path));
	}

	exclude(patterns: readonly string[]): Promise<void> {
		return excludePatterns(this.found.commonDir, patterns);
	}

	noteSettings(): Promise<string> {
		return this.settings.note();
	}

	useSettings(name: string, compare: boolean): Promise<UsedSettings> {
		return this.settings.use(name, compare);
	}

	dropSettings(): void {
		this.settings.drop();
	}

	tree(): Workspace {
		const { root, top, gitDir, commonDir, branch } = this.found;
		return new GitTree({ root, path: top, branch: branch ?? "HEAD", gitDir, commonDir, index: privateIndex(gitDir), users: true });
	}

	holdTree(run?: string): boolean {
		this.held ??= holdTree(this.found.gitDir);
		if (this.held !== null && run !== undefined) noteHolder(this.found.gitDir, run);
		return this.held !== null;
	}

	packRefs(): Promise<void> {
		return packKeptRefs(this.found.root, this.found.commonDir);
	}

	clearLocks(): Promise<void> {
		return clearPackedRefsLock(this.found.commonDir);
	}

	freeTree(): void {
		if (this.held !== null) forgetHolder(this.found.gitDir);
		this.held?.free();
		this.held = null;
	}

	hideOwnWrites(files: readonly string[]): Promise<void> {
		return hideOwnWrites({ path: this.found.top, gitDir: this.found.gitDir }, files);
	}

	showOwnWrites(): Promise<void> {
		return showOwnWrites({ path: this.found.top, gitDir: this.found.gitDir });
	}

	async startBranch(name: string): Promise<void> {
		const valid = !name.startsWith("-") && (await tryGit(this.found.top, ["check-ref-format", `refs/heads/${name}`])).code === 0;
		if (!valid) throw new WorkspaceError(`${name} cannot be the name of a branch`);
		const made = await tryGit(this.found.top, ["checkout", "--quiet", "--no-track", "-b", name]);
		if (made.code !== 0) throw new WorkspaceError(`the branch ${name} cannot be made: ${made.stderr.trim()}`);
		this.found = { ...this.found, branch: name };
	}

	async makeBranch(name: string, commit: string): Promise<void> {
		const ref = `refs/heads/${name}`;
		const made = await tryGit(this.root, ["update-ref", "-m", "pawl", ref, commit, ""]);
		if (made.code === 0 || (await this.commitOf(name).catch(() => null)) === commit) return;
		throw new WorkspaceError(`the branch ${name} cannot be made: ${made.stderr.trim()}`);
	}

	async watchRefs(session: string): Promise<RefWatch> {
		const { root, commonDir, top, gitDir } = this.found;
		// On no branch of its own: it may move none.
		const sessions = new Sessions({ root, commonDir, path: top, gitDir, branch: null }, true);
		const noted = await sessions.begin(session);
		return { env: sessions.env({ commit: "", tree: "", noted }), check: () => sessions.check(noted, "", "") };
	}

	async anonymous(): Promise<boolean> {
		return Object.keys(await identityEnv(this.found.top)).length > 0;
	}

	async claim(slot: number, story: string, base: string, run: string, apart = false): Promise<Workspace> {
		await this.elsewhere?.bringUp(base);
		const tree = await this.worktrees.claim(slot, story, base, run, apart);
		this.claimed.set(slot, { story, tree });
		return tree;
	}

	async reopen(slot: number, story: string, run: string, apart = false, standing?: Standing): Promise<Workspace | null> {
		const tree = await this.worktrees.reopen(slot, story, run, apart);
		if (this.elsewhere !== null && standing !== undefined && !(await isAt(tree, standing.commit))) {
			await this.elsewhere.obtain([standing.start, standing.commit]);
			return takeOver(this, slot, { run, story, apart, ...standing });
		}
		if (tree !== null) this.claimed.set(slot, { story, tree });
		return tree;
	}

	/** Of a shared base what counts is where it is now. */
	override async holds(commit: string, branch: string): Promise<boolean> {
		await this.elsewhere?.bringUp(branch);
		return super.holds(commit, branch);
	}

	async release(slot: number, story: string, run: string, apart = false): Promise<void> {
		this.claimed.delete(slot);
		await this.worktrees.release(slot, story, run, apart);
	}

	async close(slots: readonly number[], run: string | null): Promise<void> {
		for (const slot of slots) this.claimed.delete(slot);
		for (const slot of slots) await this.branches.clear(slot, run);
		await this.worktrees.close(slots, run);
	}

	openBranch(slot: number, request: BranchRequest): Promise<Workspace> {
		return this.branches.open(slot, request);
	}

	fresh<T>(commit: string, work: (path: string) => Promise<T>, confine: ConfineSetup | null = null): Promise<T> {
		const { setup, copy, link } = this.preparation;
		return inFreshWorktree(this.root, commit, { setup, copy, link, confine: () => confine }, work);
	}

	confineSetup(run: string, confine: ConfineSetup): void {
		this.confined.set(run, confine);
	}

	async gitPlaces(path: string): Promise<readonly Place[]> {
		const { commonDir, gitDir, top } = this.found;
		const own = path === top ? gitDir : await adminOf(commonDir, path);
		return own === null ? [] : gitPlaces(commonDir, own);
	}

	closeBranch(slot: number, run: string, start: string): Promise<void> {
		return this.branches.close(slot, run, start);
	}

	async remote(branch: string): Promise<{ readonly name: string; readonly url: string } | null> {
		const { top } = this.found;
		const remotes = (await git(top, ["remote"])).split("\n").filter((name) => name !== "");
		const own = (await tryGit(top, ["config", "--get", `branch.${branch}.remote`])).stdout.toString("utf8").trim();
		const name = [own, "origin", remotes.length === 1 ? (remotes[0] ?? "") : ""].find((one) => remotes.includes(one));
		if (name === undefined) return null;
		return { name, url: (await tryGit(top, ["remote", "get-url", name])).stdout.toString("utf8").trim() };
	}

	async defaultBranch(remote: string): Promise<string | null> {
		const asked = await tryGit(this.found.top, ["ls-remote", "--symref", "--end-of-options", remote, "HEAD"]);
		return asked.code === 0 ? (/^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked.stdout.toString("utf8"))?.[1] ?? null) : null;
	}

	async remoteHas(remote: string, branch: string): Promise<boolean | null> {
		const asked = await tryGit(this.found.top, ["ls-remote", "--heads", "--end-of-options", remote, `refs/heads/${branch}`]);
		return asked.code === 0 ? asked.stdout.toString("utf8").trim() !== "" : null;
	}

	async push(remote: string, branch: string, as: string = branch): Promise<string | null> {
		const refs = `refs/heads/${branch}:refs/heads/${as}`;
		const result = await tryGit(this.found.top, ["push", "--quiet", "--porcelain", "--end-of-options", remote, refs]);
		return result.code === 0
			? null
			: (result.stderr.trim() || result.stdout.toString("utf8").trim() || `exit ${result.code}`).slice(0, 1000);
	}

	undo(request: UndoRequest): Promise<UndoResult> {
		return undoCommits({ root: this.root, commonDir: this.found.commonDir }, request);
	}

	findCommit(name: string): Promise<FoundCommit | null> {
		return findCommit(this.found.top, name);
	}

	notes(commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
		return notesOf(this.root, commits);
	}

	addNotes(notes: ReadonlyMap<string, string>, at: number): Promise<void> {
		return addNotes(this.root, notes, at);
	}

	keptRefs(): Promise<readonly KeptRef[]> {
		return keptRefs(this.root);
	}

	removeKeptRefs(refs: readonly KeptRef[]): Promise<void> {
		return removeKeptRefs(this.root, refs);
	}

	standing(base: string): Promise<string> {
		return standingOf({ root: this.root, commonDir: this.found.commonDir }, base);
	}

	async stack(slot: number, request: StackRequest): Promise<StackResult> {
		const worktree = await this.worktreeOf(slot, request);
		const options = { root: this.root, commonDir: this.found.commonDir, worktree, request: this.announcing(request) };
		return stackStory(options, this.elsewhere?.baseOf(options));
	}

	async merge(slot: number, request: MergeRequest): Promise<MergeResult> {
		const worktree = await this.worktreeOf(slot, request);
		const options = { root: this.root, commonDir: this.found.commonDir, worktree, request: this.announcing(request) };
		return mergeStory(options, this.elsewhere?.baseOf(options));
	}

	/** Anybody can write trailers onto a base that is elsewhere: only what was announced counts there. */
	private announcing<T extends StoryWork>(request: T): T {
		return this.elsewhere === null ? request : { ...request, announced: request.announced ?? [] };
	}

	private async worktreeOf(slot: number, { story, run, apart }: StoryWork): Promise<GitTree> {
		const claimed = this.claimed.get(slot);
		const worktree = claimed?.story === story ? claimed.tree : await this.worktrees.reopen(slot, story, run, apart);
		if (worktree === null) throw new WorkspaceError(`nothing is left of the work on ${story}: it has neither a worktree nor a branch`);
		return worktree;
	}
}

/** Whether a worktree is at this commit and has nothing besides: what is there besides it does not count, and may be left by somebody whose lane went to another machine. */
async function isAt(tree: GitTree | null, commit: string): Promise<boolean> {
	if (tree === null) return false;
	const point = await tree.point().catch(() => null);
	return point?.commit === commit && point.tree === (await git(tree.path, ["rev-parse", `${commit}^{tree}`])).trim();
}
