// pawl is killed with -9 at boundaries of attempts and effects, then once more while it recovers, with real git and real agents. Whatever the
// place: each story lands once, nothing of the user's changes, nothing is left over. Every boundary there is: src/engine/crash.test.ts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atPoint, crashWorld, live } from "../support/crash-case.ts";
import { violations } from "../support/crash-checks.ts";
import { worldFor } from "../support/crash-world.ts";

// [where the run is killed, where the resume is killed]
const CASES: readonly (readonly [string, string])[] = [
	["prepared#9", "saved diff#1"],
	["before attempt_ended#6", "done rollback#1"],
	["start settle_edits#1", "before attempt_lost#1"],
	["announced merge#1", "start start_attempt#1"],
	["done release_story#2", "halted#1"],
	["closed#1", "after advance#1"],
];

describe("D-111 D-114 D-115 D-149 D-150 D-152 killed at a boundary, and again while it recovers", { concurrency: 2 }, () => {
	for (const [first, second] of CASES)
		test(`${first}, then ${second}`, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const life = await live(world, [atPoint(first), atPoint(second)]);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this point");
		});

	test("D-123 D-124 killed while the failure of a story is put in order", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }, { id: "US-2", depends_on: ["US-1"] }],
			agent: { "US-1.coding": 'echo half > half.txt; wrote; if once fail; then exit 3; fi; rm half.txt\n. "$W/do/any.coding"' },
		});
		assert.equal((await world.pawl(world.runArgs(2), { PAWL_CRASH_AT: "saved diff#1" })).signal, "SIGKILL");
		await world.pawl(["resume"]);
		assert.deepEqual(violations(world, { failed: ["US-1"], blocked: ["US-2"] }), []);
		const retried = await world.pawl(["retry"]);
		assert.equal(retried.code, 0, retried.err);
		assert.deepEqual(violations(world), []);
	});
});
