// Carries out the effects of a run: those of one scope in order, scopes side by side. The outcomes go back into the run as inputs. Who decides
// which effects are this process's is the engine's business (engine.ts, shared-engine.ts).
import type { Input, Outcome } from "../core/input.ts";
import type { PendingEffect } from "../store.ts";
import { runAttempt, type Spent } from "./attempt/attempt.ts";
import type { AttemptId, StartAttempt } from "./attempt/live-attempt.ts";
import { Round, type Seat } from "./attempt/round.ts";
import { type Chore, doChore } from "./chores.ts";
import { Lanes } from "./lanes.ts";
import { whenThere } from "./remote-away.ts";
import type { Notes } from "./run.ts";
import type { Tools } from "./tools.ts";

export type AttemptOver = Extract<Input, { readonly type: "attempt_ended" | "attempt_cancelled" }>;

export interface CarrierOptions {
	/** The lane that a scope belongs to, if lanes are closed on their own. */
	readonly laneOf?: (scope: string) => string;
	/** Decides what the end of an attempt leads to, and commits it. */
	readonly feed: (input: AttemptOver, notes: Notes) => Promise<void>;
	/** Has an attempt run, with what comes before it, and after it before its outcome is decided; returns the outcome, perhaps with more. */
	readonly around: (effect: StartAttempt, run: () => Promise<Outcome | null>, signal: AbortSignal) => Promise<Outcome | null>;
	/** Notes that an effect other than an attempt is carried out. */
	readonly onDone: (seq: number, effect: Chore) => Promise<void>;
	/** Called with a cancelled attempt that no session of this process works on. */
	readonly onForeignCancel: (seq: number, id: AttemptId, reason: string) => void;
	/** An effect could not be carried out: this process cannot continue, at least not in this scope. */
	readonly onError: (error: unknown, scope: string) => void;
	/** Called after each piece of work. */
	readonly onIdle: () => void;
}

/** An attempt from the moment in which it was added: a wish to cancel it may come before its turn. */
interface Session {
	readonly id: AttemptId;
	readonly controller: AbortController;
	begun: boolean;
}

interface Start {
	readonly seq: number;
	readonly effect: StartAttempt;
	readonly session: Session;
}

export class Carrier {
	private readonly tools: Tools;
	private readonly options: CarrierOptions;
	private readonly lanes: Lanes;
	private readonly sessions = new Set<Session>();
	/** Chores that may have to wait for something. */
	private readonly waits = new Set<{ readonly scope: string; readonly controller: AbortController }>();
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
		const starts = new Map<string, Start[]>();
		const flush = (scope: string) => {
			const batch = starts.get(scope);
			starts.delete(scope);
			if (batch) void this.inLane(scope, () => this.together(batch)).finally(() => this.forget(batch));
		};
		for (const { seq, effect } of effects) {
			if (effect.effect === "cancel_attempt") {
				this.cancel(seq, effect);
			} else if (effect.effect === "start_attempt") {
				const session = { id: effect, controller: new AbortController(), begun: false };
				this.sessions.add(session);
				starts.set(effect.scope, [...(starts.get(effect.scope) ?? []), { seq, effect, session }]);
			} else {
				flush(effect.scope);
				const done = this.inLane(effect.scope, () => this.carryOut(seq, effect));
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
		for (const { controller, begun } of this.sessions) if (begun) controller.abort();
	}

	/** Begins nothing more, and ends what runs. */
	close(reason: string): void {
		this.closedAll = true;
		for (const { controller } of [...this.sessions, ...this.waits]) controller.abort(reason);
	}

	/** The same in one lane, until it is opened again. */
	closeLane(lane: string, reason: string): void {
		this.closed.add(lane);
		for (const { id, controller, begun } of this.sessions) if (begun && this.laneOf(id.scope) === lane) controller.abort(reason);
		for (const { scope, controller } of this.waits) if (this.laneOf(scope) === lane) controller.abort(reason);
	}

	openLane(lane: string): void {
		this.closed.delete(lane);
	}

	private laneOf(scope: string): string {
		return this.options.laneOf?.(scope) ?? scope;
	}

	/** A session of this process is aborted and reports its own end, also one whose turn has not come: it then ends without having begun. */
	private cancel(seq: number, { reason, ...id }: AttemptId & { readonly reason: string }): void {
		const meant = [...this.sessions].filter((session) => keyOf(session.id) === keyOf(id));
		if (meant.length === 0) return this.options.onForeignCancel(seq, id, reason);
		for (const { controller } of meant) controller.abort(reason);
		this.tools.run.noteDone(seq);
	}

	/** Over when the last of them is, also if the end of another could not be committed: until then somebody works there. */
	private async together(batch: readonly Start[]): Promise<void> {
		const round = new Round(batch.length);
		const seats = batch.map((start) => ({ start, seat: round.seat() }));
		const failed = (error: unknown, { effect }: Start): void => this.options.onError(error, effect.scope);
		await Promise.all(
			seats.map(({ start, seat }) =>
				this.attempt(start, seat)
					.finally(() => seat.leave())
					.catch((error: unknown) => failed(error, start)),
			),
		);
	}

	private forget(batch: readonly Start[]): void {
		for (const { session } of batch) this.sessions.delete(session);
	}

	private async carryOut(seq: number, effect: Chore): Promise<void> {
		const { parts } = this.tools;
		parts.crashPoint?.(`start ${effect.effect}`);
		if (!(await this.doneWhenThere(effect))) return;
		parts.crashPoint?.(`done ${effect.effect}`);
		await this.options.onDone(seq, effect);
	}

	/** false: the lane was closed while the shared repository was away, and the next holder does it. */
	private async doneWhenThere(effect: Chore): Promise<boolean> {
		const { clock, onWarning } = this.tools.parts;
		const { scope } = effect;
		const controller = new AbortController();
		const wait = { scope, controller };
		this.waits.add(wait);
		const onWait = (text: string): void => onWarning?.(`${scope}: ${effect.effect} ${text}`);
		try {
			const done = await whenThere({ clock, signal: controller.signal, onWait }, () => doChore(this.tools, effect).then(() => true));
			return done ?? false;
		} finally {
			this.waits.delete(wait);
		}
	}

	/** Runs an attempt to its end and feeds its outcome. */
	private async attempt({ seq, effect, session }: Start, seat: Seat): Promise<void> {
		const { parts } = this.tools;
		parts.crashPoint?.(`start ${effect.effect}`);
		const { signal } = session.controller;
		session.begun = true;
		try {
			const spent: Spent = {};
			const outcome = await this.options.around(effect, () => runAttempt(this.tools, effect, signal, seat, spent), signal);
			const at = parts.clock.now();
			const { scope, step, attempt } = effect;
			if (outcome !== null) return await this.options.feed({ type: "attempt_ended", at, scope, step, attempt, outcome }, { done: [seq] });
			const reason = String(signal.reason ?? "cancelled");
			await this.options.feed({ type: "attempt_cancelled", at, scope, step, attempt, reason, ...spent }, { done: [seq] });
		} finally {
			this.sessions.delete(session);
		}
	}
}

export const keyOf = (id: AttemptId): string => `${id.scope} ${id.step} ${id.attempt}`;
