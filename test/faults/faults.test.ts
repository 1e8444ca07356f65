// Whether the seeded faults still fit the code, so that `npm run faults` proves something.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FAULTS } from "./all.ts";
import { type Fault, seeded } from "./fault.ts";

const root = join(import.meta.dirname, "..", "..");
const FEWEST = 40;

function whyItDoesNotFit(fault: Fault): string[] {
	try {
		seeded(fault, readFileSync(join(root, fault.file), "utf8"));
		return existsSync(join(root, fault.test)) ? [] : [`${fault.id}: there is no ${fault.test}`];
	} catch (error) {
		return [error instanceof Error ? error.message : String(error)];
	}
}

test("at least 40 faults are seeded, and each fits the code", () => {
	assert.ok(FAULTS.length >= FEWEST);
	assert.deepEqual(FAULTS.flatMap(whyItDoesNotFit), []);
});

test("each fault has an id of its own, and every guarantee that is decided in one process has a fault", () => {
	assert.equal(new Set(FAULTS.map(({ id }) => id)).size, FAULTS.length);
	const rules = new Set(FAULTS.map(({ rule }) => rule));
	const guarantees = Array.from({ length: 30 }, (_, i) => `G-${String(i + 1).padStart(2, "0")}`);
	// G-05 is about runs that other processes find: test/guarantees/g-05.test.ts shows it with real ones.
	assert.deepEqual(
		guarantees.filter((id) => !rules.has(id)),
		["G-05"],
	);
});
