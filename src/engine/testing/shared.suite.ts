// Several processes that share one run. Lanes go to whoever takes their lease first. A process can be killed at any of its operations, stopped for a while,
// or lose a lane while it goes on; another one can take its place. They are processes of one machine, or each has a machine with a clone of its own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "../../core/input.ts";
import { isDue } from "../../core/merge/queue.ts";
import type { RunState } from "../../core/model.ts";
import { laneOf } from "../../core/query.ts";
import type { Store, Travelling } from "../../store.ts";
import { Occupants } from "../occupants.ts";
import type { AttemptWork, EngineParts } from "../parts.ts";
import { type LaneEnd, SharedEngine } from "../shared-engine.ts";
import { partsOf, STORE } from "./engine-parts.suite.ts";
import type { Harness } from "./harness.suite.ts";
import { type Decide, Life } from "./life.suite.ts";
import { MemoryRepository } from "./memory-repository.suite.ts";
import type { MemorySite } from "./memory-site.suite.ts";
import { settled } from "./virtual-clock.suite.ts";

const LOOK_MS = 100;
const LEASE_MS = 60_000;

export interface Worker {
	readonly life: Life;
	/** The lanes that it worked on, in the order in which it ended with them. */
	readonly ended: { readonly lane: string; readonly how: LaneEnd }[];
	/** The lanes of others that it told of. */
	readonly told: readonly string[];
	/** The lanes that it works on now. */
	readonly works: readonly string[];
	/** Tells it that another process may have this lane, at once or after a while in which it goes on. */
	lose(lane: string, afterMs?: number): void;
	/** It has come to its end, killed or not. */
	readonly isGone: boolean;
	/** It takes no more lanes, and leaves when those that it has are done. */
	drain(): void;
}

export interface SharedRun {
	readonly state: RunState;
	readonly workers: readonly Worker[];
}

export interface SharedOptions {
	/** How many each works on at once. */
	readonly lanes?: number;
	/** What each has besides the usual. */
	readonly parts?: Partial<EngineParts>;
	/** Each has a machine of its own: a clone, and what it publishes. Without it they have one clone, and only their folders are their own. */
	readonly machines?: boolean;
	/** Throws while the repository that the machines share is away. */
	readonly reach?: () => void;
	/** How soon a wait that is over, or a lane that nobody was told of, is noticed. */
	readonly lookMs?: number;
	readonly onBegun?: (worker: Worker, nth: number) => void;
	readonly onTick?: (workers: readonly Worker[]) => void | Promise<void>;
	/** Work on a lane failed there, or the process itself (null). By default the test fails. */
	readonly onFailed?: (error: unknown, lane: string | null) => void;
	/** A process came to its end, killed or not, and the run may not be over. The next one may take its place, after so many milliseconds, on the same machine or a new one. */
	readonly onEnded?: (worker: Worker, nth: number) => NextWorker | null;
}

export interface NextWorker {
	readonly afterMs: number;
	readonly decide?: Decide | undefined;
	readonly machine: "same" | "new";
}

/** `decisions`: of each worker, when it dies. */
export async function share(
	harness: Harness,
	decisions: readonly (Decide | undefined)[],
	{ onBegun, onTick, onEnded, ...options }: SharedOptions = {},
): Promise<SharedRun> {
	const workers: TestWorker[] = [];
	const begin = async (decide: Decide | undefined, machine: number): Promise<void> => {
		const worker = new TestWorker(harness, decide, machine, options);
		const nth = workers.push(worker) - 1;
		onBegun?.(worker, nth);
		await worker.run(() => onTick?.(workers));
		const next = onEnded?.(worker, nth) ?? null;
		if (next === null) return;
		await harness.clock.sleep(next.afterMs);
		await begin(next.decide, next.machine === "same" ? machine : Math.max(harness.machines.length, workers.length));
	};
	try {
		await harness.clock.runUntil(Promise.all(decisions.map((decide, n) => begin(decide, n))));
	} finally {
		for (const worker of workers) await worker.end();
	}
	return { state: await harness.state(), workers };
}

/** Two machines until the run halts, after a person has asked for this. A worker that is killed is not replaced. */
export async function shareToHalt(harness: Harness, inputs: readonly Input[]): Promise<RunState> {
	for (const input of inputs) await harness.ask(input);
	return (await share(harness, [undefined, undefined], { machines: true })).state;
}

class TestWorker implements Worker {
	readonly life: Life;
	readonly ended: { lane: string; how: LaneEnd }[] = [];
	readonly told: string[] = [];
	private readonly harness: Harness;
	private readonly options: SharedOptions;
	private readonly parts: Partial<EngineParts>;
	private readonly store: Store & Travelling;
	private readonly repository: MemoryRepository;
	private readonly occupants = new Occupants();
	private readonly working = new Map<string, AbortController>();
	private engine: SharedEngine | null = null;
	isGone = false;
	private draining = false;
	private wake: (() => void) | null = null;

	constructor(harness: Harness, decide: Decide | undefined, machine: number, options: SharedOptions) {
		const { machines = false, parts = {} } = options;
		const sharedDir = join(harness.sharedDir, `machine-${machine}`);
		mkdirSync(sharedDir, { recursive: true });
		this.harness = harness;
		this.options = options;
		this.life = new Life(harness.clock, decide);
		this.store = harness.store.open(harness.clock.now);
		this.repository = new MemoryRepository(machines ? machineOf(harness, machine) : harness.site, machines, options.reach);
		this.parts = { ...(machines ? this.ofMachine() : {}), ...parts, sharedDir };
	}

	get works(): readonly string[] {
		return [...this.working.keys()];
	}

	lose(lane: string, afterMs = 0): void {
		void this.harness.store.expire(this.harness.run, lane);
		const lost = this.working.get(lane);
		if (afterMs === 0) lost?.abort();
		// A dead process is told nothing.
		else this.life.clock.after(afterMs, () => lost?.abort());
	}

	drain(): void {
		this.draining = true;
		this.wake?.();
	}

	async run(onTick: () => void | Promise<void>): Promise<void> {
		const store = this.life.wrap(this.store, STORE, ["watch"]);
		const served = this.serve(store, onTick).catch((error: unknown) => {
			if (this.life.dead) return;
			if (this.options.onFailed === undefined) throw error;
			this.options.onFailed(error, null);
			this.life.kill();
		});
		await Promise.race([this.life.killed, served]);
		// The system frees what a process held when it dies.
		if (this.life.dead) await this.leave();
		this.isGone = true;
	}

	async end(): Promise<void> {
		this.life.kill();
		await settled();
		await this.leave();
	}

	private async leave(): Promise<void> {
		this.repository.die();
		await this.store.close();
	}

	private async serve(store: Store & Travelling, onTick: () => void | Promise<void>): Promise<void> {
		const { harness, life, working } = this;
		for (;;) {
			const engine = await this.opened(store);
			await engine.look();
			const pending = await store.pending(harness.run);
			if (working.size === 0 && (this.draining || (engine.state.status !== "running" && pending.length === 0))) break;
			const due = pending.filter(({ effect }) => isDue(engine.state, effect));
			for (const lane of new Set(due.map(({ effect }) => laneOf(engine.state, effect.scope)))) await this.take(store, engine, lane);
			await onTick();
			await new Promise<void>((later) => {
				const cancel = life.clock.after(this.options.lookMs ?? LOOK_MS, later);
				this.wake = () => {
					cancel();
					later();
				};
			});
		}
		await this.engine?.close();
		await this.engine?.removeWorktrees();
	}

	/** After a failure it begins anew, as a worker does. */
	private async opened(store: Store & Travelling): Promise<SharedEngine> {
		if (this.engine !== null) return this.engine;
		const { harness, life } = this;
		const storage = { store, rows: harness.rows, secrets: harness.secrets, crashPoint: life.point };
		const parts = () => ({ ...partsOf(harness, life, this.repository), occupants: this.occupants, ...this.parts });
		this.engine = await SharedEngine.open(parts, storage, harness.run, async (lanes) => {
			this.told.push(...lanes);
			this.wake?.();
		});
		if (this.engine === null) throw new Error("there is no run");
		return this.engine;
	}

	private async take(store: Store, engine: SharedEngine, lane: string): Promise<void> {
		if (this.draining || this.working.has(lane) || this.working.size >= (this.options.lanes ?? 2)) return;
		const lease = await store.lease(this.harness.run, lane, LEASE_MS);
		if (lease === null) return;
		const lost = new AbortController();
		this.working.set(lane, lost);
		void engine
			.work(lane, lease, lost.signal)
			.then(
				(how) => void this.ended.push({ lane, how }),
				(error: unknown) => {
					if (this.life.dead) return;
					if (this.engine === engine) this.engine = null;
					if (this.options.onFailed === undefined) throw error;
					this.options.onFailed(error, lane);
				},
			)
			.finally(async () => {
				await lease.release();
				this.working.delete(lane);
				this.wake?.();
			});
	}

	/** What a worker has: the run's files are written where a person follows it. */
	private ofMachine(): Partial<EngineParts> {
		const publish = async ({ scope, step, attempt, workspace }: AttemptWork): Promise<string> => {
			const { commit } = await workspace.point();
			await this.life.through("publish", () => this.repository.publish(`${scope}/${step}-${attempt}`, commit));
			return commit;
		};
		return { projections: () => [], userFiles: () => [], publish };
	}
}

function machineOf(harness: Harness, n: number): MemorySite {
	while (harness.machines.length <= n) harness.machines.push(harness.site.machine(`/memory/machine-${harness.machines.length}`, "main"));
	return harness.machines[n] ?? harness.site;
}
