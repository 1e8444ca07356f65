// The remote contract: how code travels between machines. Each machine has its own clone of one shared git repository; commits get from one to the other as
// refs of that repository, and base is a branch there. The journal says which commit counts. A ref only keeps a commit alive and says where to find it, so
// what a machine publishes that has lost its lease changes nothing.
//
// What can happen to anybody (the network is away, the server refuses, somebody was faster) is a value. No message holds a password.

/** The name of an attempt's result: `refs/pawl/<run>/<story>/<step>-<attempt>`. */
export interface AttemptName {
	readonly run: string;
	/** A story, or `@run`. */
	readonly story: string;
	readonly step: string;
	readonly attempt: number;
}

/** The remote cannot be reached, or does not let us in. What was sent may or may not have got there. */
export interface Unreachable {
	readonly result: "unreachable";
	readonly message: string;
}

export type Published =
	| { readonly result: "published"; readonly ref: string }
	/** Another commit has that name: it stays. */
	| { readonly result: "taken"; readonly ref: string; readonly commit: string }
	/** The server does not want it. */
	| { readonly result: "refused"; readonly message: string }
	| Unreachable;

export type Obtained =
	| { readonly result: "here" }
	/** Neither this clone nor the remote has it. */
	| { readonly result: "gone"; readonly message: string }
	| Unreachable;

export type BaseOnRemote =
	/** The clone has the commit. */
	| { readonly result: "found"; readonly commit: string }
	/** The remote has no such branch. */
	| { readonly result: "missing" }
	| Unreachable;

/** A ref that gets onto the remote together with base, or not at all. */
export interface RefOnRemote {
	readonly ref: string;
	readonly commit: string;
}

/** What a worker published for a run. */
export interface RunRef extends RefOnRemote {
	readonly run: string;
}

export type RunRefs = { readonly result: "found"; readonly refs: readonly RunRef[] } | Unreachable;

export type RefsRemoved =
	/** None of them is there as it was. */
	| { readonly result: "removed" }
	/** The server does not want that. Some may be gone. */
	| { readonly result: "refused"; readonly message: string }
	| Unreachable;

export type BaseMoved =
	/** It got onto base, now or by an earlier call whose answer was lost, even if base has gone on since, or a person has taken it off again. */
	| { readonly result: "moved" }
	/** Base is elsewhere; null: it is gone. Nothing was changed. */
	| { readonly result: "moved-meanwhile"; readonly commit: string | null }
	/** The server refused (a protected branch, a hook, missing rights), with its own words. Nothing was changed. */
	| { readonly result: "protected"; readonly message: string }
	| Unreachable;

export interface Remote {
	/** Its address, for people. */
	readonly shown: string;
	/** Gives a commit of this clone a name on the remote, once: never another commit the same name. Publishing the same again is fine. */
	publish(commit: string, name: AttemptName): Promise<Published>;
	/** Brings a commit into this clone, and keeps it there. `ref`: where it was published. Touches no branch, no HEAD, no configuration. */
	obtain(commit: string, ref?: string): Promise<Obtained>;
	/** Where a branch is on the remote. */
	baseCommit(base: string): Promise<BaseOnRemote>;
	/** Moves a branch of the remote if it is still at `from`, together with `refs`, which are made and never changed: all or nothing. */
	moveBase(base: string, from: string, to: string, refs: readonly RefOnRemote[]): Promise<BaseMoved>;
	/** Everything that workers published, for all runs. */
	runRefs(): Promise<RunRefs>;
	/** Removes refs that are still as they were. Their commits go with them, unless something else has them. */
	removeRefs(refs: readonly RefOnRemote[]): Promise<RefsRemoved>;
}

/** A machine's own clone of the shared repository. One process at a time has it. */
export interface Clone {
	/** Its checkout, which is on no branch: stories have worktrees of their own. */
	readonly root: string;
	readonly remote: Remote;
	/** What people should know about this repository before they let machines work on it. */
	readonly notes: readonly string[];
	/** Puts this clone's own branch of that name to where it is on the remote. Before a story starts, and before an agent merges base into one. */
	bringUp(base: string): Promise<BaseOnRemote>;
	/** Lets another process have it. */
	close(): void;
}

/** `invalid`: the address, or what is in the folder; `busy`: another process has it; `refused`: pawl cannot work with this repository. */
export interface NoClone {
	readonly code: "invalid" | "busy" | "refused" | "unreachable";
	readonly problem: string;
}

export type FollowedBase =
	/** Base is checked out here, and has moved forward with its files. */
	| { readonly result: "moved"; readonly from: string; readonly to: string }
	/** There is nothing on the remote that is not here. */
	| { readonly result: "there"; readonly commit: string }
	/** For a reason that is the person's: nothing was changed. */
	| { readonly result: "stays"; readonly why: string }
	| Unreachable;

/** A person's own checkout of the shared repository. */
export interface PersonsCheckout {
	readonly remote: Remote;
	/** Moves base forward to where it is on the remote, if it is checked out here without changes. `ignore`: absolute paths that may have some. */
	followBase(base: string, ignore: readonly string[]): Promise<FollowedBase>;
}

/** Ends the turn. */
export type Release = () => Promise<void> | void;
