// Several processes that share one run, each with its own repository object and its own view of the store. Lanes go to whoever takes their lease
// first. One process can be killed at any of its operations, or lose a lane while it goes on.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isDue } from "../../core/merge/queue.ts";
import type { RunState } from "../../core/model.ts";
import { laneOf } from "../../core/query.ts";
import type { Store, Travelling } from "../../store.ts";
import type { EngineParts } from "../parts.ts";
import { type LaneEnd, SharedEngine } from "../shared-engine.ts";
import { partsOf, STORE } from "./engine-parts.suite.ts";
import type { Harness } from "./harness.suite.ts";
import { type Decide, Life } from "./life.suite.ts";
import { MemoryRepository } from "./memory-repository.suite.ts";
import { settled } from "./virtual-clock.suite.ts";

const LOOK_MS = 100;
const LEASE_MS = 60_000;

export interface Worker {
	readonly life: Life;
	/** The lanes that it worked on, in the order in which it ended with them. */
	readonly ended: { readonly lane: string; readonly how: LaneEnd }[];
	/** Tells it that another process may have this lane. */
	lose(lane: string): void;
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
	readonly onTick?: (workers: readonly Worker[]) => void | Promise<void>;
}

/** `decisions`: of each worker, when it dies. */
export async function share(
	harness: Harness,
	decisions: readonly (Decide | undefined)[],
	{ lanes = 2, parts = {}, onTick }: SharedOptions = {},
): Promise<SharedRun> {
	const workers = decisions.map((decide, n) => {
		// As on a machine of its own.
		const sharedDir = join(harness.sharedDir, `machine-${n}`);
		mkdirSync(sharedDir, { recursive: true });
		return new TestWorker(harness, decide, lanes, { ...parts, sharedDir });
	});
	try {
		await harness.clock.runUntil(Promise.all(workers.map((worker) => worker.run(() => onTick?.(workers)))));
	} finally {
		for (const worker of workers) await worker.end();
	}
	return { state: await harness.state(), workers };
}

class TestWorker implements Worker {
	readonly life: Life;
	readonly ended: { lane: string; how: LaneEnd }[] = [];
	private readonly harness: Harness;
	private readonly most: number;
	private readonly parts: Partial<EngineParts>;
	private readonly store: Store & Travelling;
	private readonly repository: MemoryRepository;
	private readonly working = new Map<string, { readonly lost: AbortController; readonly end: Promise<void> }>();

	constructor(harness: Harness, decide: Decide | undefined, most: number, parts: Partial<EngineParts>) {
		this.harness = harness;
		this.most = most;
		this.parts = parts;
		this.life = new Life(harness.clock, decide);
		this.store = harness.store.open(harness.clock.now);
		this.repository = new MemoryRepository(harness.site);
	}

	lose(lane: string): void {
		this.harness.store.expire(this.harness.run, lane);
		this.working.get(lane)?.lost.abort();
	}

	async run(onTick: () => void | Promise<void>): Promise<void> {
		const store = this.life.wrap(this.store, STORE, ["watch"]);
		await Promise.race([this.life.killed, this.serve(store, onTick)]);
		// The system frees what a process held when it dies.
		if (this.life.dead) await this.store.close();
	}

	async end(): Promise<void> {
		this.life.kill();
		await settled();
		this.repository.die();
		await this.store.close();
	}

	private async serve(store: Store & Travelling, onTick: () => void | Promise<void>): Promise<void> {
		const { harness, life } = this;
		const storage = { store, rows: harness.rows, secrets: harness.secrets, crashPoint: life.point };
		const engine = await SharedEngine.open(() => ({ ...partsOf(harness, life, this.repository), ...this.parts }), storage, harness.run);
		if (engine === null) throw new Error("there is no run");
		for (;;) {
			await engine.look();
			const pending = await store.pending(harness.run);
			if (engine.state.status !== "running" && pending.length === 0 && this.working.size === 0) break;
			const due = pending.filter(({ effect }) => isDue(engine.state, effect));
			for (const lane of new Set(due.map(({ effect }) => laneOf(engine.state, effect.scope)))) await this.take(store, engine, lane);
			await onTick();
			await new Promise<void>((later) => life.clock.after(LOOK_MS, later));
		}
		await engine.close();
		await engine.removeWorktrees();
	}

	private async take(store: Store, engine: SharedEngine, lane: string): Promise<void> {
		if (this.working.has(lane) || this.working.size >= this.most) return;
		const lease = await store.lease(this.harness.run, lane, LEASE_MS);
		if (lease === null) return;
		const lost = new AbortController();
		const end = engine.work(lane, lease, lost.signal).then(async (how) => {
			this.ended.push({ lane, how });
			await lease.release();
			this.working.delete(lane);
		});
		this.working.set(lane, { lost, end });
		end.catch((error: unknown) => {
			if (!this.life.dead) throw error;
		});
	}
}
