// The store contract: the journal of every run, the effects that are still to be carried out, and the inbox through which other
// processes reach a running engine. One commit is one transaction: events and effects are written together or not at all.
import type { Effect } from "./core/effect.ts";
import type { Event } from "./core/event.ts";
import type { Input } from "./core/input.ts";
import type { RunStatus, Time } from "./core/model.ts";
import type { Overview } from "./core/overview.ts";

/** What lists of runs show, kept beside the journal so that listing needs no replay. */
export interface RunSummary {
	readonly id: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: RunStatus;
	readonly createdAt: Time;
	readonly updatedAt: Time;
	/** Missing if an earlier version of pawl wrote the last commit of the run. */
	readonly overview?: Overview;
	/** What it was started with; only the first commit has to say it. Missing for a run of an earlier version: its first event says it. */
	readonly input?: Readonly<Record<string, string>>;
}

/** Which runs. All of them take longer the longer a repository is in use. */
export interface RunsOf {
	/** Only those that are not over. */
	readonly open?: boolean;
	/** With `open`, also those that are over and have effects left that are not done. */
	readonly unsettled?: boolean;
	/** The newest so many. */
	readonly limit?: number;
	/** Those whose id begins so. */
	readonly prefix?: string;
}

export interface PendingEffect {
	/** Order of commit, unique in the store. */
	readonly seq: number;
	readonly effect: Effect;
}

export interface Commit {
	/** Unique. Sending the same commit again returns the first answer and changes nothing, so a caller that lost the answer can ask again. */
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
	/** Rows of tables that other programs read, written in the same transaction. The committer made them from the state. */
	readonly rows?: Rows;
	/** Claims as they are after this commit: new ones, and those whose state it changes. */
	readonly claims?: readonly Claim[];
	/** The committer's lease. The commit is refused if another process has taken the lease over since. */
	readonly lease?: { readonly scope: string; readonly epoch: number };
	/** When somebody has to look at the run even if nobody changes it until then; null: no such moment. Left out, it stays as it was. Only a store that
	 * several machines share keeps it; on one machine the process that drives a run has timers. */
	readonly wakeAt?: Time | null;
	/** The labels that a worker must have to work on the run; with its first commit. Only a store that machines share keeps it. */
	readonly requires?: readonly string[];
	/** Lanes in which this commit leaves something to do. A store that machines share tells whoever hands out lanes, in the same transaction. */
	readonly lanes?: readonly string[];
	/** Files of the run that the committer changed. Only a store that machines share keeps them. */
	readonly files?: readonly FileChange[];
}

export interface FileChange {
	/** Below the folder of the run, with slashes. */
	readonly path: string;
	/** Whose it is: a lane's, or with an empty name everybody's. */
	readonly lane: string;
	/** null: it is gone. */
	readonly bytes: Uint8Array | null;
	/** They come after what is there, which others may have added meanwhile. */
	readonly append?: true;
}

/** What is to be committed on top of everything that is there. */
export type Decision = Omit<Commit, "run" | "expectedVersion">;

export interface Updated {
	/** The events that the caller had not seen. */
	readonly events: readonly Event[];
	/** null: nothing was to be committed. */
	readonly result: CommitResult | null;
}

/** A step that an agent which pawl did not start is working on. */
export interface Claim {
	/** Unique. */
	readonly token: string;
	readonly run: string;
	/** A readable name; it can be used instead of the token. */
	readonly handle: string;
	/** What is needed to take the result; JSON, opaque to the store. */
	readonly data: unknown;
	/** When the claim expires and another agent may have the step. */
	readonly expiresAt: Time;
	readonly state: "held" | "completed" | "failed" | "released";
}

/** A table's rows by their column names. The store keeps them and never looks into them. */
export interface Rows {
	readonly steps: readonly Row[];
	readonly stories: readonly Row[];
	/** Ids of stories to delete. */
	readonly gone: readonly string[];
}

export type Row = Readonly<Record<string, string | number | null>> & { readonly id: string };

export type CommitResult =
	| { readonly ok: true; readonly effects: readonly PendingEffect[] }
	/** Another process committed first. */
	| { readonly ok: false; readonly reason: "conflict"; readonly version: number }
	/** Another process holds the lease now. */
	| { readonly ok: false; readonly reason: "fenced" };

/** The right to drive a run, until it is released or its owner dies. */
export interface Lease {
	readonly scope: string;
	/** Raised each time that the lease is taken, so that commits of an earlier holder are refused. */
	readonly epoch: number;
	/** Aborted when the lease has run out, or another process has it: what its holder still does no longer counts. Missing where a lease ends
	 * only with its process. */
	readonly lost?: AbortSignal;
	release(): Promise<void>;
}

/** Who drives a run. */
export interface Holder {
	/** For people: a process and its machine. */
	readonly who: string;
	readonly since: Time;
}

export interface Watch {
	close(): void;
}

export interface Store {
	commit(commit: Commit): Promise<CommitResult>;
	/** For processes that share a run: reads the events after a version, lets `decide` decide on them and commits its decision, all in one transaction. Waits
	 * for others that do the same. `decide` must have no effects of its own: it is called again if the transaction has to be repeated. */
	update(run: string, after: number, decide: (events: readonly Event[]) => Decision | null): Promise<Updated>;
	/** Marks effects as done without writing an event. */
	settle(run: string, done: readonly number[]): Promise<void>;
	/** The events of a run after a version, in order; at most `limit` of them. Empty if there is no such run. */
	events(run: string, after?: number, limit?: number): Promise<readonly Event[]>;
	/** The effects that were committed and not marked as done, in order. */
	pending(run: string): Promise<readonly PendingEffect[]>;
	/** Newest first. */
	runs(of?: RunsOf): Promise<readonly RunSummary[]>;
	summary(run: string): Promise<RunSummary | null>;
	/** Leaves an input for the process that drives this run; it stays until a commit takes it. */
	post(run: string, input: Input): Promise<void>;
	inbox(run: string): Promise<readonly { readonly id: number; readonly input: Input }[]>;
	/** The claims of a run that are held. */
	claims(run: string): Promise<readonly Claim[]>;
	/** By its token or its handle; null if there never was one. */
	claim(name: string): Promise<Claim | null>;
	/** Calls back soon after another process changed this run, or any run (null). It may also call when nothing changed. */
	watch(run: string | null, changed: () => void): Watch;
	/** null while another process has it. `ttlMs`, how long it lasts without a sign of life, matters only if the system does not notice that
	 * a process died. */
	lease(run: string, scope: string, ttlMs: number): Promise<Lease | null>;
	/** Who drives this run now. For display only: it may change at any moment. */
	holder(run: string): Promise<Holder | null>;
	/** When the process that drives this run last gave a sign of life, also one that has died since; null if nobody drives it or that is not known.
	 * It is renewed every few seconds, so an old one means that the process hangs or is gone. */
	seenAt(run: string): Promise<Time | null>;
	/** Removes a run and everything that belongs to it, for good. Only whoever holds its lease may; false if another process took it over. */
	remove(run: string, lease: Lease): Promise<boolean>;
	close(): Promise<void>;
}

/** A part of a step's log: whole lines, as one attempt printed them. */
export interface LogPiece {
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	/** Counted for each attempt. */
	readonly n: number;
	readonly bytes: Uint8Array;
}

/** What gets from machine to machine beside the journal. */
export interface Travelling {
	/** Adds a piece at the end of its step's log; false if the lane has another holder by now. Adding it again changes nothing. The holder of a lane adds
	 * the pieces of a step one after the other. */
	addLog(run: string, piece: LogPiece, lease: { readonly scope: string; readonly epoch: number }): Promise<boolean>;
	/** The logs of a run, or of one scope of it, and how long each is. */
	logs(run: string, scope?: string): Promise<readonly { readonly scope: string; readonly step: string; readonly size: number }[]>;
	/** Some bytes of a step's log from a position on; none at its end. */
	readLog(run: string, scope: string, step: string, from: number): Promise<Uint8Array>;
	/** The files of a run that changed after a version (a number that grows with every change), oldest change first. `lane`: only its own; empty:
	 * only everybody's. */
	files(run: string, after?: number, lane?: string): Promise<readonly TravelledFile[]>;
}

export interface TravelledFile extends Omit<FileChange, "append"> {
	readonly version: number;
}

/** Which session wants a seat, and how long it keeps the seat without a sign of life. */
export interface SeatRequest {
	readonly account: string;
	readonly run: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly ttlMs: number;
}

/** The right to have one session at an account. */
export interface AccountSeat {
	/** Aborted when somebody else may have the seat. */
	readonly lost: AbortSignal;
	release(): Promise<void>;
}

/** The account is at a usage limit for this long; `by`: who met it. */
export interface AtLimit {
	readonly limitedMs: number;
	readonly by: string | null;
}

/** What an agent's sessions draw on: a login, a subscription, a key. However many machines use one account, they share its seats and its usage limits. */
export interface Accounts {
	/** Waits until a seat is free; `onWait` is told once, if it has to wait. null: aborted. */
	seat(
		request: SeatRequest,
		signal: AbortSignal,
		onWait: (used: number, max: number) => Promise<void>,
	): Promise<AccountSeat | AtLimit | null>;
	/** The accounts among these that are at a usage limit, and for how long. */
	limits(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
	/** A session met a usage limit that ends after `ms`. What is known is never shortened. */
	limit(name: string, ms: number): Promise<void>;
	list(): Promise<readonly Account[]>;
	/** null: as many sessions as want to. */
	setMax(name: string, max: number | null): Promise<void>;
	/** Forgets its usage limit; false if it had none. */
	clear(name: string): Promise<boolean>;
}

export interface Account {
	readonly name: string;
	readonly max: number | null;
	readonly limitedUntil: Time | null;
	/** Who met the limit. */
	readonly limitedBy: string | null;
	/** In the order in which they asked. */
	readonly seats: readonly SeatHolder[];
}

export interface SeatHolder {
	/** For people: a process and its machine. */
	readonly worker: string;
	readonly run: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly since: Time;
	/** It has no seat yet. */
	readonly waits: boolean;
}

/** A store that several machines share. */
export interface SharedStore extends Store, Travelling {
	readonly workers: Workers;
	readonly accounts: Accounts;
	/** The runs that wanted to be looked at by now (`wakeAt`), the longest overdue first. The store's clock decides. */
	dueRuns(of?: RunsFor): Promise<readonly string[]>;
	/** The runs that have effects which are not done. */
	runsWithEffects(of?: RunsFor): Promise<readonly string[]>;
	/** The scopes of a run that somebody has a lease on. */
	heldLanes(run: string): Promise<readonly string[]>;
	/** Holds everybody else off a run while `work` looks at the effects that are not done. What it does in the transaction counts if it returns true. A lane
	 * is given up so: whoever commits an effect for it afterwards finds that nobody has it. */
	locked(run: string, work: (pending: readonly PendingEffect[], transaction: Transaction) => Promise<boolean>): Promise<boolean>;
}

export interface RunsFor {
	/** Only runs that a worker with these labels may work on. */
	readonly labels?: readonly string[];
	readonly limit?: number;
}

/** A worker as it describes itself. */
export interface WorkerCard {
	readonly id: string;
	readonly host: string;
	/** Of pawl. */
	readonly version: string;
	readonly labels: readonly string[];
	/** How many lanes it works on at once. */
	readonly lanes: number;
	/** The address of the shared repository, without a password. */
	readonly repo: string;
	/** Silent for longer than this, it counts as gone. */
	readonly leaseMs: number;
	/** It takes no new lane, and leaves when those that it has are done. */
	readonly draining: boolean;
}

/** A worker as others see it. The store's clock decides. */
export interface ListedWorker extends WorkerCard {
	readonly started: Time;
	readonly seen: Time;
	readonly gone: boolean;
	readonly works: readonly { readonly run: string; readonly scope: string; readonly since: Time }[];
}

/** The list of the workers of a database. */
export interface Workers {
	/** Writes the entry of a worker that begins; waits for a store that is away. */
	enter(card: WorkerCard): Promise<void>;
	/** Writes or renews a worker's entry; true: it was asked to leave. Fails at once while the store is away: it is called again and again. */
	renew(card: WorkerCard): Promise<boolean>;
	/** A worker that is done leaves no entry. One that died leaves its own, which is removed after a day. */
	remove(id: string): Promise<void>;
	/** Those who started first come first. */
	list(): Promise<readonly ListedWorker[]>;
	/** Asks a worker to leave; false if there is none with this id. */
	drain(id: string): Promise<boolean>;
}

/** One thing that was looked at in a database. A warning is no reason not to use it. */
export interface DatabaseFinding {
	/** "version", "rights", … */
	readonly about: string;
	readonly level: "ok" | "warning" | "problem";
	/** With what to do, unless it is ok. */
	readonly text: string;
}

/** A connection of a shared store in the middle of a transaction. */
export interface Transaction {
	query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What a newer pawl wrote, and this one must leave alone. */
export class NewerPawl extends Error {
	override name = "NewerPawl";
}
