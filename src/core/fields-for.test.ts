// Which fields a story reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState } from "./model.ts";
import { fieldsFor } from "./query.ts";
import { stories } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

test("A-33 what one story reported is not taken for another story's; the run's own fields and the steps after the stories have it", () => {
	const report = (...keys: string[]) => ({ report: { notes: "text" as const, keys, signals: [] } });
	const w = new World(stories({ work: report("CHANGES") }), { stories: ["A", "B"] });
	const root = { ...w.state.root, fields: { changes: "of A", branch: "feature/x" } };
	const state: RunState = { ...w.state, root };
	const b = { ...w.scope("B"), fields: {} };
	assert.deepEqual(fieldsFor(state, b), { branch: "feature/x" });
	assert.deepEqual(fieldsFor(state, { ...b, fields: { changes: "of B" } }), { branch: "feature/x", changes: "of B" });
	assert.deepEqual(fieldsFor(state, root), root.fields);
});
