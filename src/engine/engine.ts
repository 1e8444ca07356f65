// The loop around the core: decide, commit, then act. Nothing is done that was not committed before; what was committed
// and not noted as done is done again after a crash. One engine a run, held by the store's lock.
import { fold } from "../core/apply.ts";
import type { Effect } from "../core/effect.ts";
import type { Input, Outcome } from "../core/input.ts";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { findStep, nextWake, runningAttempts, typeOf } from "../core/query.ts";
import { transition } from "../core/transition.ts";
import { sweep, sweepNow } from "../process.ts";
import type { PendingEffect } from "../store.ts";
import { WorkspaceError } from "../workspace.ts";
import { type AttemptContext, logOf, NOTHING, runAgentAttempt } from "./agent-attempt.ts";
import { AgentChoice } from "./agent-choice.ts";
import { doChore, type Tools } from "./chores.ts";
import { commit } from "./commit.ts";
import { EditFiles } from "./edit-file.ts";
import { removeInbox } from "./inbox.ts";
import { Mail } from "./mail.ts";
import { markOf } from "./mark.ts";
import { runAction, runCommandStep } from "./own-work.ts";
import type { EngineParts } from "./parts.ts";
import { Projector } from "./projector.ts";
import { Round, type Seat } from "./round.ts";
import { Scratch } from "./scratch.ts";
import { Workspaces } from "./workspaces.ts";

const INBOX_MS = 200;
/** A timer beyond this fires at once (2^31); a long wait is cut into pieces. */
const LONGEST_TIMER_MS = 60 * 60_000;

type Of<E extends Effect["effect"]> = Extract<Effect, { effect: E }>;

export class Engine implements Tools {
	readonly parts: EngineParts;
	private state: RunState;
	private readonly projector: Projector;
	readonly scratch: Scratch;
	readonly edits: EditFiles;
	readonly workspaces: Workspaces;
	private readonly mail: Mail;
	private readonly choice = new AgentChoice();
	/** Effects of one scope are done one after the other. */
	private readonly lanes = new Map<string, Promise<void>>();
	private readonly controllers = new Map<string, AbortController>();
	/** Done, to be noted with the next commit. */
	private settled: number[] = [];
	private busy = 0;
	private wake: NodeJS.Timeout | null = null;
	private seen = -1;
	private failure: { readonly error: unknown } | null = null;
	private finish: (() => void) | null = null;
	/** What a crash left may look like a halt before the first inputs are in. */
	private begun = false;

	constructor(parts: EngineParts, state: RunState) {
		this.parts = parts;
		this.state = state;
		this.projector = new Projector(parts.projections(state), (error) => this.fail(error));
		this.scratch = new Scratch(parts.sharedDir);
		this.edits = new EditFiles(parts.sharedDir);
		this.workspaces = new Workspaces(parts.repository);
		this.mail = new Mail(parts, async (now) => ({
			state: now,
			workspace: await this.workspaces.of(now, RUN_SCOPE),
			sharedDir: parts.sharedDir,
			now: parts.now,
		}));
	}

	/** Reads a run from the store; null where there is none. */
	static load(parts: EngineParts): Engine | null {
		const events = parts.store.events(parts.run);
		const state = fold(events);
		if (state === null) return null;
		const engine = new Engine(parts, state);
		engine.projector.apply(events, state);
		return engine;
	}

	get current(): RunState {
		return this.state;
	}

	/** Goes on until the run has come to a halt: ended, or waiting, or stopped. Throws where the engine itself cannot go on. */
	async run(first: readonly Input[] = [{ type: "advance", at: this.parts.now() }]): Promise<RunState> {
		const halted = new Promise<void>((resolve) => {
			this.finish = resolve;
		});
		const inbox = setInterval(() => {
			this.guard(() => this.readInbox());
			if (!this.mail.busy && this.begun && this.state.status === "running") void this.readMail();
		}, INBOX_MS);
		try {
			await this.recover();
			await this.readMail();
			for (const input of first) this.feed(input);
			this.readInbox();
			this.begun = true;
			this.look();
			await halted;
		} finally {
			clearInterval(inbox);
			await this.mail.idle();
			if (this.wake !== null) clearTimeout(this.wake);
			for (const controller of this.controllers.values()) controller.abort();
			await Promise.all(this.lanes.values());
			await this.projector.close();
		}
		this.parts.crashPoint?.("halted");
		if (this.failure === null && ["completed", "failed", "cancelled"].includes(this.state.status)) await this.workspaces.close(this.state);
		this.parts.crashPoint?.("closed");
		// Last: what is not noted as done brings a resume after a crash to this place again, where it puts the worktrees away.
		if (this.settled.length > 0) this.parts.store.settle(this.parts.run, this.settled);
		if (this.failure !== null) throw this.failure.error;
		return this.state;
	}

	stop(how: "pause" | "cancel" | "interrupt"): void {
		this.guard(() => this.feed({ type: "stop", at: this.parts.now(), how }));
	}

	/** For a process that exits now: nothing that it started may stay. What this leaves half done, a resume takes up. */
	kill(): void {
		for (const { scope, step, attempt } of runningAttempts(this.state))
			sweepNow(markOf(this.parts.run, { scope, step: step.id, attempt: attempt.number }));
	}

	/** One input: decided, committed, shown, its effects under way. */
	private feed(input: Input, done: readonly number[] = [], taken: readonly number[] = []): void {
		const next = transition(this.state, input);
		if (next.state === null) return;
		const settled = [...this.settled, ...done];
		if (next.events.length === 0 && settled.length === 0 && taken.length === 0) return;
		this.parts.crashPoint?.(`before ${input.type}`);
		const effects = commit(this.parts, this.state, input.at, { ...next, state: next.state }, { done: settled, taken });
		this.settled = [];
		this.state = next.state;
		this.parts.crashPoint?.(`after ${input.type}`);
		this.projector.apply(next.events, next.state);
		this.parts.onEvents?.(next.events, next.state);
		this.enqueue(effects);
		this.look();
	}

	private enqueue(effects: readonly PendingEffect[]): void {
		const starts = new Map<string, PendingEffect[]>();
		const flush = (scope: string) => {
			const batch = starts.get(scope);
			starts.delete(scope);
			if (batch) void this.inLane(scope, () => this.together(batch));
		};
		for (const pending of effects) {
			const { effect } = pending;
			if (effect.effect === "cancel_attempt") {
				this.controllers.get(key(effect))?.abort(effect.reason);
				this.settled.push(pending.seq);
			} else if (effect.effect === "start_attempt") {
				// The members of a gate start together.
				starts.set(effect.scope, [...(starts.get(effect.scope) ?? []), pending]);
			} else {
				flush(effect.scope);
				const done = this.inLane(effect.scope, () => this.carryOut(pending));
				if (effect.effect === "release_story") this.workspaces.willRelease(effect.slot, effect.scope, done);
			}
		}
		for (const scope of [...starts.keys()]) flush(scope);
	}

	private async together(batch: readonly PendingEffect[]): Promise<void> {
		const round = new Round(batch.length);
		const seats = batch.map((pending) => ({ pending, seat: round.seat() }));
		await Promise.all(seats.map(({ pending, seat }) => this.carryOut(pending, seat).finally(() => seat.leave())));
	}

	private inLane(scope: string, work: () => Promise<void>): Promise<void> {
		this.busy++;
		const lane = (this.lanes.get(scope) ?? Promise.resolve())
			.then(() => (this.failure === null ? work() : undefined))
			.catch((error: unknown) => this.fail(error))
			.finally(() => {
				this.busy--;
				this.look();
			});
		this.lanes.set(scope, lane);
		return lane;
	}

	private async carryOut({ seq, effect }: PendingEffect, seat?: Seat): Promise<void> {
		this.parts.crashPoint?.(`start ${effect.effect}`);
		if (effect.effect === "start_attempt") return this.attempt(seq, effect, seat);
		// What it cancels was told when it was committed.
		if (effect.effect !== "cancel_attempt") await doChore(this, this.state, effect);
		this.parts.crashPoint?.(`done ${effect.effect}`);
		this.settled.push(seq);
	}

	/** Runs a step to its end and feeds what came of it. */
	private async attempt(seq: number, effect: Of<"start_attempt">, seat?: Seat): Promise<void> {
		const controller = new AbortController();
		this.controllers.set(key(effect), controller);
		try {
			const outcome = await this.outcomeOf(effect, controller.signal, seat);
			// What was left there in the meantime counts before the next one starts.
			await this.readMail();
			const at = this.parts.now();
			const { scope, step, attempt } = effect;
			if (outcome === null)
				this.feed({ type: "attempt_cancelled", at, scope, step, attempt, reason: String(controller.signal.reason ?? "cancelled") }, [seq]);
			else this.feed({ type: "attempt_ended", at, scope, step, attempt, outcome }, [seq]);
		} finally {
			this.controllers.delete(key(effect));
		}
	}

	private async outcomeOf(effect: Of<"start_attempt">, signal: AbortSignal, seat?: Seat): Promise<Outcome | null> {
		try {
			const step = findStep(this.state, effect.scope, effect.step);
			const type = step && typeOf(this.state, step);
			if (!step || !type) return { ...NOTHING, signal: "agent_error", error: "the step is gone" };
			if (signal.aborted) return null;
			if (type.kind !== "gate") seat?.leave();
			const workspace = await this.workspaces.of(this.state, effect.scope);
			const branch = await this.workspaces.branchOf(this.state);
			if (type.kind === "action")
				return await runAction({
					parts: this.parts,
					state: this.state,
					scope: effect.scope,
					step,
					workspace,
					mark: markOf(this.parts.run, effect),
					signal,
				});
			const point = await workspace.point();
			const label = `${effect.scope}-${effect.step}-${effect.attempt}`;
			if (type.kind !== "command" && (await this.edits.clear(effect.scope, label)))
				this.parts.onWarning?.(`an edit file for ${effect.scope} that nobody was asked for was set aside`);
			this.feed({
				type: "attempt_prepared",
				at: this.parts.now(),
				scope: effect.scope,
				step: effect.step,
				attempt: effect.attempt,
				commit: point.commit,
				log: logOf(effect.scope, effect.step),
				...(branch === null ? {} : { branch }),
			});
			await this.projector.flush();
			this.parts.crashPoint?.("prepared");
			const prepared = findStep(this.state, effect.scope, effect.step) ?? step;
			const context: AttemptContext = {
				parts: this.parts,
				state: this.state,
				scope: effect.scope,
				step: prepared,
				type,
				attempt: effect.attempt,
				role: effect.role,
				workspace,
				point,
				mark: markOf(this.parts.run, effect),
				scratch: this.scratch,
				edits: this.edits,
				choice: this.choice,
				signal,
				...(seat ? { seat } : {}),
			};
			return type.kind === "command" ? await runCommandStep(context) : await runAgentAttempt(context);
		} catch (error) {
			if (error instanceof WorkspaceError) return { ...NOTHING, signal: "workspace_error", error: error.message };
			throw error;
		}
	}

	/** Attempts whose engine is gone: their processes are ended, then the core decides how to go on. */
	private async recover(): Promise<void> {
		const pending = this.parts.store.pending(this.parts.run);
		const running = runningAttempts(this.state).filter((r) => r.attempt.role !== "");
		const begun = running.filter((r) => r.step.log !== null);
		// Those without a log as well: the checks of a merge have none.
		await Promise.all(running.map((r) => sweep(markOf(this.parts.run, { scope: r.scope, step: r.step.id, attempt: r.attempt.number }))));
		const { sharedDir } = this.parts;
		await Promise.all(running.map((r) => removeInbox({ sharedDir, scope: r.scope, step: r.step.id, attempt: r.attempt.number })));
		const lost: { readonly seqs: number[]; readonly input: Input }[] = [];
		const rest: PendingEffect[] = [];
		for (const entry of pending) {
			const { effect } = entry;
			if (effect.effect !== "start_attempt") rest.push(entry);
			else if (!running.some((r) => sameAttempt(r, effect))) this.settled.push(entry.seq);
			else if (begun.some((r) => sameAttempt(r, effect)))
				lost.push({
					seqs: [entry.seq],
					input: { type: "attempt_lost", at: this.parts.now(), scope: effect.scope, step: effect.step, attempt: effect.attempt },
				});
			else rest.push(entry);
		}
		// What was left to do before the attempt was lost comes first, in its order.
		this.enqueue(rest);
		for (const { seqs, input } of lost) this.feed(input, seqs);
	}

	private readMail(): Promise<void> {
		return this.mail
			.look(
				() => this.state,
				(inbox, id, message) => this.feed({ type: "message", at: this.parts.now(), inbox, id, message }),
			)
			.catch((error: unknown) => this.fail(error));
	}

	private readInbox(): void {
		const changes = this.parts.store.changes();
		if (changes === this.seen) return;
		this.seen = changes;
		for (const { id, input } of this.parts.store.inbox(this.parts.run)) this.feed({ ...input, at: this.parts.now() }, [], [id]);
	}

	/** Is the run at a halt? If it only waits for a time, wake up then. */
	private look(): void {
		if (this.busy > 0 || (!this.begun && this.failure === null)) return;
		if (this.failure !== null || this.state.status !== "running") return this.finish?.();
		const at = nextWake(this.state);
		if (at === null || this.wake !== null) return;
		const wait = Math.min(Math.max(0, at - this.parts.now()), LONGEST_TIMER_MS);
		this.wake = setTimeout(() => {
			this.wake = null;
			this.guard(() => this.feed({ type: "advance", at: this.parts.now() }));
			this.look();
		}, wait);
	}

	private guard(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.fail(error);
		}
	}

	/** The engine itself cannot go on: what runs is ended, the journal stays as it is, a later resume takes over. */
	private fail(error: unknown): void {
		this.failure ??= { error };
		for (const controller of this.controllers.values()) controller.abort("the engine failed");
		this.look();
	}
}

const key = (e: { readonly scope: string; readonly step: string; readonly attempt: number }): string => `${e.scope} ${e.step} ${e.attempt}`;
const sameAttempt = (r: ReturnType<typeof runningAttempts>[number], e: Of<"start_attempt">): boolean =>
	r.scope === e.scope && r.step.id === e.step && r.attempt.number === e.attempt;
