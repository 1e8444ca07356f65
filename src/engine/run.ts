// An open run: its state, and the only way to change it. `feed` is a queue: an input is decided and committed before the next one is
// looked at, so no decision is based on a state that is about to change. Nothing else in pawl decides or commits. A process drives the run alone,
// under its lease, or shares it with others: then each decision is made on what all of them have committed.
import { randomUUID } from "node:crypto";
import type { Event } from "../core/event.ts";
import { fold } from "../core/fold/apply.ts";
import { unknownEvent } from "../core/fold/known-events.ts";
import type { Input } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { overviewOf } from "../core/overview.ts";
import { attemptOf, findStep, isOver, nextWake } from "../core/query.ts";
import { startedWith } from "../core/started-with.ts";
import { transition } from "../core/transition.ts";
import { withDiskAdvice } from "../files/disk-trouble.ts";
import {
	type Claim,
	type CommitResult,
	type Decision,
	type FileChange,
	type Lease,
	NewerPawl,
	type PendingEffect,
	type Rows,
	type Store,
} from "../store.ts";
import { redacted } from "./redact.ts";

/** Where a run is kept, and what is written beside its journal. */
export interface RunStorage {
	readonly store: Store;
	/** Table rows to write with a commit; null if the run has none. */
	readonly rows?: ((before: RunState | null, after: RunState) => Rows | null) | undefined;
	/** Values that must not enter the journal. */
	readonly secrets?: readonly string[];
	/** Hears of all that is committed or read here, in order, with the state after it. `own`: this process committed it, so no other one did. */
	readonly witness?: Witness | undefined;
	/** For tests: called around every commit; may end the process. */
	readonly crashPoint?: ((name: string) => void) | undefined;
}

export type Witness = (events: readonly Event[], state: RunState, own: boolean) => void;

/** Written in the same commit as the input. */
export interface Notes {
	/** Effects that are done. */
	readonly done?: readonly number[];
	/** Entries of the inbox that this commit answers. */
	readonly taken?: readonly number[];
	readonly claims?: readonly Claim[];
	/** Files that travel with it, and the scope in which they were changed: its lease is needed. */
	readonly files?: { readonly scope: string; readonly changes: readonly FileChange[] };
}

export interface Committed {
	readonly events: readonly Event[];
	/** To be carried out now. */
	readonly effects: readonly PendingEffect[];
	readonly state: RunState;
	/** Committed here, not by another process. */
	readonly own: boolean;
}

/** Another process changed the run or took it over, so this decision does not count. */
export class RunConflict extends Error {
	override name = "RunConflict";
}

/** Everything that a decision is based on comes through here. */
function foldKnown(id: string, events: readonly Event[], before: RunState | null = null): RunState | null {
	const unknown = unknownEvent(events);
	if (unknown !== null)
		throw new NewerPawl(
			`run ${id} has an event that this pawl does not know (${unknown}), so a newer pawl wrote it: update pawl to change the run`,
		);
	return fold(events, before);
}

/** Of processes that share a run, the one that carries out the effects of a scope holds a lease on it: without it, what happened there does not count. */
export type LeaseOf = (state: RunState, scope: string) => Lease | null;

/** A run, and the events that its state was folded from. */
export interface Opened {
	readonly run: Run;
	readonly events: readonly Event[];
}

export class Run {
	readonly id: string;
	private readonly storage: RunStorage;
	private readonly lease: Lease | null;
	/** null: no other process decides about the run. */
	private readonly shared: LeaseOf | null;
	private now: RunState;
	private queue: Promise<unknown> = Promise.resolve();
	/** A look at the journal that has not begun. */
	private refreshing: Promise<void> | null = null;
	/** Effects that are done and not noted yet: part of the next commit. */
	private done: number[] = [];
	private listener: (committed: Committed) => void = () => {};
	private next = Promise.withResolvers<void>();

	private constructor(storage: RunStorage, state: RunState, lease: Lease | null, shared: LeaseOf | null = null) {
		this.id = state.id;
		this.storage = storage;
		this.now = state;
		this.lease = lease;
		this.shared = shared;
	}

	/** The first commit of a new run. */
	static async create(storage: RunStorage, input: Extract<Input, { type: "create_run" }>): Promise<{ run: Run; committed: Committed }> {
		// The definition and the options are not redacted: a resume needs them unchanged.
		const { definition, options, ...said } = input;
		const made = transition(null, { ...redacted(said, storage.secrets ?? []), definition, options });
		if (made.state === null) throw new RunConflict(`the run ${input.id} could not be created`);
		const run = new Run(storage, made.state, null);
		const effects = answered(await run.commit(null, { ...made, state: made.state }, input.at, {}), input.id);
		storage.witness?.(made.events, made.state, true);
		return { run, committed: { events: made.events, effects, state: made.state, own: true } };
	}

	/** Reads and folds the journal, once; null if there is no such run. `lease`: of the process that drives it. */
	static async open(storage: RunStorage, id: string, lease: Lease | null = null): Promise<Opened | null> {
		const events = await storage.store.events(id);
		const state = foldKnown(id, events);
		if (state === null) return null;
		storage.witness?.(events, state, false);
		return { run: new Run(storage, state, lease), events };
	}

	/** For a process that shares the run with others; null if there is no such run. */
	static async share(storage: RunStorage, id: string, leaseOf: LeaseOf = () => null): Promise<Opened | null> {
		const events = await storage.store.events(id);
		const state = foldKnown(id, events);
		if (state === null) return null;
		storage.witness?.(events, state, false);
		return { run: new Run(storage, state, null, leaseOf), events };
	}

	get state(): RunState {
		return this.now;
	}

	get store(): Store {
		return this.storage.store;
	}

	/** The listener hears of every commit before the next input is decided. */
	onCommitted(listener: (committed: Committed) => void): void {
		this.listener = listener;
	}

	/** Resolves with the next commit. */
	changed(): Promise<void> {
		return this.next.promise;
	}

	/** Decides one input and commits the result. Rejects with RunConflict if another process committed first. */
	feed(input: Input, notes: Notes = {}): Promise<void> {
		const fed = this.queue.then(() => this.decide(redacted(advised(input), this.storage.secrets ?? []), notes));
		this.queue = fed.catch(() => {});
		return fed;
	}

	/** Notes that an effect is done; it reaches the store with the next commit, or when the run is closed; in a run that is over, then only. */
	noteDone(...seqs: readonly number[]): void {
		this.done.push(...seqs);
	}

	/** Takes up what other processes have committed. Whoever asks before it was looked at gets the same look. */
	refresh(): Promise<void> {
		if (this.refreshing !== null) return this.refreshing;
		const read = this.queue.then(async () => {
			this.refreshing = null;
			this.takeUp(await this.storage.store.events(this.id, this.now.version));
		});
		this.refreshing = read;
		this.queue = read.catch(() => {});
		return read;
	}

	/** What is left to do, and no state that is older: it knows of each attempt that is to start. */
	async pending(): Promise<readonly PendingEffect[]> {
		const pending = await this.storage.store.pending(this.id);
		const isNew = ({ effect }: PendingEffect): boolean =>
			effect.effect === "start_attempt" && attemptOf(findStep(this.now, effect.scope, effect.step), effect.attempt) === undefined;
		if (this.shared !== null && pending.some(isNew)) await this.refresh();
		return pending;
	}

	/** Waits for everything that was fed. */
	async close(): Promise<void> {
		await this.queue;
		await this.settle();
	}

	/** Some effects are noted as done and not recorded yet. */
	get unsettled(): boolean {
		return this.done.length > 0;
	}

	/** Records the effects that are noted as done. */
	async settle(): Promise<void> {
		const noted = [...this.done];
		if (noted.length > 0) await this.storage.store.settle(this.id, noted);
		this.forget(noted);
	}

	/** Only once the store has them: what it refused, the next commit has to say. A rollback that it does not know of is done again, whatever has been built on it since. */
	private forget(noted: readonly number[]): void {
		this.done = this.done.filter((seq) => !noted.includes(seq));
	}

	private takeUp(events: readonly Event[]): void {
		if (events.length === 0) return;
		this.now = foldKnown(this.id, events, this.now) ?? this.now;
		this.tell({ events, effects: [], state: this.now, own: false });
	}

	private tell(committed: Committed): void {
		this.storage.witness?.(committed.events, committed.state, committed.own);
		this.listener(committed);
		const { resolve } = this.next;
		this.next = Promise.withResolvers();
		resolve();
	}

	private decide(input: Input, notes: Notes): Promise<void> {
		return this.shared === null ? this.decideAlone(input, notes) : this.decideShared(input, notes, this.shared);
	}

	private async decideShared(input: Input, notes: Notes, leaseOf: LeaseOf): Promise<void> {
		const id = randomUUID();
		const noted = [...this.done];
		const done = [...noted, ...(notes.done ?? [])];
		const noteCount = done.length + (notes.taken?.length ?? 0) + (notes.claims?.length ?? 0) + (notes.files?.changes.length ?? 0);
		const scope = "scope" in input && input.scope !== null ? input.scope : notes.files?.scope;
		let decided: Decided | null = null;
		this.storage.crashPoint?.(`before ${input.type}`);
		const { events, result } = await this.storage.store.update(this.id, this.now.version, (others) => {
			const before = foldKnown(this.id, others, this.now);
			const next = transition(before, input);
			if (next.state === null || next.events.length + noteCount === 0) return null;
			decided = { ...next, state: next.state };
			const lease = before === null || scope === undefined ? null : leaseOf(before, scope);
			// No process is sure to be there when the next wait ends.
			const wakeAt = next.state.status === "running" ? nextWake(next.state) : null;
			return { ...this.decision(id, before, decided, input.at, { ...notes, done }, lease), wakeAt };
		});
		this.takeUp(events);
		if (result === null) return;
		const effects = answered(result, this.id);
		this.forget(noted);
		const { state, events: own } = decided as unknown as Decided;
		this.now = state;
		this.storage.crashPoint?.(`after ${input.type}`);
		this.tell({ events: own, effects, state, own: true });
	}

	private async decideAlone(input: Input, notes: Notes): Promise<void> {
		const next = transition(this.now, input);
		if (next.state === null) return;
		// What is done in a run that is over is noted when the run is closed, and not before: until its worktrees are gone, a resume has to find something
		// that is left to do.
		const isOverNow = isOver(this.now.status) && isOver(next.state.status);
		const noted = isOverNow ? [] : [...this.done];
		const done = [...noted, ...(notes.done ?? [])];
		if (next.events.length + done.length + (notes.taken?.length ?? 0) + (notes.claims?.length ?? 0) === 0) return;
		this.storage.crashPoint?.(`before ${input.type}`);
		const effects = answered(await this.commit(this.now, { ...next, state: next.state }, input.at, { ...notes, done }), this.id);
		this.forget(noted);
		this.now = next.state;
		this.storage.crashPoint?.(`after ${input.type}`);
		this.tell({ events: next.events, effects, state: next.state, own: true });
	}

	private commit(before: RunState | null, next: Decided, updatedAt: number, notes: Notes): Promise<CommitResult> {
		return this.storage.store.commit({
			...this.decision(randomUUID(), before, next, updatedAt, notes, this.lease),
			run: this.id,
			expectedVersion: before?.version ?? 0,
		});
	}

	private decision(
		commit: string,
		before: RunState | null,
		{ events, effects, state }: Decided,
		updatedAt: number,
		{ done = [], taken = [], claims = [], files }: Notes,
		lease: Lease | null,
	): Decision {
		const { id, definition, title, status, createdAt } = state;
		const rows = this.storage.rows?.(before, state) ?? null;
		return {
			id: commit,
			events,
			effects,
			done,
			taken,
			claims,
			summary: {
				...{ id, workflow: definition.name, title, status, createdAt, updatedAt, overview: overviewOf(state, updatedAt) },
				...(before === null ? { input: state.input } : {}),
			},
			...(before === null ? { requires: startedWith(state).requires } : {}),
			...(rows === null ? {} : { rows }),
			...(lease === null ? {} : { lease: { scope: lease.scope, epoch: lease.epoch } }),
			...(files === undefined ? {} : { files: files.changes }),
		};
	}
}

type Decided = Pick<ReturnType<typeof transition>, "events" | "effects"> & { readonly state: RunState };

/** Whoever ran the attempt, a full disk is named where its failure is told. */
function advised(input: Input): Input {
	if (input.type !== "attempt_ended" || input.outcome.error === null) return input;
	return { ...input, outcome: { ...input.outcome, error: withDiskAdvice(input.outcome.error) } };
}

function answered(result: CommitResult, run: string): readonly PendingEffect[] {
	if (result.ok) return result.effects;
	throw new RunConflict(
		result.reason === "fenced"
			? `another process drives run ${run} by now`
			: `another process changed run ${run} at the same time (it is at version ${result.version})`,
	);
}
