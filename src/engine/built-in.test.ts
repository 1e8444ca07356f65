// Every built-in workflow from its start to its end in this process, whoever runs the sessions.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import { Harness, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";

for (const driver of ["pushed", "pulled"] as const)
	describe(`every workflow from start to end, ${driver}`, () => {
		for (const [name, options] of Object.entries(BUILT_IN))
			test(name, async (t) => {
				const h = await harness(t, { ...options, pulled: driver === "pulled" });
				const state = await h.toHalt();
				assert.equal(state.status, "completed", state.reason ?? "");
				assert.deepEqual(await violations(h), []);
				assert.deepEqual(h.warnings, []);
				assert.deepEqual(
					h.notices.map((notice) => notice.about),
					["finished"],
				);
			});
	});

test("the same run goes the same way again, to the last event", async () => {
	const first = await journalOf();
	for (let n = 0; n < 3; n++) assert.equal(await journalOf(), first);
});

async function journalOf(): Promise<string> {
	const h = new Harness({ ...BUILT_IN["dynamic"]!, stories: ["US-1", "US-2", "US-3", "US-4", "US-5"], options: { agents: 4 } });
	try {
		await h.create();
		await h.toHalt();
		return JSON.stringify(await h.events()).replaceAll(h.folder, "");
	} finally {
		h.remove();
	}
}
