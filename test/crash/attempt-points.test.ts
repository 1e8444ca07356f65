// pawl is killed with -9 at the boundaries of an attempt, the first time and a later time that it comes by, then once more
// while it recovers. Whatever the place: each story lands once, nothing of the user's changes, nothing is left over.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atPoint, crashWorld, live } from "../support/crash-case.ts";

// [where the run is killed, where the resume is killed]
const CASES: readonly (readonly [string, string])[] = [
	["before advance#1", "after advance#1"],
	["after advance#1", "start start_attempt#2"],
	["start start_attempt#1", "before attempt_prepared#1"],
	["start start_attempt#9", "before attempt_lost#1"],
	["before attempt_prepared#1", "after resume#1"],
	["after attempt_prepared#2", "after attempt_lost#1"],
	["prepared#1", "start rollback#1"],
	["prepared#9", "saved diff#1"],
	["before attempt_ended#1", "done rollback#1"],
	["before attempt_ended#6", "after attempt_lost#2"],
	["after attempt_ended#3", "prepared#1"],
	["after attempt_ended#12", "after attempt_ended#1"],
];

describe("D-111 D-149 D-150 D-152 killed at a boundary of an attempt, and again while it recovers", { concurrency: 2 }, () => {
	for (const [first, second] of CASES)
		test(`${first}, then ${second}`, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const life = await live(world, [atPoint(first), atPoint(second)]);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this point");
		});
});
