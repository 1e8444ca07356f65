// One worker works on several runs in one clone, with an engine for each. Slots are numbered across all runs, and a run that is over has given its own up: whatever is
// late there does not touch what the next run does in them.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { Occupants } from "./occupants.ts";
import type { EngineParts } from "./parts.ts";
import { SharedEngine, type SharedParts } from "./shared-engine.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import type { Cast, Part } from "./testing/cast.suite.ts";
import { partsOf } from "./testing/engine-parts.suite.ts";
import { type Harness, type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { dieBy, Life } from "./testing/life.suite.ts";
import { MemoryRepository } from "./testing/memory-repository.suite.ts";
import { share } from "./testing/shared.suite.ts";

const MINUTE = 60_000;
const DONE = "## SUMMARY\n- done\n";
const OPTIONS: HarnessOptions = { ...BUILT_IN["dynamic"]!, options: { agents: 1 }, shared: true, cast: {} };

class TestWorker {
	private readonly life: Life;
	private readonly repository: MemoryRepository;
	private readonly occupants = new Occupants();

	constructor(t: TestContext, h: Harness) {
		this.life = new Life(h.clock);
		const [, machine = h.site.machine("/memory/worker", "main")] = h.machines;
		this.repository = new MemoryRepository(machine, true);
		t.after(() => this.life.kill());
	}

	async open(h: Harness): Promise<SharedEngine> {
		const sharedDir = join(h.sharedDir, "worker");
		mkdirSync(sharedDir, { recursive: true });
		const publish: EngineParts["publish"] = async ({ scope, step, attempt, workspace }) => {
			const { commit } = await workspace.point();
			await this.repository.publish(`${h.run}/${scope}/${step}-${attempt}`, commit);
			return commit;
		};
		const own = { occupants: this.occupants, sharedDir, publish, projections: () => [], userFiles: () => [] };
		const parts = (): SharedParts => ({ ...partsOf(h, this.life, this.repository), ...own });
		const engine = await SharedEngine.open(parts, { store: h.store.open(h.clock.now), rows: h.rows, secrets: [] }, h.run);
		assert.ok(engine !== null);
		return engine;
	}

	async work(h: Harness, engine: SharedEngine, lane: string): Promise<void> {
		const lease = await h.store.open(h.clock.now).lease(h.run, lane, MINUTE);
		if (lease === null) return;
		await engine.work(lane, lease, new AbortController().signal);
		await lease.release();
	}

	async workToTheEnd(h: Harness, engine: SharedEngine): Promise<void> {
		while ((await h.state()).status === "running") {
			for (const lane of await engine.look()) await this.work(h, engine, lane);
			await h.clock.sleep(1_000);
		}
	}
}

const runOf = (t: TestContext, story: string, coding: Part, beside?: Harness): Promise<Harness> => {
	const cast: Cast = { coding, "*": DONE };
	return harness(t, { ...OPTIONS, stories: [story], cast, ...(beside === undefined ? {} : { beside }) });
};

describe("runs that one worker works on", () => {
	test("I2 a run does not get a worktree in which a session of a run that is over still works", async (t) => {
		const begun = Promise.withResolvers<void>();
		const h = await runOf(t, "US-1", async ({ files, checkout, nth, takes }) => {
			begun.resolve();
			// It is still at work when the next run is.
			await takes(nth === 1 ? 13 * MINUTE : MINUTE);
			files.write(nth === 1 ? "late.txt" : "US-1.txt", "x\n");
			if (nth !== 1) checkout.commitAll("work on US-1");
			return DONE;
		});
		await h.advance();
		const worker = new TestWorker(t, h);
		const stale = worker.work(h, await worker.open(h), "US-1");
		await h.clock.runUntil(begun.promise);
		// Another worker finishes the run, and this one learns nothing of it.
		await h.store.expire(h.run, "US-1");
		assert.equal((await share(h, [undefined], { machines: true, lookMs: 10_000 })).state.status, "completed");
		const coding: Part = async ({ files, checkout, takes }) => {
			await takes(25 * MINUTE);
			files.write("US-9.txt", "x\n");
			checkout.commitAll("work on US-9");
			return DONE;
		};
		const next = await runOf(t, "US-9", coding, h);
		await next.advance();
		await h.clock.runUntil(worker.open(next).then((engine) => worker.workToTheEnd(next, engine)));
		await h.clock.runUntil(stale);
		assert.equal((await next.state()).status, "completed");
		assert.deepEqual(next.warnings, []);
		assert.deepEqual(namesOn(h), ["US-1.txt", "US-9.txt"]);
	});

	test("I1 what a run that is over has left to do leaves the worktree to the run that has the slot now", async (t) => {
		let begun = false;
		const h = await runOf(t, "US-1", async ({ takes }) => {
			begun = true;
			await takes(10 * MINUTE);
			return DONE;
		});
		await h.advance();
		let asked = false;
		const onTick = async (): Promise<void> => {
			if (!begun || asked) return;
			asked = true;
			await h.ask({ type: "stop", at: h.clock.now(), how: "cancel", by: { user: "somebody", how: "test" } });
		};
		await share(h, [dieBy("after attempt_cancelled")], { machines: true, lookMs: 10_000, onTick });
		assert.equal((await h.state()).status, "cancelled");
		assert.ok((await h.store.open(h.clock.now).pending(h.run)).some(({ effect }) => effect.effect === "rollback"));

		let sessions = 0;
		const coding: Part = async ({ files, checkout, takes }) => {
			sessions++;
			files.write("US-9.txt", "x\n");
			await takes(15 * MINUTE);
			files.write("US-9b.txt", "x\n");
			checkout.commitAll("work on US-9");
			return DONE;
		};
		const next = await runOf(t, "US-9", coding, h);
		await next.advance();
		const worker = new TestWorker(t, h);
		const leftover = h.clock.sleep(5 * MINUTE).then(async () => {
			await h.store.expire(h.run, "US-1");
			const engine = await worker.open(h);
			for (const lane of await engine.look()) await worker.work(h, engine, lane);
		});
		await h.clock.runUntil(worker.open(next).then((engine) => worker.workToTheEnd(next, engine)));
		await h.clock.runUntil(leftover);
		assert.equal((await next.state()).status, "completed");
		assert.deepEqual(next.warnings, []);
		assert.deepEqual(namesOn(h), ["US-9.txt", "US-9b.txt"]);
		assert.equal(sessions, 1, "its session was ended");
		assert.deepEqual(await h.store.open(h.clock.now).pending(h.run), []);
	});
});

const namesOn = (h: Harness): string[] => Object.keys(h.site.show("main")).filter((path) => /^(US-|late)/.test(path));
