// G-24: a run that is over and was killed before it had put back its last attempt still owns what it has to put back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../engine/testing/built-in.suite.ts";
import { harness } from "../engine/testing/harness.suite.ts";
import { dieBy } from "../engine/testing/life.suite.ts";
import { Refusal } from "./refusal.ts";
import type { Prepared } from "./start/prepare.ts";
import { refuseTakenByOthers } from "./taken.ts";

const MINUTE = 60_000;

for (const workflow of ["dynamic", "dynamic, a request"])
	test(`G-24 a run that was killed when it was cancelled, before it had put back its work: nobody else gets it before that: ${workflow}`, async (t) => {
		const h = await harness(t, {
			...BUILT_IN[workflow]!,
			cast: {
				"*": async ({ files, takes }) => {
					files.write("half.txt", "half\n");
					await takes(10 * MINUTE);
				},
			},
		});
		const { options, stories, definition } = await h.state();
		const seeds = stories.map(({ id }) => ({ id, passes: false }));
		const wanted = { definition, mode: options.mode, base: options.base, options: {}, source: [], input: {}, stories: seeds };
		const second = (): Promise<void> => refuseTakenByOthers(h.store.open(h.clock.now), wanted as unknown as Prepared);
		const isRefused = (said: RegExp) => assert.rejects(second(), (error) => error instanceof Refusal && said.test(error.message));
		await isRefused(new RegExp(`run ${h.run} .*it is running`));
		h.clock.after(MINUTE, () => void h.post({ type: "stop", at: h.clock.now(), how: "cancel", by: { user: "somebody", how: "test" } }));
		const ended = await h.drive(dieBy("start rollback"), [{ type: "advance", at: h.clock.now() }]);
		assert.equal(ended.how, "killed");
		assert.equal((await h.state()).status, "cancelled");
		await isRefused(new RegExp(`run ${h.run} was killed before it had put back .*pawl resume ${h.run}`));
		await h.drive(undefined, [{ type: "advance", at: h.clock.now() }]);
		await assert.doesNotReject(second());
	});
