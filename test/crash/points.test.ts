// pawl is killed with -9 at boundaries of attempts and effects, then once more while it recovers, with real git and real agents. Whatever the
// place: each story lands once, nothing of the user's changes, nothing is left over. Every boundary there is: src/engine/crash.test.ts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crashWorld, live } from "../support/crash-case.ts";
import { violations } from "../support/crash-checks.ts";
import { atBoundaries, SHORT } from "../support/crash-list.ts";
import { worldFor } from "../support/crash-world.ts";

describe("D-111 D-114 D-115 D-149 D-150 D-152 killed at a boundary, and again while it recovers", { concurrency: 2 }, () => {
	for (const { name, deaths } of atBoundaries.slice(0, SHORT.boundaries))
		test(name, async (t) => {
			const world = crashWorld();
			t.after(() => world.remove());
			const life = await live(world, deaths);
			assert.deepEqual(life.wrong, []);
			assert.equal(life.ends[0]?.signal, "SIGKILL", "the run did not come by this point");
		});

	test("D-152 where processes are not listed, a resume starts nothing beside what may still be at work", async (t) => {
		const world = worldFor(t, { stories: [{ id: "US-1" }] });
		const without = (features: string) => ({ PAWL_WITHOUT: `proc,namespaces,${features}` });
		assert.equal((await world.pawl(world.runArgs(1), { ...without("fifos"), PAWL_CRASH_AT: "prepared#2" })).signal, "SIGKILL");
		const refused = await world.pawl(["resume"], without("fifos,ps"));
		assert.equal(refused.code, 1, refused.err);
		assert.match(refused.err, /US-1:\S+ started may still be at work/);
		await world.pawl(["resume"], without("fifos"));
		assert.deepEqual(violations(world), []);
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
