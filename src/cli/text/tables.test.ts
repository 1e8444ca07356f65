// Steps as rows of a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inGroups } from "./tables.ts";

test("a long row of steps that were skipped for one reason is one row; a few keep their names", () => {
	const step = (id: string, reason: string | null) => ({ id, reason });
	const row = [..."abcde"].map((id) => step(id, "the run gives up"));
	const groups = (steps: readonly { id: string; reason: string | null }[]) =>
		inGroups(steps, ({ reason }) => reason).map((group) => group.map(({ id }) => id).join(""));
	assert.deepEqual(groups([step("x", null), ...row, step("y", "another reason"), step("z", null)]), ["x", "abcde", "y", "z"]);
	assert.deepEqual(groups(row.slice(1)), ["b", "c", "d", "e"]);
	assert.deepEqual(groups([]), []);
});
