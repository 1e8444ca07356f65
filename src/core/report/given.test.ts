// Reports that come as data: signals, fields, and refusals.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { fieldsOf, readGiven, signalsOf } from "./given.ts";
import { readReport } from "./report.ts";

const PLAIN: ReportGrammar = { notes: "summary", keys: [], signals: [] };
const REVIEW: ReportGrammar = {
	notes: "text",
	keys: ["NOTES"],
	findings: "FINDINGS",
	signals: [
		{ signal: "plan_block", when: { VERDICT: "BLOCK" }, finding: "plan" },
		{ signal: "block", when: { VERDICT: "BLOCK" } },
		{ signal: "needs_work", when: { VERDICT: "NEEDS WORK" } },
		{ signal: "acceptable", when: { VERDICT: "ACCEPTABLE" } },
	],
};
const given = (over: object) => ({ signal: null, summary: "It went well.", fields: {}, ...over });
const problems = (grammar: ReportGrammar, over: object): string => {
	const read = readGiven(grammar, given(over));
	return read.ok ? "" : read.problems.join("; ");
};

describe("a report that is given as data", () => {
	it("names the signals and the keys of a role", () => {
		assert.deepEqual(signalsOf(PLAIN), ["done"]);
		assert.deepEqual(signalsOf({ ...PLAIN, promise: "{{promise}}" }), ["done", "promise"]);
		assert.deepEqual(signalsOf(REVIEW), ["plan_block", "block", "needs_work", "acceptable"]);
		assert.deepEqual(fieldsOf(REVIEW), ["NOTES", "VERDICT", "FINDINGS"]);
	});

	it("is done where the role has no signals; its summary is the notes, foreign fields are ignored", () => {
		const read = readGiven(PLAIN, given({ summary: " - one\n- two ", fields: { STATUS: "failed" } }));
		assert.ok(read.ok);
		assert.deepEqual([read.report.signal, read.report.notes, read.report.fields, read.ignored], ["done", "- one\n- two", {}, ["STATUS"]]);
	});

	it("equals the same report as text", () => {
		const read = readGiven(REVIEW, given({ fields: { verdict: "needs_work", FINDINGS: "- [a] test: too few", NOTES: "x" } }));
		const text = readReport(REVIEW, "VERDICT: needs_work\nFINDINGS:\n- [a] test: too few\nNOTES: x");
		assert.ok(read.ok);
		assert.deepEqual(
			[read.report.signal, read.report.fields, read.report.findings],
			[text.signal, { VERDICT: "needs_work", FINDINGS: "- [a] test: too few", NOTES: "x" }, text.findings],
		);
	});

	it("brings the fields that stand for a signal", () => {
		const read = readGiven(REVIEW, given({ signal: "acceptable" }));
		assert.ok(read.ok);
		assert.deepEqual([read.report.signal, read.report.fields], ["acceptable", { VERDICT: "ACCEPTABLE" }]);
	});

	it("takes a promise only where the role has one", () => {
		const read = readGiven({ ...PLAIN, promise: "ALL DONE" }, given({ signal: "promise" }));
		assert.equal(read.ok && read.report.signal, "promise");
		assert.match(problems(PLAIN, { signal: "promise" }), /no signal "promise"; there are done/);
	});

	it("is refused with the reason: an unknown signal, none, one that the fields contradict, one that lacks what it needs", () => {
		assert.match(problems(REVIEW, { signal: "done" }), /no signal "done"; there are plan_block, block/);
		assert.match(problems(REVIEW, {}), /nothing that decides: give `signal`, one of/);
		assert.match(problems(REVIEW, { signal: "acceptable", fields: { VERDICT: "BLOCK" } }), /is acceptable, but the fields say block/);
		assert.match(problems(REVIEW, { signal: "plan_block" }), /fields say block/);
		assert.match(problems({ ...REVIEW, required: ["NOTES"] }, { signal: "acceptable" }), /missing fields: NOTES/);
		assert.match(problems({ ...PLAIN, stories: "STORIES_JSON" }, { fields: { STORIES_JSON: "[{" } }), /STORIES_JSON: /);
	});

	it("is bounded", () => {
		const read = readGiven(PLAIN, given({ summary: "x".repeat(100_000) }));
		assert.ok(read.ok && read.report.notes.length < 17_000);
	});
});
