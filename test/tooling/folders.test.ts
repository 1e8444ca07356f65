// A folder is small enough to be read as a list: no more than 25 files of the product lie flat in one. Tests do not count.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const MOST = 25;

/** Folders that may hold more, and how many. There are none; this list only ever gets shorter. */
const TOO_FULL: Readonly<Record<string, number>> = {};

test("no folder holds more than 25 files", () => {
	const counts = new Map<string, number>();
	for (const file of globSync("src/**/*.{ts,tsx}", { cwd: root }))
		if (!/\.(test|suite|child)\.ts$/.test(file)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
	assert.ok(counts.size > 10);
	const over = [...counts].filter(([folder, count]) => count > (TOO_FULL[folder] ?? MOST));
	assert.deepEqual(over, [], "put what belongs together into folders");
	const settled = Object.keys(TOO_FULL).filter((folder) => (counts.get(folder) ?? 0) <= MOST);
	assert.deepEqual(settled, [], "these are small enough now: take them off the list");
});
