// The loop around a run: committed effects are carried out, and their outcomes are fed back in. After a crash, effects that were committed
// and not noted as done are carried out again. One engine drives a run, under the store's lease; it starts the sessions itself, or agents
// claim them (pull.ts).
import type { Input } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { attemptOf, findStep, isOver, nextWake, runningAttempts, workspaceOf } from "../core/query.ts";
import type { PendingEffect, Watch } from "../store.ts";
import { WorkspaceError } from "../workspace.ts";
import { realProcesses } from "./attempt/checks.ts";
import { forgetSessions } from "./attempt/kept-session.ts";
import type { AttemptId, StartAttempt } from "./attempt/live-attempt.ts";
import { markOf } from "./attempt/mark.ts";
import { typeOfEffect } from "./attempt/prepare.ts";
import { Carrier, keyOf } from "./carrier.ts";
import type { Chore } from "./chores.ts";
import { ControlFilesReader } from "./control-files.ts";
import type { EngineParts } from "./parts.ts";
import { PointlessTries } from "./pointless.ts";
import { leftBehind } from "./recover.ts";
import type { Committed, Notes, Opened, Run } from "./run.ts";
import { type Tools, toolsOf } from "./tools.ts";

const CONTROL_FILES_MS = 200;
/** How often the engine looks whether something has changed that a step waits for. */
const LOOK_AGAIN_MS = 10_000;

/** Who runs the sessions: this engine, or agents that claim them. */
export type Sessions = "ours" | "claimed";

type StopHow = "pause" | "cancel" | "interrupt";

export class Engine {
	readonly tools: Tools;
	private readonly parts: EngineParts;
	private readonly opened: Run;
	private readonly sessions: Sessions;
	private readonly carrier: Carrier;
	private readonly controlFiles: ControlFilesReader;
	private readonly pointless: PointlessTries;
	/** Inputs that are being decided. */
	private feeding = 0;
	private reading: Promise<void> = Promise.resolve();
	private watch: Watch | null = null;
	/** The wait that ended last, and the version of the run at that time. */
	private woken: { readonly at: number; readonly version: number } | null = null;
	private wake: { readonly at: number; cancel(): void } | null = null;
	private polling: (() => void) | null = null;
	private failure: { readonly error: unknown } | null = null;
	private halted: (() => void) | null = null;
	/** Until the first inputs are in, a run that a crash interrupted may look like one that has nothing left to do. */
	private begun = false;
	/** Somebody wanted to stop the run before it had begun. */
	private stopFirst: StopHow | null = null;

	constructor(parts: EngineParts, { run, events }: Opened, sessions: Sessions = "ours") {
		this.parts = parts;
		this.opened = run;
		this.sessions = sessions;
		this.tools = toolsOf(parts, run, (error) => this.fail(error));
		this.carrier = new Carrier(this.tools, {
			feed: (input, notes) => this.feed(input, notes),
			// A message that was left meanwhile counts before the next attempt starts.
			around: async (_, attempt) => {
				const outcome = await attempt();
				await this.controlFiles.read();
				return outcome;
			},
			onDone: (seq, effect) => this.noteDone(seq, effect),
			onForeignCancel: (seq, id, reason) => this.cancel(seq, id, reason),
			onError: (error) => this.fail(error),
			onIdle: () => this.look(),
		});
		this.pointless = new PointlessTries(parts);
		this.controlFiles = new ControlFilesReader(this.tools, (input) => this.feed(input));
		this.tools.projector.apply(events, run.state);
		run.onCommitted((committed) => this.committed(committed));
	}

	get state(): RunState {
		return this.opened.state;
	}

	/** Drives the run until it has ended, waits for a person, or was stopped. Throws if the engine itself cannot continue. */
	async run(first: readonly Input[] = [{ type: "advance", at: this.parts.clock.now() }]): Promise<RunState> {
		try {
			await this.begin(first);
			await this.quiet();
		} finally {
			await this.close();
		}
		return this.state;
	}

	/** Carries out what a crash left pending, then feeds these inputs, then those in the inbox. */
	async begin(first: readonly Input[]): Promise<void> {
		try {
			await this.takeUp(first);
		} catch (error) {
			// What is in the queue by now is not begun.
			this.fail(error);
			throw error;
		}
	}

	private async takeUp(first: readonly Input[]): Promise<void> {
		if (this.sessions === "ours")
			this.watch = this.opened.store.watch(this.opened.id, () => {
				// Before that a wish to stop would be undone by the resume that is about to be fed.
				if (this.begun) this.guard(() => this.readInbox());
			});
		const { effects, lost } = await leftBehind(this.tools, (effect) => !this.isClaimed(effect));
		this.enqueue(effects);
		for (const { seq, input } of lost) await this.feed(input, { done: [seq] });
		await this.controlFiles.read();
		for (const input of first) await this.feed(input);
		await this.readInbox();
		this.begun = true;
		if (this.stopFirst !== null) this.stop(this.stopFirst);
		// Something may have come in while the inbox was read.
		if (this.watch !== null) this.guard(() => this.readInbox());
		this.pollControlFiles();
		this.look();
	}

	/** Resolves when this engine waits for nothing more. Throws if it cannot continue: then nothing more may be claimed either. */
	async quiet(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.halted = resolve;
			this.look();
		});
		if (this.failure !== null) throw this.failure.error;
	}

	async close(): Promise<void> {
		this.watch?.close();
		this.polling?.();
		this.wake?.cancel();
		this.carrier.abort();
		await this.reading;
		await this.controlFiles.idle();
		await this.carrier.drained();
		await this.tools.projector.close();
		await this.tools.workspaces.letGo();
		this.parts.crashPoint?.("halted");
		if (this.failure === null && isOver(this.state.status)) {
			forgetSessions(this.parts.sharedDir);
			await this.keepReceipts();
			await this.tools.workspaces.remove(this.state);
		}
		this.parts.crashPoint?.("closed");
		// Last, so that after a crash there is something pending and a resume comes here again and removes the worktrees.
		await this.opened.close();
		if (this.failure !== null) throw this.failure.error;
	}

	/** The work is delivered, with or without them. */
	private async keepReceipts(): Promise<void> {
		await this.parts.keepReceipts?.(this.state).catch((error: unknown) => {
			if (!(error instanceof WorkspaceError)) throw error;
			this.parts.onWarning?.(`the receipts of the commits could not be kept: ${error.message}`);
		});
		this.parts.crashPoint?.("receipts");
	}

	stop(how: StopHow): void {
		if (!this.begun) this.stopFirst = how;
		else this.guard(() => this.feed({ type: "stop", at: this.parts.clock.now(), how }));
	}

	/** For a process that exits now: ends everything that it started. A resume continues from what this leaves half done. */
	kill(): void {
		const { processes = realProcesses } = this.parts;
		for (const { scope, step, attempt } of runningAttempts(this.state))
			processes.sweepNow(markOf(this.opened.id, { scope, step: step.id, attempt: attempt.number }));
	}

	async feed(input: Input, notes: Notes = {}): Promise<void> {
		this.feeding++;
		try {
			await this.opened.feed(input, notes);
		} finally {
			this.feeding--;
			this.look();
		}
	}

	private committed({ events, effects, state }: Committed): void {
		this.tools.projector.apply(events, state);
		this.parts.onEvents?.(events, state);
		this.enqueue(effects);
	}

	/** A session that is to be claimed stays pending. */
	private enqueue(effects: readonly PendingEffect[]): void {
		this.carrier.add(effects.filter(({ effect }) => effect.effect !== "start_attempt" || !this.isClaimed(effect)));
	}

	/** Where a person may go on at once, it is noted at once: a rollback that is done again would be done on top of what they have changed since. */
	private async noteDone(seq: number, { effect }: Chore): Promise<void> {
		this.opened.noteDone(seq);
		if (effect === "rollback" && workspaceOf(this.state) === "tree") await this.opened.settle();
	}

	/** A session of this engine that has ended needs nothing; for a claimed one the end is reported here. */
	private cancel(seq: number, { scope, step, attempt }: AttemptId, reason: string): void {
		if (this.sessions === "ours") return this.opened.noteDone(seq);
		const id = { scope, step, attempt };
		void this.carrier.inLane(scope, async () => {
			// Killed after it had been cancelled, and before this was noted.
			if (attemptOf(findStep(this.state, scope, step), attempt) === undefined) return this.opened.noteDone(seq);
			const held = await this.opened.store.claims(this.opened.id);
			const claims = held
				.filter((claim) => keyOf(claim.data as AttemptId) === keyOf(id))
				.map((claim) => ({ ...claim, state: "released" as const }));
			await this.feed({ type: "attempt_cancelled", at: this.parts.clock.now(), ...id, reason }, { done: [seq], claims });
		});
	}

	/** An agent will come and claim this attempt. */
	private isClaimed(effect: StartAttempt): boolean {
		const kind = typeOfEffect(this.tools, effect)?.kind;
		return this.sessions === "claimed" && kind !== undefined && kind !== "action" && kind !== "command";
	}

	/** One read at a time, or an input would be taken twice. */
	private readInbox(): Promise<void> {
		const read = this.reading.then(async () => {
			for (const { id, input } of await this.opened.store.inbox(this.opened.id))
				await this.feed({ ...input, at: this.parts.clock.now() }, { taken: [id] });
		});
		this.reading = read.catch(() => {});
		return read;
	}

	/** Files do not say when they change. */
	private pollControlFiles(): void {
		if (this.sessions !== "ours" || (this.state.definition.inboxes ?? []).length === 0) return;
		this.polling = this.parts.clock.after(CONTROL_FILES_MS, () => {
			if (this.state.status === "running" && !this.controlFiles.busy) this.guard(() => this.controlFiles.read());
			this.pollControlFiles();
		});
	}

	/** Ends the loop if nothing is left to do; otherwise sets a timer for the next moment that the run waits for. */
	private look(): void {
		if (!this.begun && this.failure === null) return;
		const busy = this.carrier.busy || this.feeding > 0;
		if (!busy && (this.failure !== null || this.sessions === "claimed" || this.state.status !== "running")) return this.halted?.();
		if (this.sessions === "ours" && this.state.status === "running") this.wakeAt(nextWake(this.state));
	}

	private wakeAt(at: number | null): void {
		if (at === this.wake?.at) return;
		this.wake?.cancel();
		this.wake = null;
		if (at === null) return;
		// Waking changed nothing (its start is held back, by a budget perhaps): the next event will ask again. If somebody set the clock back since
		// then, it was too early to change anything.
		const isOld = this.woken?.at === at && this.woken.version === this.state.version;
		if (isOld && this.parts.clock.now() >= at) return;
		const cancel = this.parts.clock.after(Math.max(0, at - this.parts.clock.now()), () => {
			this.wake = null;
			// A timer may fire a moment too early: then the wait is not over, and is waited for again.
			if (this.parts.clock.now() >= at) this.woken = { at, version: this.state.version };
			this.guard(() => this.wakeUp(at));
		});
		this.wake = { at, cancel };
	}

	/** Starts what is due. Where trying again would end as before, it looks again later, and the journal is not told. */
	private async wakeUp(at: number): Promise<void> {
		const { version } = this.state;
		const pointless = await this.pointless.isPointless(this.state);
		if (!pointless) return this.feed({ type: "advance", at: this.parts.clock.now() });
		if (this.wake !== null || this.state.version !== version || this.state.status !== "running") return this.look();
		const now = this.parts.clock.now();
		const next = nextWake(this.state, now) ?? now + LOOK_AGAIN_MS;
		const cancel = this.parts.clock.after(Math.min(LOOK_AGAIN_MS, next - now), () => {
			this.wake = null;
			this.guard(() => this.wakeUp(at));
		});
		this.wake = { at, cancel };
	}

	private guard(work: () => Promise<unknown>): void {
		work().catch((error: unknown) => this.fail(error));
	}

	/** The engine itself cannot continue: ends what runs and leaves the journal as it is for a later resume. */
	private fail(error: unknown): void {
		this.failure ??= { error };
		this.carrier.close("the engine failed");
		this.look();
	}
}
