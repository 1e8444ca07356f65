// Workers of one database, in this process: runs and the repository are in memory, lanes in a list, and only what starts workers is real.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { NO_AGENT } from "../../core/started-with.ts";
import { localDispatch } from "../../dispatch/local.ts";
import type { Dispatch, Tenancy } from "../../dispatch.ts";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import { castAgent, type Part, partOf } from "../../engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../engine/testing/harness.suite.ts";
import { Life } from "../../engine/testing/life.suite.ts";
import { MemoryRepository } from "../../engine/testing/memory-repository.suite.ts";
import { turnOf } from "../../engine/testing/turn.suite.ts";
import type { Clone } from "../../remote.ts";
import type { SharedStore } from "../../store.ts";
import { services } from "../../wiring.ts";
import type { RunsContext } from "../context.ts";
import { type RunningWorker, startWorker } from "./worker.ts";

const TICK_MS = 100;
/** Of a test that waits for what never comes. */
const MOST_TICKS = 3_000;

const codes: Part = ({ files, checkout, story }) => {
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return "## SUMMARY\n- done\n";
};

const OPTIONS: HarnessOptions = {
	...BUILT_IN["dynamic"]!,
	checks: {},
	stories: ["US-1"],
	options: { agents: 1 },
	shared: true,
	cast: { coding: codes, "*": "## SUMMARY\n- done\n" },
};
/** An agent that no worker has. */
const ELSEWHERE: HarnessOptions = { ...OPTIONS, options: { agents: 1, shell: { agent: { ...NO_AGENT, agent: "elsewhere" } } } };

class Fleet {
	readonly said: string[] = [];
	/** The clones and stores that were closed. */
	readonly closed: string[] = [];
	/** Changes what the next worker is given. */
	store: (of: SharedStore) => SharedStore = (of) => of;
	tenancy: (of: Tenancy) => Tenancy = (of) => of;
	private readonly t: TestContext;
	private readonly h: Harness;
	private readonly lanes = localDispatch();
	private readonly dispatch: Dispatch = {
		...this.lanes,
		work: (options, tenant) => this.lanes.work(options, (tenancy) => tenant(this.tenancy(tenancy))),
	};
	private readonly workers: RunningWorker[] = [];

	constructor(t: TestContext, h: Harness) {
		this.t = t;
		this.h = h;
		t.mock.timers.enable({ apis: ["setTimeout"] });
	}

	async worker(name: string): Promise<RunningWorker> {
		const { h } = this;
		const root = join(h.folder, name);
		mkdirSync(root);
		const site = h.site.machine(root, "main");
		h.machines.push(site);
		const repository = new MemoryRepository(site, true);
		const life = new Life(h.clock);
		this.t.after(() => {
			life.kill();
			repository.die();
		});
		const remote: Partial<Clone["remote"]> = {
			shown: "/shared.git",
			publish: async (commit, { run, story, step, attempt }) => {
				const ref = `${run}/${story}/${step}-${attempt}`;
				await repository.publish(ref, commit);
				return { result: "published", ref };
			},
		};
		const clone = { root, remote, notes: [], close: () => void this.closed.push(`${name}'s clone`) } as unknown as Clone;
		const agent = castAgent("cast", ({ who, prompt, cwd, env }, signal) => {
			const turn = turnOf(h, life, { ...who, prompt, cwd, env, signal });
			return { part: partOf(h.options.cast, turn), turn };
		});
		const c: RunsContext = {
			cwd: root,
			env: {},
			now: h.clock.now,
			warn: (text) => void this.said.push(text),
			self: [],
			services: {
				...services,
				openClone: async () => clone,
				openSharedRepository: async () => repository,
				openShared: async () => this.store(this.shared(name)),
				openDispatch: async () => this.dispatch,
				caller: () => ({ user: "somebody", marks: [] }),
				makeAgent: async (spec) => (spec.agent === "elsewhere" ? { problem: "there is no agent elsewhere" } : { agent, model: null }),
			},
		};
		const worker = await startWorker(c, { db: "memory", repo: "/shared.git", folder: root, lanes: 2, labels: [], leaseMs: 60_000 });
		this.workers.push(worker);
		return worker;
	}

	/** Lets time pass until this is so. */
	async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
		for (let n = 0; !(await holds()); n++) {
			assert.ok(n < MOST_TICKS, `${what} did not come; ${this.said.join("\n")}`);
			this.t.mock.timers.tick(TICK_MS);
			await new Promise((turn) => setImmediate(turn));
		}
	}

	/** Ends all workers. */
	async drain(): Promise<void> {
		let done = false;
		const drained = Promise.all(this.workers.map((worker) => worker.drain())).finally(() => {
			done = true;
		});
		drained.catch(() => {});
		await this.until("the end of the workers", () => done);
		await drained;
	}

	private shared(name: string): SharedStore {
		const store = this.h.store.open(this.h.clock.now);
		const runsWithEffects = async (): Promise<string[]> => {
			const found: string[] = [];
			for (const { id } of await store.runs()) if ((await store.pending(id)).length > 0) found.push(id);
			return found.sort();
		};
		const nothing = async (): Promise<void> => {};
		const workers = { enter: nothing, renew: async () => false, remove: nothing, list: async () => [], drain: async () => false };
		const seat = { lost: new AbortController().signal, release: nothing };
		const accounts = { seat: async () => seat, limits: async () => new Map(), limit: nothing };
		const close = async (): Promise<void> => {
			this.closed.push(`${name}'s store`);
			await store.close();
		};
		return {
			...store,
			close,
			workers,
			accounts,
			runsWithEffects,
			dueRuns: async () => [],
			heldLanes: async () => [],
		} as unknown as SharedStore;
	}
}

describe("a worker", () => {
	test("a run that cannot be opened here leaves the workers at work on others, and is told of once by each", async (t) => {
		const refused = await harness(t, ELSEWHERE);
		await refused.advance();
		const fleet = new Fleet(t, refused);
		for (const name of ["a", "b"]) await fleet.worker(name);
		await fleet.until("word of it", () => fleet.said.length === 2);
		assert.match(fleet.said.join("\n"), /^(run run-1: there is no agent elsewhere\n?){2}$/);
		const next = await harness(t, { ...OPTIONS, beside: refused });
		await next.advance();
		await fleet.until("the end of the other run", async () => (await next.state()).status === "completed");
		await fleet.drain();
		assert.equal(fleet.said.length, 2, fleet.said.join("\n"));
	});

	test("a database that is away for longer than anybody waits does not end a worker, which says it once", async (t) => {
		const h = await harness(t, OPTIONS);
		await h.advance();
		const fleet = new Fleet(t, h);
		let looks = 0;
		fleet.store = (of) => ({
			...of,
			runsWithEffects: async (...which) => {
				if (++looks < 4) throw new Error("the database did not answer for 180 s");
				return of.runsWithEffects(...which);
			},
		});
		await fleet.worker("a");
		await fleet.until("the end of the run", async () => (await h.state()).status === "completed");
		await fleet.drain();
		assert.deepEqual(fleet.said, ["looking for work: the database did not answer for 180 s"]);
	});

	test("a worker that cannot take its entry off the list leaves all the same, and says why", async (t) => {
		const fleet = new Fleet(t, await harness(t, OPTIONS));
		const remove = () => Promise.reject(new Error("the database is away"));
		fleet.store = (of) => ({ ...of, workers: { ...of.workers, remove } });
		await fleet.worker("a");
		await assert.rejects(fleet.drain(), /the database is away/);
		assert.deepEqual(fleet.closed, ["a's store", "a's clone"]);
	});

	test("a run whose engine failed begins anew on the same worker, once what the failed engine had begun has ended", async (t) => {
		const begun = Promise.withResolvers<void>();
		const ended = Promise.withResolvers<void>();
		const slow: Part = async (turn) => {
			begun.resolve();
			// It does not end at once when it is told to.
			if (turn.nth === 1) await ended.promise;
			return (codes as (of: typeof turn) => string)(turn);
		};
		const cast = { ...OPTIONS.cast, "US-1 coding": slow };
		const h = await harness(t, { ...OPTIONS, stories: ["US-1", "US-2"], options: { agents: 2 }, cast });
		await h.advance();
		const fleet = new Fleet(t, h);
		let [isBegun, failures, opened, looks] = [false, 0, 0, 0];
		void begun.promise.then(() => {
			isBegun = true;
		});
		fleet.store = (of) => ({
			...of,
			files: async (...which) => {
				if (isBegun && failures++ === 0) throw new Error("the database is away");
				return of.files(...which);
			},
			watch: (...which) => {
				opened++;
				return of.watch(...which);
			},
			runsWithEffects: async (...which) => {
				looks++;
				return of.runsWithEffects(...which);
			},
		});
		await fleet.worker("a");
		await fleet.until("the failure", () => fleet.said.length > 0);
		const before = looks;
		await fleet.until("more looks", () => looks > before + 3);
		assert.equal(opened, 1, "two engines would share one folder");
		ended.resolve();
		await fleet.until("the end of the run", async () => (await h.state()).status === "completed");
		await fleet.drain();
		assert.equal(opened, 2);
		assert.match(fleet.said[0] ?? "", /^run run-1, US-2: the database is away$/);
	});

	test("a lane that is handed over before its tenancy ends is left after the attempt that runs, and none is lost", async (t) => {
		const handOver = new AbortController();
		const slow: Part = (turn) => {
			handOver.abort();
			return (codes as (of: typeof turn) => string)(turn);
		};
		const h = await harness(t, { ...OPTIONS, cast: { ...OPTIONS.cast, coding: slow } });
		await h.advance();
		const fleet = new Fleet(t, h);
		let tenancies = 0;
		fleet.tenancy = (of) => (of.lane.scope === "US-1" && ++tenancies === 1 ? { ...of, handOver: handOver.signal } : of);
		await fleet.worker("a");
		await fleet.until("the end of the run", async () => (await h.state()).status === "completed");
		await fleet.drain();
		assert.ok(tenancies > 1, "it was left");
		const prepared = (await h.events()).flatMap((event) => (event.event === "step_prepared" ? [event.step] : []));
		assert.deepEqual([...new Set(prepared)], prepared, "each step was tried once");
		assert.deepEqual(fleet.said, []);
	});
});
