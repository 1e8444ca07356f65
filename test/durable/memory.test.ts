import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Memory } from "./memory.ts";

test("a pass goes on where the last one stopped, with what was found in front, and begins anew when nothing is left", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-memory-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const all = ["a", "b", "c"];
	const open = (afresh = false): Memory => new Memory("crash", afresh, folder);
	const left = (memory: Memory): readonly string[] => {
		const { again, left: others } = memory.left(all, (one) => one);
		return [...again, ...others];
	};
	const first = open();
	first.at("one-shot");
	first.tried("a", true);
	first.tried("b", false);
	assert.deepEqual(left(open()), ["b", "c"]);
	assert.deepEqual(open().order(["dynamic", "one-shot", "gated"]), ["gated", "dynamic", "one-shot"]);
	first.tried("c", false);
	assert.deepEqual(left(open()), ["b", "c", "a"]);
	first.tried("b", true);
	first.tried("c", true);
	assert.deepEqual(left(open()), all);
	assert.deepEqual(left(open(true)), all);
});
