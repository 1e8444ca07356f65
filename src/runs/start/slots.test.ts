// G-24: what a run owns in its slots, no other run gets before it has cleared up there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import { harness } from "../../engine/testing/harness.suite.ts";
import { dieBy } from "../../engine/testing/life.suite.ts";
import { freeSlots } from "./slots.ts";

const MINUTE = 60_000;

for (const workflow of ["dynamic", "bug-fix"] as const)
	test(`G-24 a run that was killed when it was cancelled keeps its slots until it has put back what its sessions left there: ${workflow}`, async (t) => {
		const h = await harness(t, {
			...BUILT_IN[workflow]!,
			...(workflow === "dynamic" ? { stories: ["US-1"], options: { agents: 1 } } : {}),
			cast: {
				"*": async ({ files, takes }) => {
					files.write("half.txt", "half\n");
					await takes(10 * MINUTE);
					return "STATUS: done\n";
				},
			},
		});
		const store = h.store.open(h.clock.now);
		t.after(() => store.close());
		assert.deepEqual(await freeSlots(store, 1), [2]);
		h.clock.after(MINUTE, () => void h.post({ type: "stop", at: h.clock.now(), how: "cancel", by: { user: "somebody", how: "test" } }));
		const ended = await h.drive(dieBy("after attempt_cancelled"), [{ type: "advance", at: h.clock.now() }]);
		assert.equal(ended.how, "killed");
		assert.equal((await h.state()).status, "cancelled");
		assert.deepEqual(await freeSlots(store, 1), [2]);
		await h.drive(undefined, [{ type: "advance", at: h.clock.now() }]);
		assert.deepEqual(await freeSlots(store, 1), [1]);
	});
