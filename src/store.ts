// The store contract: the journal of every run, the effects that are still to be done, and the inbox through which
// other processes reach a running engine. One commit is one transaction: events and effects land together or not at all.
import type { Effect } from "./core/effect.ts";
import type { Event } from "./core/event.ts";
import type { Input } from "./core/input.ts";
import type { RunStatus, Time } from "./core/model.ts";

/** What lists of runs show, kept beside the journal so that listing needs no replay. */
export interface RunSummary {
	readonly id: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: RunStatus;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

export interface PendingEffect {
	/** Order of commit, unique in the store. */
	readonly seq: number;
	readonly effect: Effect;
}

export interface Commit {
	/** Unique. The same commit sent again is answered as the first time and changes nothing: so a lost answer can be asked for once more. */
	readonly id: string;
	readonly run: string;
	/** The version that the events were decided on: the number of events of the run before this commit. */
	readonly expectedVersion: number;
	readonly events: readonly Event[];
	readonly effects: readonly Effect[];
	/** Effects that this commit settles. */
	readonly done: readonly number[];
	/** Inbox entries that this commit answers. */
	readonly taken: readonly number[];
	readonly summary: RunSummary;
	/** Rows of tables that others read, in the same transaction; whoever commits has made them from the state. */
	readonly rows?: Rows;
	/** Claims as they are after this commit: new ones, and those whose state it changes. */
	readonly claims?: readonly Claim[];
	/** The lease that the committer holds. The commit is refused when somebody else has taken it over since. */
	readonly lease?: { readonly scope: string; readonly epoch: number };
}

/** A step that an agent, which nobody here started, has taken to work on. */
export interface Claim {
	/** Differs for every claim. */
	readonly token: string;
	readonly run: string;
	/** A name that tells a person what it is for; as good as the token. */
	readonly handle: string;
	/** What whoever takes the result needs to know; JSON, opaque to the store. */
	readonly data: unknown;
	/** From then on the step may be given to another. */
	readonly expiresAt: Time;
	readonly state: "held" | "completed" | "failed" | "released";
}

/** A table's rows by their column names. The store keeps them and never looks into them. */
export interface Rows {
	readonly steps: readonly Row[];
	readonly stories: readonly Row[];
	/** Ids of stories to take away. */
	readonly gone: readonly string[];
}

export type Row = Readonly<Record<string, string | number | null>> & { readonly id: string };

export type CommitResult =
	| { readonly ok: true; readonly effects: readonly PendingEffect[] }
	/** Somebody else committed first. */
	| { readonly ok: false; readonly reason: "conflict"; readonly version: number }
	/** Somebody else holds the lease by now. */
	| { readonly ok: false; readonly reason: "fenced" };

/** The right to drive a run, until it is released or its owner dies. */
export interface Lease {
	readonly scope: string;
	/** Raised each time that the lease is taken: commits of an earlier holder are refused by it. */
	readonly epoch: number;
	release(): Promise<void>;
}

/** Who drives a run. */
export interface Holder {
	/** For a person: a process and its machine. */
	readonly who: string;
	readonly since: Time;
}

export interface Watch {
	close(): void;
}

export interface Store {
	commit(commit: Commit): Promise<CommitResult>;
	/** Marks effects done without any event. */
	settle(run: string, done: readonly number[]): Promise<void>;
	/** The events of a run after a version, in order. Empty for a run that is not there. */
	events(run: string, after?: number): Promise<readonly Event[]>;
	/** The effects that were committed and not settled, in order. */
	pending(run: string): Promise<readonly PendingEffect[]>;
	runs(): Promise<readonly RunSummary[]>;
	summary(run: string): Promise<RunSummary | null>;
	/** Leaves an input for whoever drives this run; it survives until a commit takes it. */
	post(run: string, input: Input): Promise<void>;
	inbox(run: string): Promise<readonly { readonly id: number; readonly input: Input }[]>;
	/** The claims of a run that are held. */
	claims(run: string): Promise<readonly Claim[]>;
	/** By its token or its handle; null where there never was one. */
	claim(name: string): Promise<Claim | null>;
	/** Calls back soon after somebody else has changed something about a run, or about any run (null). Sometimes for nothing. */
	watch(run: string | null, changed: () => void): Watch;
	/** null while another has it. How long it lasts without a sign of life (`ttlMs`) matters only where the system does not notice a death. */
	lease(run: string, scope: string, ttlMs: number): Promise<Lease | null>;
	/** Who drives this run at the moment. Only to be told: it may be otherwise a moment later. */
	holder(run: string): Promise<Holder | null>;
	close(): Promise<void>;
}
