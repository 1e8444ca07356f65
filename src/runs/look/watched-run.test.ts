import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseRun } from "./watched-run.ts";

test("without a name the newest run that goes on is watched, and the others are named; else the latest", () => {
	const [a, b, c] = [true, false, true].map((driven, i) => ({ run: `run-${i}`, driven }));
	assert.ok(a && b && c);
	assert.deepEqual(chooseRun([b, a, c]), { run: "run-0", others: ["run-2"] });
	assert.deepEqual(chooseRun([a, b]), { run: "run-0", others: [] });
	assert.deepEqual(chooseRun([b]), { run: undefined, others: [] });
});
