import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { StepContext } from "../../../format.ts";
import { createdBy } from "./creates.ts";

test("T-50 what a spec creates: names that it mentions, modules among its files; any name can be asked for", () => {
	const dir = mkdtempSync(join(tmpdir(), "pawl-creates-"));
	try {
		mkdirSync(dir, { recursive: true });
		writeFileSync(join(dir, "task-1.md"), "# Task 1: sums\n\n`total` adds.\n\n## Files\nsrc/total.mjs\napp/sums/__init__.py\nlib/**\n");
		const state = { input: { run_dir: dir }, root: { fields: { spec: join(dir, "task-1.md") } } };
		const creates = createdBy({ state } as unknown as StepContext);
		for (const name of ["total", "crate::total"]) assert.ok(creates(name, "name"), name);
		for (const name of ["tot", "Vec<T>", "a-b", "(", "x\\"]) assert.ok(!creates(name, "name"), name);
		for (const name of ["../src/total.mjs", "/r/src/total.mjs", "./total", "app.sums", "../lib/deep/a.mjs"])
			assert.ok(creates(name, "module"), name);
		for (const name of ["left-pad", "hypothesis", "../src/other.mjs"]) assert.ok(!creates(name, "module"), name);
	} finally {
		rmSync(dir, { recursive: true });
	}
});
