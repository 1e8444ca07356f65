// A checkout around a session: tells what others did to its branch from what the session did, and keeps the work of others.
import { type Noted, PersonNeeded, type Point, type RefChange, type SessionStart, WorkspaceError } from "../../workspace.ts";
import type { Site } from "../refs/noted.ts";
import { OthersCommits } from "../refs/others.ts";
import { OwnMoves } from "../refs/own-branch.ts";
import { logLength, logOf } from "../refs/reflog.ts";
import { mergeTrees } from "../refs/remaining.ts";
import { Sessions } from "../refs/sessions.ts";
import { commitsSince, lookForOthers, unclearCommits, unclearText } from "../refs/unwatched.ts";
import { readHead } from "./checkout-state.ts";
import type { OwnIndex } from "./own-index.ts";

/** A branch and its files without what a session did. */
export interface Without {
	/** Of the files. */
	readonly tree: string;
	/** null if a new commit is needed: on top of `onto`, with the tree `committed`. */
	readonly commit: string | null;
	readonly onto: string;
	readonly committed: string;
	/** Paths at which others have built on the session's work. */
	readonly conflict: readonly string[];
}

export class SessionView {
	private readonly index: OwnIndex;
	private readonly site: Site;
	private readonly users: boolean;
	private readonly sessions: Sessions;
	private readonly others: OthersCommits;
	/** What sessions whose refs were already checked did to them, by their trace. */
	private readonly looked = new Map<string, readonly RefChange[]>();

	/** `users`: a person works in this checkout as well. */
	constructor(index: OwnIndex, site: Site, users: boolean) {
		this.index = index;
		this.site = site;
		this.users = users;
		this.sessions = new Sessions(site, users);
		this.others = new OthersCommits(site.gitDir, site.branch ?? "HEAD");
	}

	begin(of: SessionStart): Promise<Noted> {
		return "within" in of ? this.sessions.goOn(of.within) : this.sessions.begin(of.session);
	}

	/** A point at which a session begins. */
	async begun(of: SessionStart, point: Point): Promise<Point> {
		if ("within" in of) return point;
		await lookForOthers(this.index, this.site, this.others);
		if (of.session !== null) this.sessions.keep(of.session, point);
		return point;
	}

	env(point: Point): Record<string, string> {
		return this.sessions.env(point);
	}

	recall(name: string): Point | null {
		return this.sessions.recall(name);
	}

	/** If a person switched to another branch here, pawl does not undo that: the run waits until they switch back. */
	async refuseSwitched({ noted }: Point): Promise<void> {
		const { gitDir, path, branch } = this.site;
		const head = readHead(gitDir);
		if (!this.users || noted === undefined || branch === null || head === `ref: refs/heads/${branch}`) return;
		// A reftable: this file says nothing then.
		if (head === "ref: refs/heads/.invalid" || (await this.sessions.switched(noted))) return;
		const now = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? "no branch";
		throw new WorkspaceError(`${path} is on ${now} now, and the run works on ${branch}: switch back to go on`);
	}

	/** What happened to the branch since; null if no session began at that point. */
	async moves({ noted, commit: start }: Point, tip: string): Promise<OwnMoves | null> {
		return noted === undefined ? null : this.sessions.ownMoves(noted, start, tip);
	}

	/** The moves that a rollback takes back. In a person's tree, if no trace tells the session's commits from theirs, only those that were judged
	 * before. */
	async movesToUndo(to: Point, tip: string): Promise<OwnMoves | null> {
		if (!this.users || (to.noted?.trace ?? null) !== null) return this.moves(to, tip);
		const { index: git, site, others } = this;
		// Nothing was ever recorded here: a pawl that did not record sessions yet was cut off. Its journal says where the attempt began.
		if (to.noted === undefined && others.log === null) return null;
		const unclear = await unclearCommits({ git, site, others, start: to.commit, tip });
		if (unclear.length > 0) throw new PersonNeeded(await unclearText(git, site.branch ?? "HEAD", to.commit, unclear));
		return OwnMoves.judged(git, to.commit, tip, new Set(others.commits));
	}

	/** The recorded commits of others. */
	async commitsOfOthers(moves: OwnMoves | null, unclear: readonly string[] = []): Promise<readonly string[]> {
		if (moves === null) return [];
		const commits = await moves.commitsOfOthers();
		this.others.note(logLength(logOf(this.site)), commits, unclear);
		return commits;
	}

	/** The commits since a session began that pawl did not start, in a person's tree: they may be the session's or the person's. */
	async unclear({ noted, commit: start }: Point, tip: string): Promise<readonly string[]> {
		if (!this.users || noted === undefined || noted.trace !== null) return [];
		return commitsSince(this.index, this.site, noted.log, start, tip);
	}

	/** Every commit of others that was found so far, also those that came after the last session. */
	async allOfOthers(): Promise<readonly string[]> {
		await lookForOthers(this.index, this.site, this.others);
		return this.others.commits;
	}

	/** For a session that was cut off, which nobody has checked yet. */
	async refChangesOnce(point: Point, tip: string, moves: OwnMoves | null): Promise<RefChange[]> {
		return this.looked.has(point.noted?.trace ?? "") ? [] : this.refChanges(point, tip, moves);
	}

	/** The first check puts back what the session did. Later ones report it too: a keeper may look before the attempt is judged. */
	async refChanges(point: Point, tip: string, moves: OwnMoves | null): Promise<RefChange[]> {
		const trace = point.noted?.trace ?? null;
		const known = trace === null ? [] : (this.looked.get(trace) ?? []);
		const found = await this.newRefChanges(point, tip, moves);
		const all = [...known, ...found.filter((one) => !known.some(({ what, change }) => what === one.what && change === one.change))];
		if (trace !== null) this.looked.set(trace, all);
		return all;
	}

	private async newRefChanges({ noted, commit: start }: Point, tip: string, moves: OwnMoves | null): Promise<RefChange[]> {
		if (noted === undefined) return [];
		const found = await this.sessions.check(noted, start, tip);
		const { branch } = this.site;
		if (start === tip || !moves?.bySession || branch === null) return found;
		if ((await this.sessions.addedTo(start, tip)).onTop) return found;
		// A story may rewrite its own commits, but no other branch.
		const kept = await this.sessions.keepTip(branch, this.users ? tip : start);
		return this.users ? [...found, { what: `branch ${branch}`, change: "moved", by: "session", kept, putBack: false }] : found;
	}

	/** The state without the session: the state at its beginning, plus what others committed since. */
	async without(since: Point, moves: OwnMoves | null): Promise<Without> {
		const start = await this.index.resolve(since.tree);
		const plain = { tree: start, commit: since.commit, onto: since.commit, committed: "", conflict: [] };
		if (moves === null || !moves.byOthers) return plain;
		const left = await moves.remaining();
		if ("conflict" in left) return { ...plain, conflict: left.conflict };
		const tree = await mergeTrees(this.index, await this.index.treeOf(since.commit), start, left.tree);
		if (typeof tree !== "string") return { ...plain, conflict: tree.conflict };
		return { tree, commit: left.exact, onto: left.last ?? since.commit, committed: left.tree, conflict: [] };
	}

	/** Commits of others, and those that may be theirs, stay as they are: only later commits are folded. `holdsWork`: commits of the run lie below
	 * the last of them. */
	async lastOfOthers(onto: string, tip: string): Promise<{ readonly last: string; readonly holdsWork: boolean }> {
		const { commits: known, unclear } = this.others;
		const [others, stay] = [new Set(known), new Set([...known, ...unclear])];
		if (stay.size === 0 || onto === tip) return { last: onto, holdsWork: false };
		const commits = (await this.index.run(["rev-list", "--topo-order", tip, `^${onto}`])).split("\n");
		const at = commits.findIndex((commit) => stay.has(commit));
		return { last: commits[at] ?? onto, holdsWork: at >= 0 && commits.slice(at).some((commit) => !others.has(commit)) };
	}
}

export const conflictText = (branch: string, paths: readonly string[]): string =>
	`others committed to ${branch} on top of what a failed attempt had done, and the two cannot be separated in ${paths.slice(0, 5).join(", ")}. Nothing was changed. Undo by hand what you do not want there, commit, then go on`;
