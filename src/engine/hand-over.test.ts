// A lane can be worked on for so long and no longer: before that ends, the process that has it leaves it between two attempts.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { Occupants } from "./occupants.ts";
import type { EngineParts } from "./parts.ts";
import { SharedEngine } from "./shared-engine.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import type { Part } from "./testing/cast.suite.ts";
import { partsOf } from "./testing/engine-parts.suite.ts";
import { type Harness, harness } from "./testing/harness.suite.ts";
import { Life } from "./testing/life.suite.ts";
import { MemoryRepository } from "./testing/memory-repository.suite.ts";
import { share } from "./testing/shared.suite.ts";

const MINUTE = 60_000;
const DONE = "## SUMMARY\n- done\n";

/** A run of one story, and a process whose lane is wanted back as soon as the work begins. */
async function leaving(t: TestContext, onBegun: (h: Harness) => Promise<void> = async () => {}) {
	const handOver = new AbortController();
	const coding: Part = async ({ files, checkout, story, takes }) => {
		if (!handOver.signal.aborted) {
			handOver.abort();
			await onBegun(h);
		}
		await takes(MINUTE);
		files.write(`${story}.txt`, "x\n");
		checkout.commitAll(`work on ${story}`);
		return DONE;
	};
	const cast = { coding, "*": DONE };
	const h = await harness(t, { ...BUILT_IN["dynamic"]!, stories: ["US-1"], options: { agents: 1 }, shared: true, cast });
	await h.advance();
	const store = h.store.open(h.clock.now);
	const life = new Life(h.clock);
	t.after(() => store.close());
	t.after(() => life.kill());
	const [, machine = h.site] = h.machines;
	const repository = new MemoryRepository(machine, true);
	const publish: EngineParts["publish"] = async ({ scope, step, attempt, workspace }) => {
		const { commit } = await workspace.point();
		await repository.publish(`${scope}/${step}-${attempt}`, commit);
		return commit;
	};
	const parts = () => ({
		...partsOf(h, life, repository),
		occupants: new Occupants(),
		publish,
		projections: () => [],
		userFiles: () => [],
	});
	const engine = await SharedEngine.open(parts, { store, rows: h.rows, secrets: h.secrets }, h.run);
	const lease = await store.lease(h.run, "US-1", MINUTE);
	assert.ok(engine !== null && lease !== null);
	const how = await h.clock.runUntil(engine.work("US-1", lease, new AbortController().signal, handOver.signal));
	await lease.release();
	await engine.close();
	repository.die();
	return { h, how };
}

describe("a lane that is wanted back", () => {
	test("I2 the attempt that runs is finished, none is begun after it, and another process goes on from there", async (t) => {
		const { h, how } = await leaving(t);
		assert.equal(how, "left");
		const steps = (await h.state()).stories[0]?.scope.steps ?? [];
		const coding = steps.findIndex(({ type }) => type === "coding");
		assert.equal(steps[coding]?.status, "completed");
		assert.ok(coding >= 0 && coding < steps.length - 1);
		const prepared = (await h.events()).flatMap((event) => (event.event === "step_prepared" ? [event.step] : []));
		assert.equal(prepared.at(-1), steps[coding]?.id, "nothing was begun after it");
		const { state } = await share(h, [undefined], { machines: true, lookMs: 10_000 });
		assert.equal(state.status, "completed");
		const events = await h.events();
		const again = events.filter((event) => event.event === "step_failed" || (event.event === "route_taken" && event.action !== "next"));
		assert.deepEqual(again, []);
		const all = events.flatMap((event) => (event.event === "step_prepared" ? [event.step] : []));
		assert.deepEqual([...new Set(all)], all, "each step was tried once");
	});

	test("G-05 a person can still cancel the attempt that runs", async (t) => {
		const by = { user: "somebody", how: "test" };
		const { h } = await leaving(t, (h) => h.ask({ type: "stop", at: h.clock.now(), how: "cancel", by }));
		assert.equal((await h.state()).status, "cancelled");
		assert.ok(h.clock.now() - (h.prompts.at(-1)?.at ?? 0) < MINUTE, "its session was ended");
	});
});
