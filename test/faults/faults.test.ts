// Whether the seeded faults still fit the code, so that `npm run faults` proves something. What it does itself is tried with one of them.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FAULTS } from "./all.ts";
import { seeded } from "./fault.ts";

const root = join(import.meta.dirname, "..", "..");

test("there are at least 40 seeded faults, each with an id of its own and one for every guarantee that is decided in this process", () => {
	assert.ok(FAULTS.length >= 40, String(FAULTS.length));
	assert.equal(new Set(FAULTS.map(({ id }) => id)).size, FAULTS.length);
	const rules = new Set(FAULTS.map(({ rule }) => rule));
	const guarantees = Array.from({ length: 30 }, (_, i) => `G-${String(i + 1).padStart(2, "0")}`);
	// G-05 is about runs that other processes find: test/guarantees/g-05.test.ts shows it with real ones.
	assert.deepEqual(
		guarantees.filter((id) => !rules.has(id)),
		["G-05"],
	);
});

for (const fault of FAULTS)
	test(`the fault ${fault.id} still fits the code`, () => {
		const text = seeded(fault, readFileSync(join(root, fault.file), "utf8"));
		assert.ok(text.includes(fault.put));
		assert.ok(existsSync(join(root, fault.test)), fault.test);
	});
