import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sumsIn } from "./state-folder.ts";

test("I5 half of a checksum, as a loss of power leaves it, is none: pawl's own state must not look as if somebody had changed it", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-sums-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "agent-state.sums");
	const [a, b] = ["a".repeat(64), "b".repeat(64)];
	const read = (text: string): readonly string[] => {
		writeFileSync(file, text);
		return sumsIn(file);
	};
	assert.deepEqual(sumsIn(file), []);
	assert.deepEqual(read(`${a}\n${b}\n`), [a, b]);
	assert.deepEqual(read(`\n${b}\n`), [b]);
	assert.deepEqual(read(`${a}\n${b.slice(0, 20)}`), []);
	assert.deepEqual(read(`${a}\n${"\0".repeat(65)}`), []);
});
