// One process that drives a run in the core layer: the real Run over a store in memory, and attempts that wait for somebody to end them. It stands
// in for the engine, so that no file, workspace or prompt is needed: a history takes a millisecond or two.
import type { Effect } from "../../src/core/effect.ts";
import type { Input } from "../../src/core/input.ts";
import type { RunState } from "../../src/core/model.ts";
import { attemptOf, findStep } from "../../src/core/query.ts";
import { type Committed, type Notes, Run } from "../../src/engine/run.ts";
import type { MemoryDatabase } from "../../src/store/memory.suite.ts";
import type { Lease, PendingEffect, Store } from "../../src/store.ts";
import type { Trees } from "./core-agents.ts";

type Start = Extract<Effect, { effect: "start_attempt" }>;

export interface Job extends Start {
	readonly seq: number;
	begun: boolean;
	/** The engine was told to end it. */
	cancelled: string | null;
}

export const RUN = "run-1";
export const isSameAttempt = (a: Pick<Start, "scope" | "step" | "attempt">, b: Pick<Start, "scope" | "step" | "attempt">): boolean =>
	a.scope === b.scope && a.step === b.step && a.attempt === b.attempt;

export class CoreProcess {
	readonly run: Run;
	readonly store: Store;
	jobs: Job[] = [];
	/** Merged stories that somebody has to look for. */
	sought: PendingEffect[] = [];
	readonly wrong: string[] = [];
	private readonly trees: Trees;

	private constructor(run: Run, store: Store, trees: Trees) {
		this.run = run;
		this.store = store;
		this.trees = trees;
		run.onCommitted((committed) => this.committed(committed));
	}

	/** Opens the run as an engine does that finds it; null if another process has it. */
	static async open(database: MemoryDatabase, trees: Trees): Promise<CoreProcess | null> {
		const store = database.open();
		const lease: Lease | null = await store.lease(RUN, "@run", 60_000);
		const opened = lease === null ? null : await Run.open({ store }, RUN, lease);
		if (opened === null) return null;
		return new CoreProcess(opened.run, store, trees);
	}

	get state(): RunState {
		return this.run.state;
	}

	feed(input: Input, notes: Notes = {}): Promise<void> {
		return this.run.feed(input, notes);
	}

	/** What the process before this one left: effects are carried out again; attempts that had begun are lost. */
	async recover(at: number): Promise<void> {
		const lost: Job[] = [];
		for (const pending of await this.store.pending(RUN)) {
			const { effect, seq } = pending;
			if (effect.effect !== "start_attempt") {
				this.carryOut(pending);
				continue;
			}
			const attempt = attemptOf(findStep(this.state, effect.scope, effect.step), effect.attempt);
			if (attempt === undefined) this.run.noteDone(seq);
			else if (attempt.prepared) lost.push({ ...effect, seq, begun: true, cancelled: null });
			else this.start(seq, effect);
		}
		for (const { scope, step, attempt, seq } of lost) await this.feed({ type: "attempt_lost", at, scope, step, attempt }, { done: [seq] });
	}

	/** The inbox, one entry after the other. */
	async readInbox(at: number): Promise<void> {
		for (const { id, input } of await this.store.inbox(RUN)) await this.feed({ ...input, at }, { taken: [id] });
	}

	take(job: Job): void {
		this.jobs = this.jobs.filter((one) => one !== job);
	}

	/** What the end of a process does. */
	die(): Promise<void> {
		return this.store.close();
	}

	private committed({ effects }: Committed): void {
		for (const pending of effects) this.carryOut(pending);
	}

	private carryOut(pending: PendingEffect): void {
		const { effect, seq } = pending;
		switch (effect.effect) {
			case "start_attempt":
				return this.start(seq, effect);
			case "cancel_attempt": {
				const job = this.jobs.find((one) => isSameAttempt(one, effect));
				if (job !== undefined) job.cancelled = effect.reason;
				return this.run.noteDone(seq);
			}
			case "look_for_merges":
				this.sought.push(pending);
				return;
			case "rollback":
				this.trees.putBack(this.state, effect.scope, `${effect.step} ${effect.since ?? effect.attempt}`);
				return this.run.noteDone(seq);
			default:
				return this.run.noteDone(seq);
		}
	}

	private start(seq: number, effect: Start): void {
		// The engine starts no session for an attempt that is over by then.
		this.jobs = this.jobs.filter((one) => one.begun || attemptOf(findStep(this.state, one.scope, one.step), one.attempt) !== undefined);
		const other = this.jobs.find((one) => one.scope === effect.scope && one.step === effect.step && one.role === effect.role);
		if (other !== undefined)
			this.wrong.push(`I2 ${effect.scope} ${effect.step}: ${effect.role} works on attempt ${other.attempt} and ${effect.attempt} at once`);
		this.jobs.push({ ...effect, seq, begun: false, cancelled: null });
	}
}
