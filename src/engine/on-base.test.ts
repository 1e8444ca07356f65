// What counts as base: base as the step found it, because others may be merged while it works.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { StepContext } from "../format.ts";
import type { Noted, Point } from "../workspace.ts";
import { onBase } from "./on-base.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import { harness } from "./testing/harness.suite.ts";
import { MemoryRepository } from "./testing/memory-repository.suite.ts";

const dynamic = BUILT_IN["dynamic"]!;
const SAID = { result: "ok", text: "", signal: "done", fields: {}, stories: null, problem: null } as const;

/** A story that left base, and then base got a commit. */
async function story(t: TestContext) {
	const h = await harness(t, { ...dynamic, stories: ["US-1"], options: {} });
	const repository = new MemoryRepository(h.site);
	const workspace = await repository.claim(1, "US-1", "main");
	const before = await repository.commitOf("main");
	h.site.user.files.write("other.txt", "of another story\n");
	const after = h.site.user.commitAll("another story");
	const state = await h.state();
	const look = (found: string) => {
		const noted: Noted = { at: 0, trace: null, refs: { "refs/heads/main": found }, stash: [], heads: {}, log: 0 };
		const point: Point = { commit: before, tree: "", noted };
		return onBase({ state, scope: "US-1", workspace, point, repository } as unknown as StepContext, SAID);
	};
	return { before, after, look };
}

test("G-12 a commit that base got while the step worked is not missed; one that was there before is, by its subject", async (t) => {
	const { before, after, look } = await story(t);
	assert.deepEqual(
		(await look(before)).map(({ exitCode }) => exitCode),
		[0],
	);
	const [missed] = await look(after);
	assert.equal(missed?.exitCode, 1);
	assert.match(missed?.output ?? "", new RegExp(`ralph/US-1 is not on top of main: it lacks ${after.slice(0, 12)} another story\\. Run`));
});
