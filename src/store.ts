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
	| { readonly ok: false; readonly reason: "conflict"; readonly version: number };

export interface Lock {
	release(): void;
}

export interface Store {
	commit(commit: Commit): CommitResult;
	/** Marks effects done without any event. */
	settle(run: string, done: readonly number[]): void;
	/** The events of a run after a version, in order. Empty for a run that is not there. */
	events(run: string, after?: number): readonly Event[];
	/** The effects that were committed and not settled, in order. */
	pending(run: string): readonly PendingEffect[];
	runs(): readonly RunSummary[];
	summary(run: string): RunSummary | null;
	/** Leaves an input for whoever runs this run; it survives until a commit takes it. */
	post(run: string, input: Input): void;
	inbox(run: string): readonly { readonly id: number; readonly input: Input }[];
	/** The claims of a run that are held. */
	claims(run: string): readonly Claim[];
	/** By its token or its handle; null where there never was one. */
	claim(name: string): Claim | null;
	/** A number that changes when another process has committed something. Cheap: it is asked often. */
	changes(): number;
	/** The right to run this run, held until released or the process dies; null when another has it. */
	lock(run: string): Lock | null;
	/** Somebody has that right now. Only to be told: it may be otherwise a moment later. */
	isLocked(run: string): boolean;
	close(): void;
}
