// Reports as models really write them (G-17), and quotations that are none (G-25).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { readReport } from "./report.ts";

const REVIEW: ReportGrammar = {
	notes: "text",
	keys: ["VERDICT", "NOTES"],
	findings: "FINDINGS",
	signals: [
		{ signal: "acceptable", when: { VERDICT: "ACCEPTABLE" } },
		{ signal: "needs_work", when: { VERDICT: "NEEDS WORK*" }, finding: "*" },
		{ signal: "block", when: { VERDICT: "BLOCK*" }, finding: "*" },
	],
};
const STEP: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "CHANGES", "ISSUES", "PR_BODY"],
	signals: [
		{ signal: "retry", when: { STATUS: "retry" } },
		{ signal: "done", when: { STATUS: "done" } },
	],
	open: true,
	expects: "STATUS: done",
	feedback: ["ISSUES"],
};
const STEERING: ReportGrammar = {
	notes: "text",
	keys: ["REASON"],
	signals: [
		{ signal: "steering_requested", when: { STEERING_NEEDED: "yes" } },
		{ signal: "final_accepted", when: { ACCEPTED: "yes", STEERING_NEEDED: "no" } },
		{ signal: "final_rejected", when: { ACCEPTED: "no", STEERING_NEEDED: "no" } },
	],
};
const said = (grammar: ReportGrammar, text: string): string => readReport(grammar, text).signal;
const problem = (grammar: ReportGrammar, text: string): string => readReport(grammar, text).problem ?? "";

describe("G-17 keys", () => {
	const accepted = [
		"✅ VERDICT: ACCEPTABLE",
		"📋 **VERDICT:** ✅ ACCEPTABLE",
		"VERDICT: ACCEPTABLE ✅",
		"- [x] VERDICT: ACCEPTABLE",
		"1. VERDICT: ACCEPTABLE",
		"2) **Verdict:** acceptable",
		"• VERDICT: ACCEPTABLE",
		"## VERDICT\n\nACCEPTABLE",
		"### **Verdict**\nACCEPTABLE",
		"**VERDICT**\n\nACCEPTABLE",
		"#### Verdict: ACCEPTABLE (no open points)",
		"VERDICT： ACCEPTABLE",
		"VERDICT: ACCEPTABLE - nothing to add",
		"VERDICT: **ACCEPTABLE**.",
		"**VERDICT: ACCEPTABLE** (round 2)",
		"Here is my report:\n\n```\nVERDICT: ACCEPTABLE\n```\n\nLet me know if you need anything else!",
		"~~~text\nVERDICT: ACCEPTABLE\n~~~",
		"````markdown\n```sh\nnpm test\n```\nVERDICT: ACCEPTABLE\n````",
		"```markdown\nI ran:\n```sh\nnpm test\n```\nVERDICT: ACCEPTABLE\n```",
		"```\nVERDICT: ACCEPTABLE",
	];
	for (const text of accepted)
		it(`reads ${JSON.stringify(text)}`, () => assert.equal(said(REVIEW, text), "acceptable", problem(REVIEW, text)));

	it("a key in words is the same key", () => {
		assert.equal(said(STEERING, "Steering needed: no\nAccepted: yes"), "final_accepted");
		assert.equal(said(STEERING, "## Steering needed\nyes\n\n## Reason\nbecause"), "steering_requested");
		assert.equal(said(STEERING, "STEERING-NEEDED: No.\nACCEPTED: `no`"), "final_rejected");
	});

	it("a value ends only where another key that the report declares begins", () => {
		const text =
			"STATUS: retry\nISSUES:\n- the form is not checked\nNOTE: this is the worst\nTESTS: none\n\nURL: see below\n- a second\nCHANGES: nothing\n";
		const { fields } = readReport(STEP, text);
		assert.equal(fields["ISSUES"], "- the form is not checked\nNOTE: this is the worst\nTESTS: none\n\nURL: see below\n- a second");
		assert.equal(fields["CHANGES"], "nothing");
		assert.deepEqual([fields["NOTE"], fields["TESTS"]], ["this is the worst", "none"], "A-33: foreign keys still reach the context");
		const body = "## What\n\nNOTE: breaking.\n\n```sh\nSTATUS: done\nTESTS: x\n```\n\nFIXES: #3";
		assert.equal(readReport(STEP, `STATUS: done\nPR_BODY:\n${body}\n`).fields["PR_BODY"], body);
	});

	it("in an open report a word that decides is one line", () => {
		const { signal, fields } = readReport(STEP, "STATUS: done\n\nAll went well, see the notes.\n\nCHANGES: a.ts");
		assert.deepEqual([signal, fields["STATUS"], fields["CHANGES"]], ["done", "done", "a.ts"]);
	});

	it("a part of the report in a fence of its own belongs to it; a fence that is a value does not", () => {
		const parts = readReport(REVIEW, "VERDICT: BLOCK\n\n```\nFINDINGS:\n- [a] test: x\n```\n");
		assert.deepEqual([parts.signal, parts.findings.length], ["block", 1]);
		assert.equal(readReport(STEP, "STATUS: done\nCHANGES:\n```\nISSUES: none\n```\n").fields["CHANGES"], "ISSUES: none");
	});
});

describe("G-17 findings", () => {
	const found = (list: string) =>
		readReport(REVIEW, `VERDICT: NEEDS WORK\nFINDINGS:\n${list}`).findings.map((f) => [f.key, f.class, f.text]);
	const rows: readonly (readonly [string, string])[] = [
		["numbered", "1. [a] test: x\n2. [b] plan: y"],
		["numbered in brackets", "(1) [a] test: x\n(2) [b] plan: y"],
		["emoji numbers", "1️⃣ [a] test: x\n2️⃣ [b] plan: y"],
		["checkboxes", "- [ ] [a] test: x\n- [x] [b] plan: y"],
		["emoji bullets", "❌ [a] test: x\n🔴 [b] plan: y"],
		["emoji behind bullets", "- 🔴 [a] test: x\n- ⚠️ [b] plan: y"],
		["typographic bullets", "• [a] test: x\n– [b] plan: y"],
		["bold", "- **[a]** **test:** x\n- **[b] plan:** y"],
		["headings", "### [a] test: x\n\n### [b] plan: y"],
		["numbered headings", "### 1. [a] test: x\n\n### 2. [b] plan: y"],
		["backticks", "* `[a]` test: x\n* `[b]` plan: y"],
	];
	for (const [what, list] of rows)
		it(`reads ${what}`, () =>
			assert.deepEqual(
				found(list).map(([key, of, text]) => [key, of, text]),
				[
					["a", "test", "x"],
					["b", "plan", "y"],
				],
			));

	it("counts those in the right form where their key was forgotten", () => {
		const report = readReport(REVIEW, "VERDICT: NEEDS WORK\n\n- [no-tests] test: nothing proves it\n- [b] plan: thin\n\nThat is all.");
		assert.deepEqual([report.signal, report.findings.map((f) => f.key)], ["needs_work", ["no-tests", "b"]]);
		assert.equal(said(REVIEW, "VERDICT: NEEDS WORK\n\n## Findings\n1. the plan is thin"), "needs_work");
	});

	it("names the unreadable part", () => {
		assert.equal(
			problem(REVIEW, "VERDICT: NEEDS WORK\n\n1. the tests are thin\n2. no docs"),
			"findings under VERDICT: NEEDS WORK have no `[key] class:`",
		);
		assert.equal(problem(REVIEW, "VERDICT: BLOCK"), "VERDICT: BLOCK needs findings under FINDINGS, as `- [key] class: text`");
		assert.match(problem(REVIEW, "VERDICT: BLOCK\nFINDINGS: none"), /^VERDICT: BLOCK needs findings/);
		const classes: ReportGrammar = { ...REVIEW, signals: [{ signal: "plan", when: { VERDICT: "BLOCK" }, finding: "plan" }] };
		assert.equal(
			problem(classes, "VERDICT: BLOCK\nFINDINGS:\n- [a] test: x"),
			"the findings under VERDICT: BLOCK are of class test, and one of class plan is wanted",
		);
	});
});

/** The second key decides what the first one means. */
const VERDICT: ReportGrammar = {
	notes: "text",
	keys: [],
	signals: [
		{ signal: "re_plan", when: { ACTION: "re_plan*|auto_fix*|pass*", SEVERITY: "high*", WHY: "*" } },
		{ signal: "auto_fix", when: { ACTION: "auto_fix*", SEVERITY: "low*", WHY: "*" } },
	],
};

describe("G-17 T-32 messages", () => {
	const cases: readonly (readonly [ReportGrammar, string, RegExp])[] = [
		[REVIEW, "VERDICT: fine", /^VERDICT: `fine` is none of ACCEPTABLE, NEEDS WORK, BLOCK$/],
		[REVIEW, "All good.", /^it has no VERDICT line: say VERDICT: with one of ACCEPTABLE, NEEDS WORK, BLOCK$/],
		[STEERING, "STEERING_NEEDED: no", /^STEERING_NEEDED: no needs ACCEPTED as well$/],
		[STEERING, "STEERING_NEEDED: maybe", /^STEERING_NEEDED: `maybe` is none of yes, no$/],
		[
			STEP,
			"STATUS: blocked\nThe database is not reachable.",
			/^STATUS: `blocked` is none of retry, done; it says: The database is not reachable\.$/,
		],
		[STEP, "STATUS: failed\nISSUES: no compiler", /^STATUS: `failed` is none of retry, done; it says: no compiler$/],
		[STEP, "I could not finish: no network.", /^it does not say STATUS: done; it says: I could not finish: no network\.$/],
		[STEP, "", /^it does not say STATUS: done$/],
		[VERDICT, "ACTION: auto_fix\nSEVERITY: medium\nWHY: x", /^SEVERITY: `medium` is none of high, low$/],
		[VERDICT, "ACTION: auto_fix\nSEVERITY: medium", /^SEVERITY: `medium` is none of high, low; it needs WHY as well$/],
		[VERDICT, "ACTION: mend\nSEVERITY: medium", /^ACTION: `mend` is none of .*; SEVERITY: `medium` is none of high, low$/],
		[
			VERDICT,
			"ACTION: pass\nSEVERITY: low\nWHY: x",
			/^ACTION: pass, SEVERITY: low, WHY: x: no answer that is asked for has these together$/,
		],
	];
	for (const [grammar, text, message] of cases) it(`for ${JSON.stringify(text)}`, () => assert.match(problem(grammar, text), message));
});

describe("G-25 a quotation is not a report", () => {
	it("two different values of a key that decides make it unreadable, and both are named", () => {
		const text = "STATUS: retry\nISSUES: the README still says\nSTATUS: done\n";
		assert.equal(said(STEP, text), "unreadable");
		assert.match(problem(STEP, text), /^STATUS has two values, `retry` and `done`: say it once, and put `>` before lines that you quote$/);
		assert.match(problem(REVIEW, "VERDICT: ACCEPTABLE\n\nVERDICT: BLOCK\nFINDINGS:\n- [a] test: x"), /`ACCEPTABLE` and `BLOCK`/);
		assert.match(problem(STEERING, "STEERING_NEEDED: no\nACCEPTED: yes\nACCEPTED: no"), /ACCEPTED has two values/);
	});
	it("the same value twice is one, however it is written", () => {
		assert.equal(said(STEP, "STATUS: done\n\nCHANGES: x\n\n**STATUS:** Done ✅"), "done");
		assert.equal(said(REVIEW, "VERDICT: NEEDS WORK\nFINDINGS:\n- [a] test: x\nVERDICT: NEEDS WORK: one test"), "needs_work");
		const reasons: ReportGrammar = {
			...STEERING,
			signals: [
				{ signal: "seam", when: { STATUS: "blocked", REASON: "missing*" } },
				{ signal: "stuck", when: { STATUS: "blocked" } },
			],
		};
		assert.equal(said(reasons, "STATUS: blocked\nREASON: other\nREASON: missing clock"), "seam", "a text is no word that decides");
	});
	it("a line behind > is a quotation", () => {
		assert.equal(said(STEP, "> STATUS: done\n\nSTATUS: retry\nISSUES: x"), "retry");
		assert.equal(said(STEP, "STATUS: retry\nISSUES: it says\n> STATUS: done\n"), "retry");
		assert.match(problem(STEP, "The developer:\n> STATUS: done\n"), /only STATUS line is in a quotation/);
	});
	it("a fence is a quotation if a deciding line is outside of it", () => {
		assert.equal(said(STEP, "STATUS: retry\nISSUES:\nthe file is still\n```\nSTATUS: done\n```\n"), "retry");
		assert.equal(said(STEP, "I looked at REPORT.md:\n```\nSTATUS: done\n```\nSTATUS: retry\nISSUES: x"), "retry");
		assert.equal(said(REVIEW, "```\nVERDICT: ACCEPTABLE\n```\nVERDICT: BLOCK\nFINDINGS:\n- [a] test: x"), "block");
	});
	it("a fence is one where a text announces it as somebody else's", () => {
		for (const line of [
			"The developer's report:",
			"The file `REPORT.md` contains:",
			"It said:",
			"From the previous attempt:",
			"As an example:",
			"The log reads:",
		]) {
			assert.equal(said(STEP, `${line}\n\n\`\`\`\nSTATUS: done\n\`\`\`\n`), "unreadable", line);
			assert.match(problem(STEP, `${line}\n\n\`\`\`\nSTATUS: done\n\`\`\`\n`), /only STATUS line is in a quotation/, line);
		}
		for (const line of [
			"Here is my report:",
			"Report:",
			"Final answer:",
			"Result:",
			"I checked the file, and my verdict is:",
			"All is well.",
		])
			assert.equal(said(STEP, `${line}\n\n\`\`\`\nSTATUS: done\n\`\`\`\n`), "done", line);
	});
	it("a fence that lacks a key which the report needs is none; two fences that differ are unreadable", () => {
		const both: ReportGrammar = { ...REVIEW, signals: [{ signal: "ok", when: { VERDICT: "ok", RISK: "low" } }] };
		assert.equal(said(both, "```\nVERDICT: ok\nRISK: low\n```"), "ok");
		assert.equal(said(both, "```\nVERDICT: ok\n```\n\n```\nRISK: low\n```"), "unreadable");
		assert.match(problem(STEP, "```\nSTATUS: done\n```\nand\n```\nSTATUS: retry\n```"), /STATUS has two values/);
		assert.equal(said(STEP, "```\nSTATUS: done\n```\nand\n```\nSTATUS: done\n```"), "done");
	});
	it("a friendly sentence after it harms nothing", () => {
		const { signal, fields } = readReport(STEP, "```\nSTATUS: done\nCHANGES: a.ts\n```\nHappy to help with STATUS: or anything else!");
		assert.deepEqual([signal, fields["CHANGES"]], ["done", "a.ts"]);
	});
});

describe("G-25 a list of findings that says there are none", () => {
	const SCAN: ReportGrammar = {
		notes: "text",
		keys: ["FINDINGS"],
		findings: "FINDINGS",
		signals: [
			{ signal: "clean", when: { FINDINGS: "none" } },
			{ signal: "findings", when: { FINDINGS: "*" } },
		],
	};
	const read = (text: string) => readReport(SCAN, text);

	for (const text of [
		"FINDINGS: none\nexcept for these:\n- [take-missing] there is no command take",
		"FINDINGS: none\n\nI looked at all of it.\n\n- [take-missing] there is no command take",
		"FINDINGS: none\n- there is no command take",
	])
		it(`has not decided: ${JSON.stringify(text)}`, () => {
			assert.equal(read(text).signal, "unreadable");
			assert.match(read(text).problem ?? "", /^FINDINGS says none, and then names .*there is no command take: say `FINDINGS: none`, or/);
		});

	for (const text of [
		"FINDINGS: none\n\nWhat I looked at:\n- src/a.ts\n- src/b.ts",
		"FINDINGS: none. All is well.\n\nThank you.",
		"FINDINGS: no findings",
	])
		it(`is clean: ${JSON.stringify(text)}`, () => assert.deepEqual([read(text).signal, read(text).findings], ["clean", []]));
});
