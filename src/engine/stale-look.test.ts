// Where machines share a run, what is pending can be newer than what this process has read of the journal.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Occupants } from "./occupants.ts";
import { SharedEngine, type SharedParts } from "./shared-engine.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import type { Part } from "./testing/cast.suite.ts";
import { partsOf } from "./testing/engine-parts.suite.ts";
import { harness } from "./testing/harness.suite.ts";
import { Life } from "./testing/life.suite.ts";
import { MemoryRepository } from "./testing/memory-repository.suite.ts";
import { share } from "./testing/shared.suite.ts";

const DONE = "## SUMMARY\n- done\n";
const coding: Part = ({ files, checkout, story }) => {
	files.write(`${story}.txt`, "x\n");
	checkout.commitAll(`work on ${story}`);
	return DONE;
};

describe("an attempt that another process starts while this one takes a lane over", () => {
	for (const [when, isLate] of [
		["after it has read the journal", (call: string, nth: number) => call === "files" && nth === 1],
		["before it looks again", (call: string, nth: number) => call === "pending" && nth === 2],
	] as const)
		test(`I1 I17 it runs, once: ${when}`, async (t) => {
			const cast = { coding, "*": DONE };
			const h = await harness(t, { ...BUILT_IN["dynamic"]!, stories: ["US-1"], options: { agents: 1 }, shared: true, cast });
			const store = h.store.open(h.clock.now);
			const life = new Life(h.clock);
			t.after(() => store.close());
			t.after(() => life.kill());
			const calls: Record<string, number> = {};
			const passed = async (call: string): Promise<void> => {
				calls[call] = (calls[call] ?? 0) + 1;
				if (isLate(call, calls[call])) await h.advance();
			};
			const slow: typeof store = {
				...store,
				files: async (...of) => {
					await passed("files");
					return store.files(...of);
				},
				pending: async (...of) => {
					await passed("pending");
					return store.pending(...of);
				},
				// What others commit is told later.
				watch: () => ({ close: () => {} }),
			};
			const sharedDir = join(h.sharedDir, "worker");
			mkdirSync(sharedDir, { recursive: true });
			const parts = (): SharedParts => ({ ...partsOf(h, life, new MemoryRepository(h.site)), occupants: new Occupants(), sharedDir });
			const engine = await SharedEngine.open(parts, { store: slow, rows: h.rows, secrets: h.secrets }, h.run);
			const lease = await store.lease(h.run, "US-1", 60_000);
			assert.ok(engine !== null && lease !== null);
			await h.clock.runUntil(engine.work("US-1", lease, new AbortController().signal));
			await lease.release();
			await engine.close();
			life.kill();
			await share(h, [undefined], { lookMs: 10_000 });
			assert.equal((await h.state()).status, "completed");
			assert.deepEqual(
				(await h.events()).flatMap((event) => (event.event === "step_failed" ? [event.error] : [])),
				[],
			);
		});
});
