import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keepBrought } from "./brought.ts";

const folder = (t: TestContext): string => {
	const made = mkdtempSync(join(tmpdir(), "pawl-brought-"));
	t.after(() => rmSync(made, { recursive: true, force: true }));
	return made;
};
const brought = (output: string) => ({
	...{ attempt: 2, step: "plan", role: "planner", output, result: "ok", error: null },
	...{ secrets: ["very-secret-4711"], at: 0 },
});

test("the result of a claimed step is logged like any other attempt, without secrets", (t) => {
	const file = join(folder(t), "logs", "plan.jsonl");
	assert.deepEqual(keepBrought(file, brought("one very-secret-4711\n{broken\ntwo")), { cut: 0 });
	assert.deepEqual(keepBrought(file, brought("")), { cut: 0 });
	const records = readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
	assert.deepEqual(
		records.map((r) => [r["type"], r["text"] ?? r["result"] ?? r["role"]]),
		[
			["attempt", "planner"],
			["text", "one ***"],
			["text", "{broken"],
			["text", "two"],
			["end", "ok"],
			["attempt", "planner"],
			["end", "ok"],
		],
	);
});

test("a link in place of the log is reported as a problem and not followed", (t) => {
	const at = folder(t);
	writeFileSync(join(at, "elsewhere"), "");
	symlinkSync(join(at, "elsewhere"), join(at, "plan.jsonl"));
	assert.match(JSON.stringify(keepBrought(join(at, "plan.jsonl"), brought("x"))), /cannot write the log/);
	assert.equal(readFileSync(join(at, "elsewhere"), "utf8"), "");
});

test("G-30 the log of a claimed step has a bound as well", (t) => {
	const file = join(folder(t), "plan.jsonl");
	const kept = keepBrought(file, { ...brought("line of text\n".repeat(400_000)), logMax: 2_000_000 });
	assert.ok("cut" in kept && kept.cut > 0, "it says how much it left out");
	assert.ok(readFileSync(file).length < 3_000_000, String(readFileSync(file).length));
});
