// One checkout: the user's own, or the worktree of a story. Our own index and the guards show what happened in it;
// git puts it back with our index, so that nothing an agent did to the checkout's index survives.
import { rm } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import { writeInPieces } from "../../files/write.ts";
import {
	type Changes,
	type FoldRequest,
	type Leftover,
	type Leftovers,
	PersonNeeded,
	type Point,
	type RolledBack,
	type SessionStart,
	type Workspace,
	WorkspaceError,
} from "../../workspace.ts";
import { bytesOf } from "../git/file-names.ts";
import { isPrivate } from "../git/status.ts";
import { type SharedGuard, sharedGuard, TreeGuard } from "../guard/guard.ts";
import { ROLLBACK } from "../refs/own-branch.ts";
import { endUnfinished, putHead, removeLocks } from "./checkout-state.ts";
import { Commits } from "./commits.ts";
import { Compare } from "./compare.ts";
import { keepSecretsApart, leaveOut, moveAside, PATCH, sortLeftovers } from "./leftovers.ts";
import { MarkersSince } from "./markers.ts";
import { OldFiles } from "./old-files.ts";
import { type Look, OwnIndex } from "./own-index.ts";
import { hasPrivateFolder, keepIgnored } from "./private-files.ts";
import { type LookOnBranch, Recent } from "./recent.ts";
import { conflictText, SessionView } from "./session-view.ts";
import { syncFiles, tornSince } from "./torn.ts";
import { writeBeside } from "./write-beside.ts";

export interface TreeOptions {
	readonly path: string;
	/** `HEAD` for a checkout that is on no branch. */
	readonly branch: string;
	/** The git folder of this very checkout, absolute. */
	readonly gitDir: string;
	readonly commonDir: string;
	/** The root of the main checkout. */
	readonly root: string;
	/** The file of our own index, outside the checkout's files. */
	readonly index: string;
	/** A checkout that a person works in: files that they hid from git stay hidden, and their HEAD moves only on request. */
	readonly users?: boolean;
}

interface LookedAt {
	readonly look: Look;
	readonly commit: string;
	/** The branch was gone, and is put back. */
	readonly lost: boolean;
}

// Removes untracked files and keeps ignored ones; our own folder counts as ignored even if its ignore file is gone.
const CLEAN = ["clean", "-ffdq", "-e", "/.pawl/*", "-e", "!/.pawl/workflows/"];

export class GitTree implements Workspace {
	readonly path: string;
	readonly branch: string;
	readonly gitDir: string;
	readonly commonDir: string;
	private readonly users: boolean;
	/** The run keeps its files in this checkout. */
	private readonly holdsRunFiles: boolean;
	private readonly index: OwnIndex;
	private readonly compare: Compare;
	readonly commits: Commits;
	private readonly markers: MarkersSince;
	private readonly files: OldFiles;
	private readonly guard: TreeGuard;
	private readonly shared: SharedGuard;
	private readonly view: SessionView;
	private tampered: string[] = [];
	private readonly recent: Recent;

	constructor(options: TreeOptions) {
		this.path = options.path;
		this.branch = options.branch;
		this.gitDir = options.gitDir;
		this.commonDir = options.commonDir;
		this.users = options.users ?? false;
		this.holdsRunFiles = hasPrivateFolder(options.path);
		this.index = new OwnIndex({
			path: options.path,
			gitDir: options.gitDir,
			commonDir: options.commonDir,
			index: options.index,
			userFlags: this.users,
		});
		this.compare = new Compare(this.index);
		this.commits = new Commits(this.index);
		this.markers = new MarkersSince(options.path);
		this.files = new OldFiles(this.index);
		this.recent = new Recent(options);
		this.guard = new TreeGuard(options);
		this.shared = sharedGuard(options.commonDir);
		const { root, commonDir, path, gitDir } = options;
		this.view = new SessionView(this.index, { root, commonDir, path, gitDir, branch: this.onBranch() }, this.users);
	}

	async point(of?: SessionStart): Promise<Point> {
		if (of === undefined) return this.here();
		const [point, noted] = await Promise.all([this.here(), this.view.begin(of)]);
		return this.view.begun(of, { ...point, noted });
	}

	sessionEnv(point: Point): Readonly<Record<string, string>> {
		return this.view.env(point);
	}

	clearLocks(): void {
		removeLocks(this.gitDir, this.commonDir, this.onBranch());
	}

	letGo(): void {
		this.shared.leave(this);
	}

	async recall(session: string): Promise<Point | null> {
		const point = this.view.recall(session);
		if (point === null) return null;
		const isThere = (await this.index.try(["cat-file", "-e", `${point.tree}^{tree}`])).code === 0;
		return isThere ? point : { ...point, tree: `${point.commit}^{tree}` };
	}

	commitsOfOthers(): Promise<readonly string[]> {
		return this.view.allOfOthers();
	}

	private async here(): Promise<Point> {
		this.guard.check();
		this.shared.enter(this);
		this.guard.remember();
		if (this.holdsRunFiles) keepIgnored(this.path);
		this.tampered = [];
		if (!this.users) this.putHeadBack(null);
		const ended = this.recent.point;
		if (ended !== null) return ended;
		const look = await this.index.look();
		const at = look.branch ?? "HEAD";
		if (look.commit === null) throw new WorkspaceError(`branch ${this.branch} of ${this.path} has no commit any more`);
		if (at !== this.branch)
			throw new WorkspaceError(
				`${this.path} is on ${at === "HEAD" ? "no branch" : at} now, and the run works on ${this.branch}: switch back to go on`,
			);
		const point = { commit: look.commit, tree: look.tree };
		const torn = this.users ? null : await tornSince(point, this.path, this.index, this.compare);
		if (torn === null) return point;
		await this.revert(torn.paths, torn.back);
		return { commit: look.commit, tree: (await this.index.look()).tree };
	}

	async changes(since: Point): Promise<Changes> {
		const looked = performance.now();
		this.checkGuards();
		this.shared.leave(this);
		await this.view.refuseSwitched(since);
		const tampered = [...this.tampered, ...endUnfinished(this.gitDir), ...this.putHeadBack(since.commit)];
		this.tampered = [];
		const { look, commit, lost } = await this.lookAt(since.commit);
		if (lost) tampered.push(`branch ${this.branch}`);
		if (this.holdsRunFiles) keepIgnored(this.path);
		const moves = await this.view.moves(since, commit);
		const refs = await this.view.refChanges(since, commit, moves);
		const others = await this.view.commitsOfOthers(moves, await this.view.unclear(since, commit));
		const ours = commit === since.commit ? [] : (await this.compare.committed(since.commit, commit, ".pawl")).filter(isPrivate);
		if (ours.length > 0) tampered.push(`pawl's own files in a commit (${ours[0]})`);
		const before = (await this.view.without(since, moves)).tree;
		const paths = look.tree === before ? [] : await this.compare.paths(before, look.tree);
		const all = new Set([...paths, ...look.unreadable]);
		await syncFiles(this.path, paths);
		const uncommitted = look.tree !== (await this.index.treeOf(commit));
		const point = { commit, tree: look.tree };
		const isClean = look.unreadable.length === 0 && !uncommitted && tampered.length === 0 && refs.length === 0;
		this.recent.forget();
		if (isClean) this.recent.ended(point, looked);
		if (tampered.length === 0 && refs.length === 0 && (look.branch ?? "HEAD") === this.branch) this.recent.saw({ ...look, commit }, looked);
		const committed = moves === null ? commit !== since.commit : moves.bySession;
		return { point, paths: [...all], committed, uncommitted, tampered, refs, others };
	}

	async saveDiff(since: Point, file: string, attempt?: number): Promise<string | null> {
		this.checkGuards();
		await this.view.refuseSwitched(since);
		const { look, commit } = await this.lookAt(since.commit);
		const before = (await this.view.without(since, await this.view.moves(since, commit))).tree;
		if (look.tree === before) return null;
		// Agents are told where the diff of an attempt is.
		const added = attempt === undefined ? [] : await this.compare.added(before, look.tree);
		const secret = await keepSecretsApart(this.index, before, added, `${file}-left-out`);
		const fill = async (write: (chunk: Buffer) => void): Promise<void> => {
			for (const path of secret) write(bytesOf(`# left out, as it may hold secrets: ${path}\n`));
			await this.index.run([...PATCH, before, look.tree, ...leaveOut(secret)], { onStdout: write });
		};
		if (attempt !== undefined) return writeBeside(file, `-${attempt}`, fill);
		await writeInPieces(file, fill);
		return file;
	}

	async rollback(to: Point, aside?: string): Promise<RolledBack> {
		this.recent.forget();
		this.checkGuards();
		this.shared.leave(this);
		await this.view.refuseSwitched(to);
		this.clearLocks();
		endUnfinished(this.gitDir);
		this.putHeadBack(to.commit);
		const seen = to.noted === undefined && aside === undefined ? null : await this.lookAt(to.commit);
		const moves = seen === null ? null : await this.view.movesToUndo(to, seen.commit);
		const refs = seen === null ? [] : await this.view.refChangesOnce(to, seen.commit, moves);
		const left = await this.view.without(to, moves);
		if (left.conflict.length > 0) throw new PersonNeeded(conflictText(this.branch, left.conflict));
		// If others have committed on top of the attempt, one more commit undoes the attempt.
		const target =
			left.commit ?? (await this.commits.make(left.committed, left.onto, "pawl: take out what a failed attempt had committed\n"));
		const put = this.users && seen !== null && aside !== undefined ? await this.putUnknownAside(seen, left.tree, aside) : [];
		await this.moveBranch(target, ROLLBACK);
		await this.putFiles({ commit: target, tree: left.tree });
		return { commit: target, stayed: await this.view.commitsOfOthers(moves), aside: put, refs };
	}

	async revert(paths: readonly string[], to: Point): Promise<void> {
		this.recent.forget();
		for (const path of paths) {
			if (isAbsolute(path) || normalize(path).startsWith("..") || isPrivate(path) || path.split("/").includes(".git"))
				throw new WorkspaceError(`${path} is not a path of this checkout`);
		}
		if (paths.length === 0) return;
		this.checkGuards();
		await this.index.look();
		await this.index.checkOut(await this.index.treeWith(paths, await this.index.resolve(to.tree)));
	}

	async commitAll(message: string): Promise<string | null> {
		this.recent.forget();
		const at = performance.now();
		return this.commitLook(await this.lookOnBranch(), message, at);
	}

	/** `at`: when it looked. */
	private async commitLook(look: LookOnBranch, message: string, at: number, left: readonly string[] = []): Promise<string | null> {
		const { tree, commit: parent, unreadable } = look;
		const before = await this.index.treeOf(parent);
		if (tree === before) return null;
		const commit = await this.commits.make(tree, parent, message);
		await this.index.run(["update-ref", "-m", "pawl: commit", ...this.ref(), commit, parent]);
		await this.index.install(left, before);
		// What it saw is what is committed now.
		if (unreadable.length === 0 && left.length === 0) this.recent.ended({ commit, tree }, at, at);
		return commit;
	}

	async keepLeftovers(message: string, folder: string, leave: readonly string[] = [], but: readonly string[] = []): Promise<Leftovers> {
		const { seen } = this.recent;
		this.recent.forget();
		const at = seen?.looked ?? performance.now();
		const look = seen?.look ?? (await this.lookOnBranch());
		const before = await this.index.treeOf(look.commit);
		if (look.tree === before) return { commit: null, committed: [], aside: [] };
		const left = (leave.length === 0 ? [] : await this.compare.paths(before, look.tree, ...leave)).filter((path) => !but.includes(path));
		const changes = (await this.compare.changed(before, look.tree)).filter(([, path]) => !left.includes(path));
		const { work, aside } = await sortLeftovers(this.index, before, changes, folder);
		const now = aside.length === 0 ? look : await this.lookOnBranch();
		const tree = left.length === 0 ? now.tree : await this.index.treeWith(left, before);
		const commit = await this.commitLook({ ...now, tree }, message, at, left);
		// Files that were put aside may have been staged.
		if (commit === null) await this.index.install(left, before);
		return { commit, committed: work, aside };
	}

	async putLitterAside(paths: readonly string[], folder: string): Promise<readonly Leftover[]> {
		this.recent.forget();
		const look = await this.lookOnBranch();
		const before = await this.index.treeOf(look.commit);
		const changes = look.tree === before ? [] : await this.compare.changed(before, look.tree);
		const added = changes.filter(([status, path]) => status === "A" && paths.includes(path));
		const { aside } = await sortLeftovers(this.index, before, added, folder);
		// They may have been staged; with other work in the tree, whoever keeps that work or puts it back sees to it.
		if (aside.length > 0 && (await this.lookOnBranch()).tree === before) await this.index.install();
		return aside;
	}

	async discard(): Promise<void> {
		this.recent.forget();
		const look = await this.index.look();
		if (look.commit === null) throw new WorkspaceError(`branch ${this.branch} of ${this.path} has no commit any more`);
		const tree = await this.index.treeOf(look.commit);
		if (look.tree === tree && look.unreadable.length === 0) return;
		await this.putFiles({ commit: look.commit, tree });
	}

	async fold({ onto: wanted, message, leave = [] }: FoldRequest): Promise<string | null> {
		this.recent.forget();
		const look = await this.lookOnBranch();
		if ((await this.index.try(["merge-base", "--is-ancestor", wanted, look.commit])).code !== 0)
			throw new WorkspaceError(`${wanted} is no commit of ${this.branch} any more: there is nothing to put this on top of`);
		const { last: onto, holdsWork } = await this.view.lastOfOthers(wanted, look.commit);
		const base = await this.index.treeOf(onto);
		const left = leave.length === 0 || look.tree === base ? [] : await this.compare.paths(base, look.tree, ...leave);
		const tree = left.length === 0 ? look.tree : await this.index.treeWith(left, base);
		const folded = tree === base ? null : await this.commits.make(tree, onto, message);
		const top =
			tree === look.tree ? (folded ?? onto) : await this.commits.make(look.tree, folded ?? onto, `pawl: left out (${leave.join(", ")})\n`);
		if (top !== look.commit) await this.index.run(["update-ref", "-m", "pawl: fold", ...this.ref(), top, look.commit]);
		await this.index.install();
		return folded ?? (holdsWork ? onto : null);
	}

	async markersSince(commit: string, tree?: string): Promise<readonly string[]> {
		return this.markers.in(tree ?? (await this.index.look()).tree, commit);
	}

	async read(point: Point, path: string): Promise<string | null> {
		return this.files.read(await this.index.resolve(point.tree), path);
	}

	/** Files that no commit has: they may be a person's. */
	private async putUnknownAside({ look, commit }: LookedAt, left: string, folder: string): Promise<Leftover[]> {
		const known = new Set(await this.compare.paths(left, look.tree));
		const fresh = await this.compare.added(await this.index.treeOf(commit), look.tree);
		return moveAside(
			this.path,
			fresh.filter((path) => known.has(path)),
			folder,
		);
	}

	private async lookOnBranch(): Promise<LookOnBranch> {
		const look = await this.index.look();
		if (look.commit === null || (look.branch ?? "HEAD") !== this.branch)
			throw new WorkspaceError(`${this.path} is not on ${this.branch} any more`);
		return { ...look, commit: look.commit };
	}

	/** Keeps its findings for the next report. */
	private checkGuards(): void {
		this.tampered = [...new Set([...this.tampered, ...this.guard.check(), ...this.shared.check()])];
	}

	private onBranch(): string | null {
		return this.branch === "HEAD" ? null : this.branch;
	}

	private ref(): string[] {
		return this.branch === "HEAD" ? ["--no-deref", "HEAD"] : [`refs/heads/${this.branch}`];
	}

	private putHeadBack(commit: string | null): string[] {
		if (this.onBranch() === null && commit === null) return [];
		const was = putHead(this.gitDir, this.onBranch(), commit ?? "");
		return was === null ? [] : [`HEAD (was ${was.replace(/^ref: refs\/heads\//, "") || "gone"})`];
	}

	/** Looks at the branch; restores it first if it was deleted or broken. */
	private async lookAt(commit: string): Promise<LookedAt> {
		let look = await this.tryLook();
		if (look instanceof Error || look.commit === null) {
			this.tampered.push(...this.putHeadBack(commit));
			look = await this.tryLook();
		}
		if (!(look instanceof Error) && look.commit !== null) return { look, commit: look.commit, lost: false };
		if (look instanceof Error && (await this.index.try(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).code === 0) throw look;
		await this.moveBranch(commit, "pawl: the branch was gone");
		return { look: await this.index.look(), commit, lost: true };
	}

	private async tryLook(): Promise<Look | WorkspaceError> {
		try {
			return await this.index.look();
		} catch (error) {
			if (error instanceof WorkspaceError) return error;
			throw error;
		}
	}

	private async moveBranch(commit: string, why: string): Promise<void> {
		const args = ["update-ref", "-m", why, ...this.ref(), commit];
		if ((await this.index.try(args)).code === 0) return;
		// git cannot move a ref that holds nonsense, or a folder in its place; it can only be replaced.
		if (this.branch !== "HEAD") await rm(join(this.commonDir, "refs", "heads", this.branch), { recursive: true, force: true });
		await this.index.run(args);
	}

	private async putFiles(to: Point): Promise<void> {
		const tree = await this.index.resolve(to.tree);
		await this.index.checkOut(tree);
		await this.index.run(CLEAN);
		await this.index.install();
		if (tree !== (await this.index.treeOf(to.commit)))
			await this.index.run(["read-tree", "-m", to.commit], { index: join(this.gitDir, "index") });
	}
}
