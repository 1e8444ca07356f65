// Every built-in workflow from start to end in this process, no matter who runs the sessions.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import { Harness, type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";

for (const driver of ["pushed", "pulled"] as const)
	describe(`G-08 every workflow from start to end, ${driver}`, () => {
		for (const [name, options] of Object.entries(BUILT_IN))
			test(name, async (t) => {
				const h = await harness(t, { ...options, pulled: driver === "pulled" });
				const state = await h.toHalt();
				assert.equal(state.status, "completed", state.reason ?? "");
				assert.deepEqual(await violations(h), []);
				assert.deepEqual(h.warnings, []);
				// The cast does not say what it costs, which a workflow with a cost limit of its own tells a person once (G-13).
				const expected = state.budgets["cost"] ? ["budget", "finished"] : ["finished"];
				assert.deepEqual(
					h.notices.map((notice) => notice.about),
					expected,
				);
			});
	});

describe("whoever runs the sessions, the same is decided", () => {
	for (const [name, options] of Object.entries(BUILT_IN))
		test(name, async () => {
			const [pushed, pulled] = [await routesOf(options), await routesOf({ ...options, pulled: true })];
			assert.ok(Object.keys(pushed).length > 0);
			assert.deepEqual(pulled, pushed);
		});
});

/** Scope → what was decided in it, in order. */
async function routesOf(options: HarnessOptions): Promise<Record<string, string[]>> {
	const h = new Harness(options);
	try {
		await h.create();
		await h.toHalt();
		const routes: Record<string, string[]> = {};
		for (const e of await h.events()) {
			if (e.event !== "route_taken" && e.event !== "step_completed") continue;
			const text = e.event === "route_taken" ? `${e.signal}: ${e.action}` : `completed: ${e.notes ?? ""}`;
			const known = text.replaceAll(h.folder, "FOLDER").replaceAll(/\b[0-9a-f]{12,40}\b/g, "COMMIT");
			routes[e.scope] = [...(routes[e.scope] ?? []), `${e.step} ${known}`];
		}
		return routes;
	} finally {
		h.remove();
	}
}

test("the same run goes the same way again, to the last event", async () => {
	const first = await journalOf();
	for (let n = 0; n < 3; n++) assert.equal(await journalOf(), first);
});

async function journalOf(): Promise<string> {
	const h = new Harness({ ...BUILT_IN["dynamic"]!, stories: ["US-1", "US-2", "US-3", "US-4", "US-5"], options: { agents: 4 } });
	try {
		await h.create();
		await h.toHalt();
		// Prompts name the folder, so their hashes differ.
		return JSON.stringify(await h.events(), (key, value) => (key === "prompt" ? undefined : value)).replaceAll(h.folder, "");
	} finally {
		h.remove();
	}
}
