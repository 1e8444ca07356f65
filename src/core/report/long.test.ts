import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { readReport } from "./report.ts";

test("I16 of a message that is too long the end counts, and the agent is told", () => {
	const grammar: ReportGrammar = { notes: "text", keys: [], signals: [{ signal: "done", when: { VERDICT: "PASS" } }] };
	const long = `VERDICT: BLOCK\n${"\n".repeat(300_000)}VERDICT: PASS\n`;
	const read = readReport(grammar, long);
	assert.equal(read.signal, "done");
	assert.match(read.problem ?? "", /longer than 256 KiB/);
	assert.equal(readReport(grammar, "VERDICT: PASS\n").problem, null);
});
