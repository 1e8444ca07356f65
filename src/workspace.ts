// The workspace contract: the checkout that a step works in, and what the engine may do to it. All git knowledge is
// behind it. A method that can fail for a reason that a person must see throws WorkspaceError with a plain message.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: whoever implements it finds all of it in one place.
import type { Place, Sandbox } from "./core/sandbox/sandbox.ts";

/** A point to which a workspace can be compared and put back. */
export interface Point {
	readonly commit: string;
	/** The tree of all files that are not ignored, committed or not. */
	readonly tree: string;
	/** If a session begins at this point: the state of the repository around it. */
	readonly noted?: Noted;
}

/** The state of a repository before a session, to compare with afterwards. Plain data, because claims keep it. */
export interface Noted {
	readonly at: number;
	/** The file in which git records the commands of the session; null for a session that pawl does not run. */
	readonly trace: string | null;
	/** Commits or other objects by the full name of a ref, without refs that anybody may change. */
	readonly refs: Readonly<Record<string, string>>;
	/** The log of the stash, line by line. */
	readonly stash: readonly string[];
	/** Where HEAD of each checkout points (`ref: refs/heads/x`, or a commit), by its path. */
	readonly heads: Readonly<Record<string, string>>;
	/** The length of the log of the branch. */
	readonly log: number;
}

/** A session that pawl runs has a name; one that somebody else runs has none. `within`: what runs now belongs to the session that began
 * at that point. */
export type SessionStart = { readonly session: string | null } | { readonly within: Point };

/** A change during a session of refs, the stash or checkouts that are not its own. */
export interface RefChange {
	/** `branch x`, `tag x`, `the stash`, `the checkout /path`, or the full name of another ref. */
	readonly what: string;
	readonly change: "made" | "moved" | "deleted";
	/** `unclear`: a person may have done it. Then pawl puts nothing back. */
	readonly by: "session" | "unclear";
	/** The ref that keeps what was put back. */
	readonly kept: string | null;
	readonly putBack: boolean;
}

export interface RolledBack {
	/** Where the branch is now: at the point, or at what others put on it since. */
	readonly commit: string;
	/** Commits of others that stayed, oldest first. */
	readonly stayed: readonly string[];
	/** Files that git did not track; they may be anybody's. */
	readonly aside: readonly Leftover[];
	/** What a session that was cut off did to refs that are not its own, if nobody has looked yet. */
	readonly refs: readonly RefChange[];
}

export interface Changes {
	readonly point: Point;
	/** Paths that differ between the two trees, whatever was committed in between. */
	readonly paths: readonly string[];
	/** The branch's commit moved. */
	readonly committed: boolean;
	/** Files differ from the branch's commit. */
	readonly uncommitted: boolean;
	/** What the attempt did to the repository itself (its configuration, hooks, exclude file, .git), already put back. */
	readonly tampered: readonly string[];
	/** What the session did, or may have done, to refs that are not its own; empty for a point without a session. */
	readonly refs: readonly RefChange[];
	/** Commits that others put on the branch meanwhile. Neither they nor their paths count as the attempt's. */
	readonly others: readonly string[];
}

export interface Workspace {
	readonly path: string;
	readonly branch: string;
	/** The current state; if a session begins here, including the refs of the repository. */
	point(of?: SessionStart): Promise<Point>;
	/** After a crash: removes the locks of git commands that died with their session. Call it only when nothing of the session runs any more. */
	clearLocks?(): void;
	/** This process watches no attempt here any more: from now on people may change the repository's configuration. Another process may judge the attempt. */
	letGo?(): void;
	/** The environment of a session that begins at this point, which makes git record the session's commands. */
	sessionEnv(point: Point): Readonly<Record<string, string>>;
	/** The point at which a session of this name began, after a crash; null if it is unknown. */
	recall(session: string): Promise<Point | null>;
	/** The commits that others have put on the branch since a first session began here, as far as is known. */
	commitsOfOthers(): Promise<readonly string[]>;
	/** What happened since, seen with our own index, so that nothing can hide from it. */
	changes(since: Point): Promise<Changes>;
	/** Writes the full difference since (commits, uncommitted, untracked) to a file and returns its name; null and no file if there is
	 * none. With `attempt`, it never overwrites an existing file: the attempt goes into the name. */
	saveDiff(since: Point, file: string, attempt?: number): Promise<string | null>;
	/** Puts files and branch back; ignored files stay. Commits of others since the beginning of a session stay too: it removes the session's
	 * work around them, or rejects without changing anything. In a checkout that a person works in, it moves files that git
	 * does not track to the folder `aside`, if one is given. */
	rollback(to: Point, aside?: string): Promise<RolledBack>;
	/** Puts these paths back to what they were at a point, leaving the rest. */
	revert(paths: readonly string[], to: Point): Promise<void>;
	/** Commits everything uncommitted; returns the new commit, or null if there was nothing. */
	commitAll(message: string): Promise<string | null>;
	/** Commits what an attempt left uncommitted. It moves untracked files that are large, binary or look like a log, a dump or a
	 * cache to the folder `aside` instead. Files under `leave` stay as they are, except the paths in `but`. */
	keepLeftovers(message: string, aside: string, leave?: readonly string[], but?: readonly string[]): Promise<Leftovers>;
	/** Moves untracked files of these paths that are large, binary or look like a log, a dump or a cache to the folder `aside`. */
	putLitterAside(paths: readonly string[], aside: string): Promise<readonly Leftover[]>;
	/** Discards uncommitted changes. */
	discard(): Promise<void>;
	/** Folds everything since a commit, including uncommitted changes, into one commit on top of it; returns its id, or null if there was nothing. Files
	 * under `leave` stay in a separate commit after it. Commits that others made, or may have made, stay as they are, and so does what lies below
	 * them: if nothing else is left to fold, it returns the last of them. */
	fold(request: FoldRequest): Promise<string | null>;
	/** The conflict markers that its files have and a commit had not, each as `path:line`. `tree`: look at that one instead. */
	markersSince(commit: string, tree?: string): Promise<readonly string[]>;
	/** A file as it was at a point; null if there was none. */
	read(point: Point, path: string): Promise<string | null>;
}

export interface Leftover {
	/** A folder ends with a slash. */
	readonly path: string;
	/** null if the file was removed. */
	readonly bytes: number | null;
	/** Why it is not part of the work: `large`, `binary`, `a log`, … */
	readonly why?: string;
}

export interface Leftovers {
	/** null if nothing was left to commit. */
	readonly commit: string | null;
	readonly committed: readonly Leftover[];
	readonly aside: readonly Leftover[];
}

export interface FoldRequest {
	readonly onto: string;
	readonly message: string;
	/** Paths of files or folders. */
	readonly leave?: readonly string[];
}

/** Where the work of a story stands that machines share. One that worked on it last has it as it is; any other one has to get it. */
export interface Standing {
	/** The commit of base that it started from. */
	readonly start: string;
	readonly commit: string;
}

export type MergeResult =
	| { readonly result: "merged"; readonly commit: string }
	/** The story's branch equals base: there is nothing to merge. */
	| { readonly result: "empty" }
	/** `markers`: the story fits on top of base, but adds conflict markers, each as `path:line`. */
	| { readonly result: "conflict"; readonly paths: readonly string[]; readonly markers?: readonly string[] }
	| { readonly result: "checks_failed"; readonly failures: readonly string[] }
	/** The checked-out base has changes that the merge would touch; nothing was done. */
	| { readonly result: "dirty"; readonly paths: readonly string[] }
	/** Base is checked out where another run works at the moment; nothing was done. `run` is "" where it has not said who it is. */
	| { readonly result: "held"; readonly path: string; readonly run: string };

/** The work of a story that is to get onto base. */
export interface StoryWork {
	readonly run: string;
	readonly story: string;
	readonly title: string;
	readonly base: string;
	/** As for `claim`. */
	readonly apart?: boolean;
	/** The commit of base that the story started from, from the journal. Absent: as this repository noted it, which another machine's may not have. */
	readonly start?: string;
	/** The merge commits that this step announced before, from the journal. One of them on base is the merge; any other commit
	 * on base does not count, whatever its trailers say. Absent if an earlier version began the step and announced nothing: then the
	 * trailers count. */
	readonly announced?: readonly string[];
	/** Runs on exactly the tree that is about to be merged, with HEAD at its commit and on no branch; returns failures. */
	readonly check: (path: string, tree: string) => Promise<readonly string[]>;
}

export interface MergeRequest extends StoryWork {
	/** Absolute paths in the user's checkout that never make it dirty, because the run changes them itself. */
	readonly ignore: readonly string[];
	/** Called with the merge commit before base moves: when it returns, the journal must hold that commit. */
	readonly announce: (commit: string) => Promise<void>;
	/** What was put together and checked ahead of its turn. It counts if base is what it was put on top of: then its commit is the one that is
	 * merged, and `check` is not called. */
	readonly ahead?: Stacked;
	/** Called with the commit that is about to be checked, and base. */
	readonly stacked?: (commit: string, onto: string) => Promise<unknown>;
}

/** A story's work on top of a commit. */
export interface Stacked {
	readonly onto: string;
	/** The tip of the story's branch that it was made from. */
	readonly head: string;
	readonly commit: string;
	readonly tree: string;
	/** What its checks found there. */
	readonly failures: readonly string[];
}

export interface StackRequest extends StoryWork {
	/** The commit that base may get; null: base as it is. */
	readonly onto: string | null;
	/** Called with the commit before it is checked. False: it is no longer wanted. */
	readonly stacked: (commit: string, onto: string) => Promise<boolean>;
}

export type StackResult =
	/** Whatever its checks found. */
	| (Stacked & { readonly result: "stacked" })
	| { readonly result: "unwanted" }
	| Extract<MergeResult, { result: "merged" | "empty" | "conflict" }>;

export interface BranchRequest {
	readonly run: string;
	/** The branch that it starts from. */
	readonly base: string;
	/** The commit of base when the run was started. The branch starts there as long as base holds it: what base has got since may be a
	 * session's doing that is put back later. */
	readonly start?: string;
	/** The run's branch, from its journal. */
	readonly known: string | null;
	/** The name that the run would like its branch to have. */
	readonly wanted: string | null;
}

export type DiffOf =
	/** One commit against its parent. */
	| { readonly commit: string }
	/** The unmerged work of a run on a story (its branch, or what was kept of it) since it left base. */
	| { readonly story: string; readonly run: string; readonly base: string }
	/** What `to` changed since it left `from`: branches or commits. */
	| { readonly from: string; readonly to: string };

/** `differ`: how today's settings differ, each in a few words; `problem`: why the noted ones cannot be used. */
export type UsedSettings = { readonly differ: readonly string[] } | { readonly problem: string };

/** A ref of pawl's own. */
export interface KeptRef {
	readonly ref: string;
	readonly commit: string;
	/** When the commit was made. */
	readonly at: number;
	/** The run that it belongs to; null if it belongs to none of them alone. */
	readonly run: string | null;
}

export interface UndoRequest {
	readonly branch: string;
	/** Newest first. */
	readonly commits: readonly string[];
	/** Of the commit that takes one of them back. */
	readonly message: (commit: string) => string;
	/** Absolute paths in the user's checkout that may have changes. */
	readonly ignore: readonly string[];
	/** Tries it, and leaves the branch where it is. */
	readonly only: boolean;
}

export type UndoResult =
	/** `by` is null for one that somebody had taken back before. */
	| { readonly result: "undone"; readonly commits: readonly { readonly commit: string; readonly by: string | null }[] }
	/** In all other cases nothing was changed. */
	| { readonly result: "conflict"; readonly commit: string; readonly paths: readonly string[] }
	| Extract<MergeResult, { result: "dirty" | "held" }>;

export interface ListedCommit {
	readonly sha: string;
	readonly subject: string;
	/** When it was made, by whole seconds. */
	readonly at: number;
}

export interface FoundCommit {
	readonly sha: string;
	readonly subject: string;
	/** null: it has no such trailer. Anybody can write one. */
	readonly run: string | null;
	readonly story: string | null;
}

/** What commands that only look ask a repository. Apart from the rest, which takes longer to load than such a command to run. */
export interface History {
	/** The root of the main checkout. */
	readonly root: string;
	/** The checkout that the user is in. */
	readonly checkout: string;
	/** The branch that is checked out where pawl was started; null when detached. */
	readonly branch: string | null;
	/** Whether a branch of this name exists. */
	hasBranch(name: string): Promise<boolean>;
	/** The commit that a branch (or HEAD) is at. */
	commitOf(ref: string): Promise<string>;
	/** The commits after `from` up to `to`, oldest first. */
	commits(from: string, to: string): Promise<readonly ListedCommit[]>;
	/** The commits that others have put on the branch of the user's checkout since a first session began there, as far as is known. */
	commitsOfOthers(): Promise<readonly string[]>;
	/** The subjects of recent commits up to one of them, without merges and without pawl's own: for their style. */
	subjects(upTo: string): Promise<readonly string[]>;
	/** A change as a patch, empty if there is none; null if it can no longer be found. */
	diff(of: DiffOf): Promise<string | null>;
	/** Paths that `to` changed since it left `from`. */
	changedPaths(from: string, to: string): Promise<readonly string[]>;
	/** Whether a branch holds a commit, or one that makes the same change (a person may have rebased the branch). */
	holds(commit: string, branch: string): Promise<boolean>;
}

/** How a command of the repository's configuration is run in a worktree. */
export interface ConfinedSetup {
	readonly sandbox: Sandbox;
	/** The whole environment. */
	readonly env: Readonly<Record<string, string>>;
}

export type ConfineSetup = (path: string) => Promise<ConfinedSetup>;

export interface Repository extends History {
	/** After a crash: removes the locks that a git of pawl's own left on all refs together. */
	clearLocks?(): Promise<void>;
	/** After a run: keeps git quick however many refs runs have left. */
	packRefs?(): Promise<void>;
	/** Paths with uncommitted changes, including untracked files, where pawl was started. */
	dirty(): Promise<readonly string[]>;
	/** Keeps paths out of git by the repository's own exclude file; patterns as in a .gitignore. */
	exclude(patterns: readonly string[]): Promise<void>;
	/** Records git's current settings (configuration, attributes, ignored files), and uses them from now on. Returns the name under which they
	 * are kept. */
	noteSettings(): Promise<string>;
	/** Uses the settings that were recorded under a name, whatever they are now. `compare`: also say how they differ from today's. */
	useSettings(name: string, compare: boolean): Promise<UsedSettings>;
	/** From now on, uses the current settings. */
	dropSettings(): void;
	/** The checkout that the user is in. */
	tree(): Workspace;
	/** Takes the right to work in the user's checkout, until the process ends; false if another process has it. `run`: who takes it, for those
	 * who wait for it. */
	holdTree(run?: string): boolean;
	/** Gives that right back, for another process to take. */
	freeTree(): void;
	/** Changes in these files of the user's checkout are pawl's own: from now on git overlooks them there. Absolute paths. */
	hideOwnWrites(files: readonly string[]): Promise<void>;
	/** git shows them again. */
	showOwnWrites(): Promise<void>;
	/** Makes a branch at the commit that the user's checkout is at, and puts the checkout on it; no file changes. */
	startBranch(name: string): Promise<void>;
	/** Makes a branch at a commit and checks it out nowhere. One that is there at this commit already is taken. */
	makeBranch(name: string, commit: string): Promise<void>;
	/** Watches refs, stash and checkouts around a session that belongs to no attempt. Touches no file of the user's checkout, nor a rebase or
	 * merge that the user has under way there. */
	watchRefs(session: string): Promise<RefWatch>;
	/** Whether git knows no name or no email address for the user's commits. */
	anonymous(): Promise<boolean>;
	/** A worktree of a run for a story in a slot, on its own branch from base; leftovers are backed up first. `apart`: the branch carries the name of the
	 * run, because another run may have a story of the same name at work. */
	claim(slot: number, story: string, base: string, run: string, apart?: boolean): Promise<Workspace>;
	/** The worktree of a story that was claimed before: after a crash as it is, after a release (a retry) made again on the
	 * story's kept branch; null if nothing of it is left. */
	reopen(slot: number, story: string, run: string, apart?: boolean, standing?: Standing): Promise<Workspace | null>;
	/** Frees the slot: keeps the branch under a backup ref and makes the worktree ready for the next story. Leaves alone what
	 * another run or a person has under the same name. */
	release(slot: number, story: string, run: string, apart?: boolean): Promise<void>;
	/** Removes the worktrees of these slots that the run made; null: whoever made them. */
	close(slots: readonly number[], run: string | null): Promise<void>;
	/** A worktree of a commit, prepared like those of stories, for as long as the work takes. */
	fresh<T>(commit: string, work: (path: string) => Promise<T>, confine?: ConfineSetup): Promise<T>;
	/** From now on the setup of this run's worktrees runs in a sandbox. */
	confineSetup(run: string, confine: ConfineSetup): void;
	/** What a sandbox has to show of git for work in the checkout at a path; nothing if none of its checkouts is there. */
	gitPlaces(path: string): Promise<readonly Place[]>;
	/** The one worktree of a run that has one branch for everything; makes it if it is missing. Does not push its branch. */
	openBranch(slot: number, request: BranchRequest): Promise<Workspace>;
	/** Removes that worktree. The branch stays, unless it is still at `start`. */
	closeBranch(slot: number, run: string, start: string): Promise<void>;
	/** The remote that a branch belongs to: its own, else `origin`, else the only one; null if there is none. */
	remote(branch: string): Promise<{ readonly name: string; readonly url: string } | null>;
	/** The default branch of a remote; null if it names none or does not answer. */
	defaultBranch(remote: string): Promise<string | null>;
	/** Whether a remote has a branch; null if it does not answer. */
	remoteHas(remote: string, branch: string): Promise<boolean | null>;
	/** Pushes a branch under its own name or another, never by force; returns why it was refused, or null. */
	push(remote: string, branch: string, as?: string): Promise<string | null>;
	/** The refs under which pawl keeps work that no branch has any more. */
	keptRefs(): Promise<readonly KeptRef[]>;
	/** Removes those of them that are still at the same commit; git collects what nothing refers to any more. */
	removeKeptRefs(refs: readonly KeptRef[]): Promise<void>;
	/** Takes commits of a branch back, each with a commit of its own; all of them, or none. */
	undo(request: UndoRequest): Promise<UndoResult>;
	/** A commit by any name that git knows, with the run and the story that its trailers name; null if there is none. */
	findCommit(name: string): Promise<FoundCommit | null>;
	/** The notes of pawl's on these commits, by commit; without those that have none. */
	notes(commits: readonly string[]): Promise<ReadonlyMap<string, string>>;
	/** Puts a note on each of these commits, in place of an earlier one. */
	addNotes(notes: ReadonlyMap<string, string>, at: number): Promise<void>;
	/** A text that stays the same as long as nothing changes that a merge into this branch may wait for. */
	standing(base: string): Promise<string>;
	/** Puts a story's work on top of a commit that base may get, and has it checked there as `merge` would. Moves nothing, and leaves the story's worktree on
	 * its branch. */
	stack(slot: number, request: StackRequest): Promise<StackResult>;
	/** Rebase, check, squash, compare-and-swap; safe to call again after a crash. */
	merge(slot: number, request: MergeRequest): Promise<MergeResult>;
}

export interface RefWatch {
	/** What the session needs in its environment. */
	readonly env: Readonly<Record<string, string>>;
	/** What changed since; puts back what the session did. */
	check(): Promise<readonly RefChange[]>;
}

export class WorkspaceError extends Error {
	override name = "WorkspaceError";
}

/** Only a person can decide. Nothing was changed: the run waits for them. */
export class PersonNeeded extends WorkspaceError {
	override name = "PersonNeeded";
}

/** The repository that machines share does not answer. The same call may work later. */
export class RemoteAway extends WorkspaceError {
	override name = "RemoteAway";
}

/** The commits that a story goes on from are nowhere any more: its worktree cannot be made. */
export class WorkGone extends WorkspaceError {
	override name = "WorkGone";
}
