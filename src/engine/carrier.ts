// Carries out the effects of a run: those of one scope in order, scopes side by side. The outcomes go back into the run as inputs. Who decides
// which effects are this process's is the engine's business (engine.ts, shared-engine.ts).
import type { Input, Outcome } from "../core/input.ts";
import type { PendingEffect } from "../store.ts";
import { runAttempt, type Spent } from "./attempt/attempt.ts";
import type { AttemptId, StartAttempt } from "./attempt/live-attempt.ts";
import { Round, type Seat } from "./attempt/round.ts";
import { doChore } from "./chores.ts";
import { Lanes } from "./lanes.ts";
import type { Notes } from "./run.ts";
import type { Tools } from "./tools.ts";

export type AttemptOver = Extract<Input, { readonly type: "attempt_ended" | "attempt_cancelled" }>;

export interface CarrierOptions {
	/** The lane that a scope belongs to, if lanes are closed on their own. */
	readonly laneOf?: (scope: string) => string;
	/** Decides what the end of an attempt leads to, and commits it. */
	readonly feed: (input: AttemptOver, notes: Notes) => Promise<void>;
	/** Has an attempt run, with what comes before it, and after it before its outcome is decided; returns the outcome, perhaps with more. */
	readonly around: (effect: StartAttempt, run: () => Promise<Outcome | null>) => Promise<Outcome | null>;
	/** Notes that an effect other than an attempt is carried out. */
	readonly onDone: (seq: number, scope: string) => Promise<void> | void;
	/** Called with a cancelled attempt that no session of this process works on. */
	readonly onForeignCancel: (seq: number, id: AttemptId, reason: string) => void;
	/** An effect could not be carried out: this process cannot continue, at least not in this scope. */
	readonly onError: (error: unknown, scope: string) => void;
	/** Called after each piece of work. */
	readonly onIdle: () => void;
}

export class Carrier {
	private readonly tools: Tools;
	private readonly options: CarrierOptions;
	private readonly lanes: Lanes;
	private readonly controllers = new Map<string, { readonly scope: string; readonly controller: AbortController }>();
	/** Lanes in which nothing more is begun. */
	private readonly closed = new Set<string>();
	private closedAll = false;

	constructor(tools: Tools, options: CarrierOptions) {
		this.tools = tools;
		this.options = options;
		this.lanes = new Lanes(options.onError, options.onIdle);
	}

	get busy(): boolean {
		return this.lanes.busy;
	}

	isBusy(scope: string): boolean {
		return this.lanes.isBusy(scope);
	}

	/** Resolves when all that was added so far is done, in one scope or in all of them. */
	drained(scope?: string): Promise<void> {
		return this.lanes.drained(scope);
	}

	/** In order. The members of a gate start together. */
	add(effects: readonly PendingEffect[]): void {
		const starts = new Map<string, PendingEffect[]>();
		const flush = (scope: string) => {
			const batch = starts.get(scope);
			starts.delete(scope);
			if (batch) void this.inLane(scope, () => this.together(batch));
		};
		for (const pending of effects) {
			const { effect } = pending;
			if (effect.effect === "cancel_attempt") {
				this.cancel(pending.seq, effect);
			} else if (effect.effect === "start_attempt") {
				starts.set(effect.scope, [...(starts.get(effect.scope) ?? []), pending]);
			} else {
				flush(effect.scope);
				const done = this.inLane(effect.scope, () => this.carryOut(pending));
				if (effect.effect === "release_story") this.tools.workspaces.willRelease(effect.slot, effect.scope, done);
			}
		}
		for (const scope of [...starts.keys()]) flush(scope);
	}

	inLane(scope: string, work: () => Promise<void>): Promise<void> {
		return this.lanes.add(scope, async () => {
			if (!this.closedAll && !this.closed.has(this.laneOf(scope))) await work();
		});
	}

	/** Ends the sessions. What comes after them is begun. */
	abort(): void {
		for (const { controller } of this.controllers.values()) controller.abort();
	}

	/** Begins nothing more, and ends what runs. */
	close(reason: string): void {
		this.closedAll = true;
		for (const { controller } of this.controllers.values()) controller.abort(reason);
	}

	/** The same in one lane, until it is opened again. */
	closeLane(lane: string, reason: string): void {
		this.closed.add(lane);
		for (const { scope, controller } of this.controllers.values()) if (this.laneOf(scope) === lane) controller.abort(reason);
	}

	openLane(lane: string): void {
		this.closed.delete(lane);
	}

	private laneOf(scope: string): string {
		return this.options.laneOf?.(scope) ?? scope;
	}

	/** A session of this process is aborted and reports its own end. */
	private cancel(seq: number, { reason, ...id }: AttemptId & { readonly reason: string }): void {
		const session = this.controllers.get(keyOf(id));
		if (session === undefined) return this.options.onForeignCancel(seq, id, reason);
		session.controller.abort(reason);
		this.tools.run.noteDone(seq);
	}

	private async together(batch: readonly PendingEffect[]): Promise<void> {
		const round = new Round(batch.length);
		const seats = batch.map((pending) => ({ pending, seat: round.seat() }));
		await Promise.all(seats.map(({ pending, seat }) => this.carryOut(pending, seat).finally(() => seat.leave())));
	}

	private async carryOut({ seq, effect }: PendingEffect, seat?: Seat): Promise<void> {
		const { parts } = this.tools;
		parts.crashPoint?.(`start ${effect.effect}`);
		if (effect.effect === "start_attempt") return this.attempt(seq, effect, seat);
		// A `cancel_attempt` was handled when it was committed.
		if (effect.effect !== "cancel_attempt") await doChore(this.tools, effect);
		parts.crashPoint?.(`done ${effect.effect}`);
		await this.options.onDone(seq, effect.scope);
	}

	/** Runs an attempt to its end and feeds its outcome. */
	private async attempt(seq: number, effect: StartAttempt, seat?: Seat): Promise<void> {
		const controller = new AbortController();
		this.controllers.set(keyOf(effect), { scope: effect.scope, controller });
		try {
			const spent: Spent = {};
			const outcome = await this.options.around(effect, () => runAttempt(this.tools, effect, controller.signal, seat, spent));
			const at = this.tools.parts.clock.now();
			const { scope, step, attempt } = effect;
			if (outcome !== null) return await this.options.feed({ type: "attempt_ended", at, scope, step, attempt, outcome }, { done: [seq] });
			const reason = String(controller.signal.reason ?? "cancelled");
			await this.options.feed({ type: "attempt_cancelled", at, scope, step, attempt, reason, ...spent }, { done: [seq] });
		} finally {
			this.controllers.delete(keyOf(effect));
		}
	}
}

export const keyOf = (id: AttemptId): string => `${id.scope} ${id.step} ${id.attempt}`;
