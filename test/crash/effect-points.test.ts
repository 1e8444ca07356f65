// pawl is killed with -9 at the boundaries of an effect, the first time and a later time that it comes by, then once more
// while it recovers. Whatever the place: each story lands once, nothing of the user's changes, nothing is left over.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atPoint, crashWorld, live } from "../support/crash-case.ts";
import { violations } from "../support/crash-checks.ts";
import { worldFor } from "../support/crash-world.ts";

// [where the run is killed, where the resume is killed]
const CASES: readonly (readonly [string, string])[] = [
	["start settle_edits#1", "before attempt_lost#1"],
	["done settle_edits#3", "start start_attempt#1"],
	["start rollback#1", "start rollback#1"],
	["saved diff#1", "saved diff#1"],
	["done rollback#1", "done settle_edits#1"],
	["start append_scratch#1", "done append_scratch#1"],
	["start release_story#1", "done release_story#1"],
	["done release_story#2", "halted#1"],
	["start release_story#3", "closed#1"],
	["halted#1", "halted#1"],
	["closed#1", "closed#1"],
];

describe("D-114 D-115 killed at a boundary of an effect, and again while it recovers", { concurrency: 2 }, () => {
	for (const [first, second] of CASES)
		test(`${first}, then ${second}`, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const life = await live(world, [atPoint(first), atPoint(second)]);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this point");
		});
});

// A resume that has the rollback of a failed story still to do must not wait for the release of the same slot, which is behind it.
describe("D-123 D-124 killed while the failure of a story is put in order", { concurrency: 2 }, () => {
	for (const point of [
		"after attempt_ended#3",
		"start rollback#1",
		"saved diff#1",
		"done rollback#1",
		"start append_scratch#1",
		"start release_story#1",
	])
		test(point, async (t) => {
			const world = worldFor(t, {
				stories: [{ id: "US-1" }, { id: "US-2", depends_on: ["US-1"] }],
				agent: { "US-1.coding": 'echo half > half.txt; wrote; if once fail; then exit 3; fi; rm half.txt\n. "$W/do/any.coding"' },
			});
			assert.equal((await world.pawl(world.runArgs(2), { PAWL_CRASH_AT: point })).signal, "SIGKILL");
			await world.pawl(["resume"]);
			assert.deepEqual(violations(world, { failed: ["US-1"], blocked: ["US-2"] }), []);
			const retried = await world.pawl(["retry"]);
			assert.equal(retried.code, 0, retried.err);
			assert.deepEqual(violations(world), []);
		});
});
