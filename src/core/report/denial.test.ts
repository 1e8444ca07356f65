// Reports that say `done` and something else that speaks against it, and reports that lack a field.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { readGiven } from "./given.ts";
import { readReport } from "./report.ts";
import { isNothing } from "./value.ts";

const grammar: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "DECISION", "ISSUES", "FEEDBACK", "VERIFIED"],
	signals: [
		{ signal: "retry", when: { STATUS: "retry" } },
		{ signal: "done", when: { STATUS: "done" } },
	],
	open: true,
	expects: "STATUS: done",
	feedback: ["ISSUES", "FEEDBACK"],
	denies: { ISSUES: "*", FEEDBACK: "*", DECISION: "changes_requested|rejected" },
	wants: { done: ["VERIFIED"], retry: ["ISSUES"] },
};
const read = (text: string) => readReport(grammar, text);

describe("a report that contradicts itself", () => {
	test("G-17 STATUS: done with a decision against it counts as the decision says, and people are told", () => {
		const report = read("STATUS: done\nDECISION: **changes requested**\nFEEDBACK:\n- rename it");
		assert.equal(report.signal, "retry");
		assert.equal(report.fields["FEEDBACK_TEXT"], "- rename it");
		assert.match(report.problem ?? "", /STATUS says done, but DECISION says .*changes requested.* counts as retry/);
	});

	test("G-17 STATUS: done with something that is wrong never passes: the agent is asked which it means", () => {
		for (const text of [
			"STATUS: done\nISSUES:\n- the label is missing",
			"STATUS: done\nVERIFIED: all\nISSUES: none of the criteria hold",
		]) {
			const report = read(text);
			assert.equal(report.signal, "unreadable", text);
			assert.match(
				report.problem ?? "",
				/^the report contradicts itself: STATUS says done, but ISSUES says .*which is meant\? Say STATUS: retry .* STATUS: done without ISSUES/,
			);
		}
	});

	test("G-17 nothing under the key is no contradiction; nor is a remark beside a decision that agrees", () => {
		for (const said of [
			"none",
			"None.",
			"n/a",
			"N/A",
			"- none",
			"(none)",
			"",
			"No issues found.",
			"nothing",
			"none - all criteria hold",
			"0",
			"no blocking issues",
			"—",
		])
			assert.equal(read(`STATUS: done\nVERIFIED: all\nISSUES: ${said}\n`).signal, "done", said);
		assert.equal(read("STATUS: done\nVERIFIED: x\nDECISION: approved\nFEEDBACK: well done").signal, "done");
		assert.equal(read("STATUS: retry\nDECISION: approved\nFEEDBACK: - a").signal, "retry", "the one that says no counts");
		for (const said of ["none, but the label is missing", "None of them hold", "none\n- the label is missing", "no"])
			assert.equal(isNothing(said), said === "no", said);
	});

	test("G-17 the same for a report that comes as data, which can still be corrected", () => {
		const given = (fields: Record<string, string>) => readGiven(grammar, { signal: null, summary: "s", fields });
		const contradicting = given({ STATUS: "done", VERIFIED: "v", ISSUES: "- a" });
		assert.ok(!contradicting.ok && /which is meant/.test(contradicting.problems.join()));
		const decided = given({ STATUS: "done", DECISION: "rejected", FEEDBACK: "- a" });
		assert.ok(decided.ok && decided.report.signal === "retry");
		const lacking = given({ STATUS: "done" });
		assert.ok(!lacking.ok && /missing fields: VERIFIED/.test(lacking.problems.join()));
	});
});

describe("a report that lacks a field", () => {
	test("G-17 it counts, and says what it lacks; what an earlier report said there does not stay", () => {
		const report = read("STATUS: done");
		assert.deepEqual([report.signal, report.lacks, report.fields["VERIFIED"]], ["done", ["VERIFIED"], ""]);
		assert.match(report.problem ?? "", /it has no VERIFIED/);
		assert.equal(read("STATUS: done\nVERIFIED: v").lacks, undefined);
	});

	test("G-17 a retry lacks its reason only if no key has one; without any words the developer is not told to mend the word STATUS", () => {
		assert.deepEqual([read("STATUS: retry").lacks, read("STATUS: retry").fields["FEEDBACK_TEXT"]], [["ISSUES"], "No reason was given."]);
		assert.equal(
			read("The label is missing.\n\nSTATUS: retry\nDECISION: changes_requested").fields["FEEDBACK_TEXT"],
			"The label is missing.",
		);
		assert.equal(read("STATUS: retry\nFEEDBACK: f").lacks, undefined);
	});

	test("G-17 the sign of a block is not its text", () => {
		assert.equal(read("STATUS: done\nVERIFIED: |\n  ## What\n\n    code\n  more").fields["VERIFIED"], "## What\n\n  code\nmore");
		assert.equal(read("STATUS: done\nVERIFIED: >-\none\ntwo").fields["VERIFIED"], "one\ntwo");
		assert.equal(read("STATUS: done\nVERIFIED: | a | b |").fields["VERIFIED"], "| a | b |");
		assert.deepEqual(read("STATUS: done\nVERIFIED: |").lacks, ["VERIFIED"]);
	});
});
