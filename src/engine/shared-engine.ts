// The engine of a process that shares a run with others, perhaps on other machines: it carries out the lanes that it holds a lease on, and decides
// on what all of them have committed. Nobody owns the run. An effect belongs to whoever holds its lane; what a process commits for other lanes
// their holders find in the store.
import { join } from "node:path";
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import type { Outcome } from "../core/input.ts";
import { publishedFact } from "../core/mark.ts";
import { isDue, mergeQueue } from "../core/merge/queue.ts";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { isOneLane, isOver, laneOf, nextWake } from "../core/query.ts";
import type { Lease, PendingEffect, Store, Travelling, Watch } from "../store.ts";
import { WorkspaceError } from "../workspace.ts";
import { forgetSessions } from "./attempt/kept-session.ts";
import { NOTHING, type StartAttempt, waitOf } from "./attempt/live-attempt.ts";
import { attemptLog } from "./attempt/mark.ts";
import { typeOfEffect } from "./attempt/prepare.ts";
import { type AttemptOver, Carrier } from "./carrier.ts";
import type { Occupants } from "./occupants.ts";
import type { EngineParts } from "./parts.ts";
import { leftBehind } from "./recover.ts";
import { whenThere } from "./remote-away.ts";
import { type Committed, type Notes, Run, RunConflict, type RunStorage } from "./run.ts";
import { type Tools, toolsOf } from "./tools.ts";
import { LogShipper } from "./travel/log-shipper.ts";
import { RunFiles } from "./travel/run-files.ts";
import { standingIn } from "./workspaces.ts";

/** How the work on a lane ended: nothing is left to do there, somebody has to go on, or another process has it by now. */
export type LaneEnd = "done" | "left" | "lost";

export interface SharedStorage extends RunStorage {
	readonly store: Store & Travelling;
}

export interface SharedParts extends EngineParts {
	readonly occupants: Occupants;
}

interface HeldLane {
	readonly lease: Lease;
	readonly handOver: AbortSignal | undefined;
	lost: boolean;
	/** What its earlier holder left was looked at. Until then nothing of it is begun: an attempt that had begun elsewhere is lost, and must not begin again. */
	recovered: boolean;
}

export class SharedEngine {
	private readonly parts: EngineParts;
	private readonly tools: Tools;
	private readonly run: Run;
	private readonly send: (lanes: readonly string[]) => Promise<void>;
	private readonly carrier: Carrier;
	private readonly shipper: LogShipper;
	private readonly files: RunFiles;
	private filing: Promise<void> = Promise.resolve();
	private readonly lanes: Map<string, HeldLane>;
	/** Effects that were taken up here, by their number → the lane. */
	private readonly known = new Map<number, string>();
	private readonly watch: Watch;
	private looking: Promise<unknown> = Promise.resolve();
	/** The story whose turn it is to merge. */
	private turn: string | null;
	private failure: { readonly error: unknown } | null = null;

	/** `send`: called with lanes that have got something to do by a commit of this process, and are not its own. null if there is no such run. */
	static async open(
		parts: (state: RunState) => SharedParts | Promise<SharedParts>,
		storage: SharedStorage,
		id: string,
		send: (lanes: readonly string[]) => Promise<void> = async () => {},
	): Promise<SharedEngine | null> {
		const lanes = new Map<string, HeldLane>();
		// A lane that was lost keeps its lease until its work here has ended: what that still commits has to be refused.
		const leaseOf = (state: RunState, scope: string): Lease | null => lanes.get(laneOf(state, scope))?.lease ?? null;
		const opened = await Run.share(storage, id, leaseOf);
		if (opened === null) return null;
		const engine = new SharedEngine({ ...(await parts(opened.run.state)), ownLogs: true }, storage.store, opened.run, lanes, send);
		engine.tools.projector.apply(opened.events, opened.run.state);
		return engine;
	}

	private constructor(
		parts: EngineParts,
		store: Travelling,
		run: Run,
		lanes: Map<string, HeldLane>,
		send: (lanes: readonly string[]) => Promise<void>,
	) {
		this.parts = parts;
		this.send = send;
		this.run = run;
		this.lanes = lanes;
		this.turn = turnIn(run.state);
		this.tools = toolsOf(
			parts,
			run,
			(error) => this.fail(error),
			(story, next) => this.vacate(story, next),
		);
		const { clock, logMax: max = Number.POSITIVE_INFINITY, logsEveryMs: everyMs, sharedDir: folder, secrets } = parts;
		this.shipper = new LogShipper({ store, run: run.id, clock, max, everyMs });
		this.files = new RunFiles({ store, run: run.id, folder, secrets, warn: (text) => parts.onWarning?.(text) });
		this.carrier = new Carrier(this.tools, {
			laneOf: (scope) => laneOf(run.state, scope),
			feed: (input, notes) => this.feedWithFiles(input, notes),
			onDone: (seq, { scope }) => this.noteDone(seq, scope),
			around: (effect, attempt, signal) => this.around(effect, attempt, signal),
			onForeignCancel: (seq) => run.noteDone(seq),
			onError: (error, scope) => this.failIn(scope, error),
			onIdle: () => {},
		});
		run.onCommitted((committed) => this.committed(committed));
		this.watch = run.store.watch(run.id, () => void run.refresh().catch((error: unknown) => this.fail(error)));
	}

	get state(): RunState {
		return this.run.state;
	}

	/** It cannot continue in any lane. */
	get failed(): boolean {
		return this.failure !== null;
	}

	/** Works on a lane until nothing is left to do there. `lost`: another process may have the lane. `handOver`: no attempt is begun any more, and the lane is left when
	 * what is under way has ended. Throws if this engine has `failed`. */
	async work(lane: string, lease: Lease, lost: AbortSignal, handOver?: AbortSignal): Promise<LaneEnd> {
		if (this.lanes.has(lane)) throw new Error(`this process works on ${lane} of run ${this.run.id} already`);
		const held: HeldLane = { lease, handOver, lost: lost.aborted, recovered: false };
		this.lanes.set(lane, held);
		const onLost = (): void => this.lose(lane);
		lost.addEventListener("abort", onLost, { once: true });
		try {
			this.carrier.openLane(lane);
			this.tools.workspaces.forget(lane);
			await this.run.refresh();
			await this.inTurn(async () => {
				await this.files.bring(this.state);
				await this.files.takeOver(this.state, lane);
			});
			await this.recover(lane, held);
			do {
				await this.drained(lane);
				await this.takeUp();
				if (!this.isBusy(lane)) await this.run.settle();
			} while (!held.lost && this.failure === null && (this.isBusy(lane) || this.run.unsettled));
			await this.drained(lane);
			if (this.failure !== null) throw this.failure.error;
			if (held.lost) return "lost";
			return handOver?.aborted ? "left" : "done";
		} catch (error) {
			this.failIn(lane, error);
			// What was begun commits its end with the lease of this lane, or not at all.
			await this.drained(lane);
			if (this.failure === null) return "lost";
			throw error;
		} finally {
			lost.removeEventListener("abort", onLost);
			this.lanes.delete(lane);
			// Whoever has the lane next, perhaps this process again, begins with what is left there.
			for (const [seq, of] of this.known) if (of === lane) this.known.delete(seq);
		}
	}

	/** Takes up what others have done, and starts what is due by now. Returns the lanes that have something to do and are not this process's: whoever made it
	 * due may have died before it could tell. */
	async look(): Promise<readonly string[]> {
		await this.run.refresh();
		const [at, now] = [nextWake(this.state), this.parts.clock.now()];
		if (this.state.status === "running" && at !== null && at <= now) await this.run.feed({ type: "advance", at: now });
		const due = await this.takeUp();
		return [...new Set(due.map((effect) => laneOf(this.state, effect.scope)))].filter((lane) => !this.lanes.has(lane));
	}

	/** Ends all sessions and begins nothing more. What is left half done, the next holder of each lane takes up. */
	stop(reason: string): void {
		this.carrier.close(reason);
	}

	async close(): Promise<void> {
		this.watch.close();
		await this.carrier.drained();
		await this.looking;
		await this.tools.projector.close();
		await this.tools.workspaces.letGo();
		if (this.failure === null && isOver(this.state.status)) forgetSessions(this.parts.sharedDir);
		await this.run.close();
	}

	/** Removes the worktrees of a run that is over. Only for a process that works on no other run: that one may have the same slots by now. */
	async removeWorktrees(): Promise<void> {
		if (isOver(this.state.status)) await this.tools.workspaces.remove(this.state);
	}

	private committed({ events, effects, state, own }: Committed): void {
		this.tools.projector.apply(events, state);
		this.parts.onEvents?.(events, state);
		const before = this.turn;
		this.turn = turnIn(state);
		const next = this.turn === before ? null : this.turn;
		if (!own && !this.concerns(events, state, next)) return;
		if (events.length === 0 && effects.length === 0) return;
		// Others may have left something for a lane of this process, which comes before what was committed here: the store has all of it in order.
		this.takeUp()
			.then(() => (own ? this.tellOthers(effects, state, next) : undefined))
			.catch((error: unknown) => this.fail(error));
	}

	/** Whether what others committed can have left something for a lane of this process. With many machines most of it has not, and looking has its price;
	 * what is missed here, the next `look` finds. */
	private concerns(events: readonly Event[], state: RunState, next: string | null): boolean {
		const isHeld = (scope: string): boolean => scope === RUN_SCOPE || this.lanes.has(laneOf(state, scope));
		return (next !== null && isHeld(next)) || events.some((event) => !("scope" in event) || event.scope === null || isHeld(event.scope));
	}

	/** Only whoever commits something for a lane tells of it: otherwise every machine would, of every lane of all others. */
	private async tellOthers(effects: readonly PendingEffect[], state: RunState, next: string | null): Promise<void> {
		const scopes = [
			...effects.filter(({ effect }) => isDue(state, effect)).map(({ effect }) => effect.scope),
			...(next === null ? [] : [next]),
		];
		const others = new Set(scopes.map((scope) => laneOf(state, scope)).filter((lane) => !this.lanes.has(lane)));
		if (others.size > 0) await this.send([...others]);
	}

	/** Adds the effects of the lanes that are held which are due and not known here yet; returns all that are due and not known here. */
	private takeUp(): Promise<readonly Effect[]> {
		const looked = this.looking.then(async () => {
			const pending = await this.run.pending();
			const due = pending.filter(({ seq, effect }) => !this.known.has(seq) && isDue(this.state, effect));
			/** Lanes that are handed over: what was committed after an attempt that is not begun here follows it. */
			const handedOver = new Set<string>();
			const fresh = due.filter(({ effect }) => {
				const lane = laneOf(this.state, effect.scope);
				const held = this.lanes.get(lane);
				if (held?.handOver?.aborted && effect.effect === "start_attempt") handedOver.add(lane);
				return held?.recovered === true && !held.lost && !handedOver.has(lane);
			});
			for (const { seq, effect } of fresh) this.known.set(seq, laneOf(this.state, effect.scope));
			this.carrier.add(fresh);
			return due.map(({ effect }) => effect);
		});
		this.looking = looked.catch(() => {});
		return looked;
	}

	/** What the attempt printed and did is elsewhere before the journal says that it has ended. */
	private async around(effect: StartAttempt, run: () => Promise<Outcome | null>, signal: AbortSignal): Promise<Outcome | null> {
		const held = this.lanes.get(laneOf(this.state, effect.scope));
		if (held === undefined) throw new Error(`this process does not work on ${effect.scope} of run ${this.run.id}`);
		await this.inTurn(() => this.files.bring(this.state));
		const shipment = this.shipper.begin(effect, join(this.parts.sharedDir, attemptLog(effect)), held.lease);
		try {
			return await this.published(effect, await run(), signal);
		} finally {
			await shipment.end();
		}
	}

	/** What an attempt left in the run's folder counts if its end does. */
	private feedWithFiles(input: AttemptOver, notes: Notes): Promise<void> {
		const lane = laneOf(this.state, input.scope);
		if (!this.lanes.has(lane))
			return Promise.reject(new RunConflict(`this process does not work on ${lane} of run ${this.run.id} any more`));
		return this.inTurn(() => this.withFiles(input.scope, (files) => this.run.feed(input, { ...notes, files })));
	}

	private noteDone(seq: number, scope: string): Promise<void> {
		return this.inTurn(() =>
			this.withFiles(scope, async (files) => {
				if (files.changes.length === 0) return this.run.noteDone(seq);
				await this.run.feed({ type: "advance", at: this.parts.clock.now() }, { done: [seq], files });
			}),
		);
	}

	private async withFiles(scope: string, commit: (files: NonNullable<Notes["files"]>) => Promise<void>): Promise<void> {
		const { changes, sent } = this.files.collect(this.state, laneOf(this.state, scope));
		await commit({ scope, changes });
		sent();
	}

	/** Nobody changes what is known of the files here between a look at them and its commit. */
	private inTurn(work: () => Promise<void>): Promise<void> {
		const done = this.filing.then(work);
		this.filing = done.catch(() => {});
		return done;
	}

	/** Another machine goes on from there. An action may have put the work somewhere else: a merge that failed leaves it without what base no longer holds. */
	private async published(effect: StartAttempt, outcome: Outcome | null, signal: AbortSignal): Promise<Outcome | null> {
		const { publish } = this.parts;
		if (outcome === null || publish === undefined) return outcome;
		const { scope, step, attempt } = effect;
		const isAction = typeOfEffect(this.tools, effect)?.kind === "action";
		if (isAction && (outcome.signal === "merged" || standingIn(this.state, scope) === undefined)) return outcome;
		try {
			const workspace = await this.tools.workspaces.of(this.state, scope);
			if (isAction && (await workspace.point()).commit === standingIn(this.state, scope)?.commit) return outcome;
			// The work is safe in its worktree, and the session has cost what it cost.
			const commit = await whenThere(waitOf(this.tools, effect, signal), () =>
				publish({ run: this.run.id, scope, step, attempt, workspace }),
			);
			return commit === null ? null : { ...outcome, facts: { ...outcome.facts, ...publishedFact(commit) } };
		} catch (error) {
			if (!(error instanceof WorkspaceError)) throw error;
			return { ...NOTHING, signal: "workspace_error", error: error.message, usage: outcome.usage, edits: outcome.edits };
		}
	}

	/** What an earlier holder of the lane began, it has lost. */
	private async recover(lane: string, held: HeldLane): Promise<void> {
		const isMeant = (effect: Effect): boolean => laneOf(this.state, effect.scope) === lane;
		const looked = this.looking.then(async () => {
			const { effects, lost } = await leftBehind(this.tools, () => true, isMeant);
			const fresh = effects.filter(({ seq, effect }) => !this.known.has(seq) && isDue(this.state, effect));
			for (const { seq } of [...fresh, ...lost]) this.known.set(seq, lane);
			held.recovered = true;
			this.carrier.add(fresh);
			return lost;
		});
		this.looking = looked.catch(() => {});
		for (const { seq, input } of await looked) await this.run.feed(input, { done: [seq] });
	}

	private isBusy(lane: string): boolean {
		return isOneLane(this.state) ? this.carrier.busy : this.carrier.isBusy(lane);
	}

	private drained(lane: string): Promise<void> {
		return this.carrier.drained(isOneLane(this.state) ? undefined : lane);
	}

	private failIn(scope: string, error: unknown): void {
		if (error instanceof RunConflict) this.lose(laneOf(this.state, scope));
		else this.fail(error);
	}

	/** The journal has given the slot of a story to the next one, so another process has finished that story; this one may not know yet that it lost the lane, and
	 * its session may still write there. */
	private async vacate(story: string, next: string | null): Promise<void> {
		const lane = laneOf(this.state, story);
		if (next !== null && laneOf(this.state, next) === lane) return;
		this.lose(lane);
		await this.drained(lane);
	}

	private lose(lane: string): void {
		const held = this.lanes.get(lane);
		if (held === undefined) return;
		held.lost = true;
		this.carrier.closeLane(lane, "another process has this lane");
	}

	private fail(error: unknown): void {
		this.failure ??= { error };
		// Nobody works with this engine any more, and what others commit is no news to it.
		this.watch.close();
		this.carrier.close("the engine failed");
	}
}

const turnIn = (state: RunState): string | null => mergeQueue(state)[0]?.scope ?? null;
