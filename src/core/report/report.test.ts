import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ReportGrammar } from "../definition.ts";
import { anyText } from "../testing/any-text.suite.ts";
import { readReport } from "./report.ts";

const SUMMARY: ReportGrammar = { notes: "summary", keys: [], signals: [] };
const REVIEW: ReportGrammar = {
	notes: "text",
	keys: ["VERDICT", "FINDINGS"],
	findings: "FINDINGS",
	signals: [
		{ signal: "acceptable", when: { VERDICT: "ACCEPTABLE" } },
		{ signal: "needs_work", when: { VERDICT: "NEEDS WORK" } },
		{ signal: "block", when: { VERDICT: "BLOCK" } },
	],
};
const TEST: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "REASON", "ESCALATE_TO_CHECK", "FAILURE"],
	required: ["STATUS"],
	signals: [
		{ signal: "missing_seam", when: { STATUS: "NOT_TESTABLE", REASON: "missing_seam*" } },
		{ signal: "not_testable", when: { STATUS: "NOT_TESTABLE" } },
		{ signal: "escalated", when: { STATUS: "TESTS_READY", ESCALATE_TO_CHECK: "true" } },
		{ signal: "tests_ready", when: { STATUS: "TESTS_READY", FAILURE: "*" } },
	],
};
const PLAN: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "REPO", "BRANCH", "STORIES_JSON"],
	required: ["STATUS", "STORIES_JSON"],
	stories: "STORIES_JSON",
	signals: [{ signal: "done", when: { STATUS: "done" } }],
};
const signal = (grammar: ReportGrammar, text: string): string => readReport(grammar, text).signal;
const notes = (text: string): string => readReport(SUMMARY, text).notes;

describe("notes", () => {
	const forms = [
		"## SUMMARY\n- one\n- two\n",
		"SUMMARY:\n- one\n- two",
		"**SUMMARY**\n\n- one\n- two\n\n",
		"**Summary:**\n- one\n- two",
		"###### summary ##\n- one\n- two",
		"# **SUMMARY** (3-5 lines):\n- one\n- two",
		"SUMMARY\n-------\n- one\n- two",
		"SUMMARY: - one\n- two",
		"```\n## SUMMARY\n- one\n- two\n```\n",
	];
	for (const form of forms)
		it(`D-30 D-32 the text after the heading ${JSON.stringify(form.slice(0, 30))}`, () => {
			for (const text of [form, form.replaceAll("\n", "\r\n"), `## SUMMARY\nan older one\n\nblah\n\n${form}`]) {
				const report = readReport(SUMMARY, text);
				assert.deepEqual([report.notes, report.signal, report.problem], ["- one\n- two", "done", null]);
			}
		});
	it("D-32 prose about a summary is not a heading", () => {
		for (const text of ["In summary: it works", "The SUMMARY is below", "> ## SUMMARY\n> x", "## Summary table of things\nx"]) {
			const report = readReport(SUMMARY, text);
			assert.deepEqual([report.notes, report.problem], [text, "no SUMMARY section"]);
		}
	});
	it("D-32 a sentence 'Summary: …' counts only if there is no heading", () => {
		assert.equal(notes("x\nSummary: all well\nmore"), "all well\nmore");
		assert.equal(notes("## SUMMARY\n- a\nSummary: b"), "- a\nSummary: b");
	});
	it("D-32 without a summary the tail is kept, the step is done and the problem named", () => {
		const report = readReport(SUMMARY, `${"x".repeat(5000)}END`);
		assert.equal(report.notes.length, 2000);
		assert.ok(report.notes.endsWith("END"));
		assert.deepEqual([report.signal, report.problem], ["done", "no SUMMARY section"]);
		assert.ok(readReport(SUMMARY, `${"😀".repeat(1000)}x`).notes.isWellFormed());
	});
	it("D-32 a message without any text still gives notes", () => {
		assert.deepEqual([readReport(SUMMARY, "").notes, readReport(SUMMARY, " \n").signal], ["", "done"]);
	});
	it("an empty last heading does not hide the summary before it", () => {
		assert.equal(notes("## SUMMARY\n- real\n\n## SUMMARY\n"), "- real\n\n## SUMMARY");
	});
	it("are bounded to 16 KiB, in bytes", () => {
		const long = notes(`## SUMMARY\n${"ü".repeat(20_000)}`);
		assert.ok(Buffer.byteLength(long) <= 16 * 1024 && Buffer.byteLength(long) > 16 * 1024 - 10);
		assert.match(long, /\[cut: too long\]$/);
		assert.ok(Buffer.byteLength(readReport(REVIEW, "ü".repeat(20_000)).notes) <= 16 * 1024);
	});
});

describe("signals", () => {
	const accepted = [
		"VERDICT: ACCEPTABLE",
		"verdict: acceptable",
		"**VERDICT:** ACCEPTABLE",
		"**VERDICT**: `ACCEPTABLE`",
		"**VERDICT: ACCEPTABLE**",
		"`VERDICT: ACCEPTABLE`",
		'- VERDICT: "Acceptable".',
		"### Verdict: ACCEPTABLE",
		"VERDICT:\n\nACCEPTABLE",
		"VERDICT:\n```\nACCEPTABLE\n```",
		"```\nVERDICT: ACCEPTABLE\n```\nThat is all.",
		"VERDICT: ACCEPTABLE\n\nI have looked at all of it.\n\nVERDICT: ACCEPTABLE\n\nGood work.",
	];
	for (const text of accepted)
		it(`U-07 reads ${JSON.stringify(text)}`, () => {
			assert.equal(signal(REVIEW, text), "acceptable");
			assert.equal(signal(REVIEW, `Hello.\r\n\r\n${text.replaceAll("\n", "\r\n")}\r\n`), "acceptable");
		});
	const absent = /^it has no VERDICT line: say VERDICT: with one of ACCEPTABLE, NEEDS WORK, BLOCK$/;
	const unreadable: readonly (readonly [string, RegExp])[] = [
		["", absent],
		["Looks great to me, accepted. Ship it!", absent],
		["I cannot yet say `VERDICT: ACCEPTABLE`, for I have not read the plan.", absent],
		["`VERDICT: ACCEPTABLE` is what I would say if I had read it.", absent],
		["> VERDICT: ACCEPTABLE", /^its only VERDICT line is in a quotation/],
		['"VERDICT: ACCEPTABLE"', absent],
		["VERDICT: ACCEPTABLE|NEEDS WORK|BLOCK", /^VERDICT: `ACCEPTABLE\|NEEDS WORK\|BLOCK` is none of ACCEPTABLE, NEEDS WORK, BLOCK$/],
		["VERDICT: ACCEPTABLE or maybe not", /^VERDICT: `ACCEPTABLE or maybe not` is none of/],
		["VERDICT: ACCEPTABLE, but only once the tests pass", /^VERDICT: `ACCEPTABLE, but only once the tests pass` is none of/],
		["VERDICT: ACCEPTABLE\nVERDICT: not sure", /^VERDICT has two values, `ACCEPTABLE` and `not sure`/],
		["VERDICT: BLOCK\n\nNo, I take that back.\n\nVERDICT: ACCEPTABLE\n\nGood.", /^VERDICT has two values, `BLOCK` and `ACCEPTABLE`/],
		["MY_VERDICT: ACCEPTABLE", absent],
		["VERDICT2: ACCEPTABLE", absent],
		["VERDICT ACCEPTABLE", absent],
		["VERDICT:", absent],
		["not acceptable", absent],
	];
	for (const [text, problem] of unreadable)
		it(`C-22 never takes for a pass ${JSON.stringify(text)}`, () => {
			const report = readReport(REVIEW, text);
			assert.equal(report.signal, "unreadable");
			assert.match(report.problem ?? "", problem);
		});
	it("a value with spaces or underscores is the same", () => {
		for (const text of ["needs work", "NEEDS_WORK", "Needs-Work"]) assert.equal(signal(REVIEW, `VERDICT: ${text}`), "needs_work");
	});
	it("the first rule whose keys all match wins; a star is a prefix that wants something", () => {
		assert.equal(signal(TEST, "STATUS: NOT_TESTABLE\nREASON: missing_seam: no clock"), "missing_seam");
		assert.equal(signal(TEST, "STATUS: NOT_TESTABLE\nREASON: pure wiring"), "not_testable");
		assert.equal(signal(TEST, "STATUS: NOT_TESTABLE"), "not_testable");
		assert.equal(signal(TEST, "STATUS: TESTS_READY\nESCALATE_TO_CHECK: true\nFAILURE: x"), "escalated");
		assert.equal(signal(TEST, "STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: expected 5"), "tests_ready");
		assert.equal(signal(TEST, "STATUS: TESTS_READY\nFAILURE:\n"), "unreadable");
	});
	it("O-74 a rule may want a finding of a class; a rule that wants nothing never matches", () => {
		const when = { VERDICT: "NEEDS WORK" };
		const grammar: ReportGrammar = {
			...REVIEW,
			signals: [
				{ signal: "empty", when: {} },
				{ signal: "plan", when, finding: "plan" },
				{ signal: "other", when },
			],
		};
		assert.equal(signal(grammar, "VERDICT: NEEDS WORK\nFINDINGS:\n- [a] test: x\n- [b] Plan: y"), "plan");
		assert.equal(signal(grammar, "VERDICT: NEEDS WORK\nFINDINGS:\n- [a] test: the plan: y"), "other");
		assert.equal(signal(grammar, "FINDINGS: none"), "unreadable");
	});
	it("a required key that is missing or empty is unreadable", () => {
		const grammar: ReportGrammar = { notes: "text", keys: ["STATUS"], required: ["STATUS"], signals: [] };
		assert.equal(signal(grammar, "STATUS: done"), "done");
		assert.equal(readReport(grammar, "STATUS:\n").problem, "missing: STATUS");
		assert.equal(signal(grammar, "all done"), "unreadable");
	});
	it("R-08 an echo of the prompt is not a report", () => {
		const prompt = "Print one line:\nVERDICT: ACCEPTABLE\nor another.\n";
		assert.equal(readReport(REVIEW, prompt, {}, prompt).signal, "unreadable");
		assert.equal(readReport(REVIEW, `${prompt}\nVERDICT: BLOCK`, {}, prompt).signal, "block");
	});
});

describe("fields", () => {
	it("A-33 run on until the next key; foreign keys are text", () => {
		const report = readReport(TEST, "STATUS: TESTS_READY\nREASON: first\n  second\n\nOTHER: third\nFAILURE: last\n");
		assert.deepEqual(report.fields, { STATUS: "TESTS_READY", REASON: "first\n  second\n\nOTHER: third", FAILURE: "last" });
	});
	it("a key in another spelling is text where the key itself is there", () => {
		const report = readReport(TEST, "STATUS: TESTS_READY\nFAILURE: x\nREASON:\n- status: a new column\n- Failure: none seen");
		assert.equal(report.signal, "tests_ready");
		assert.equal(report.fields["REASON"], "- status: a new column\n- Failure: none seen");
	});
	it("lose the quotes and the fence around a whole value, and no others", () => {
		assert.equal(readReport(PLAN, "BRANCH: `feature/x`").fields["BRANCH"], "feature/x");
		assert.equal(readReport(PLAN, 'BRANCH: "a" or "b"').fields["BRANCH"], '"a" or "b"');
		assert.equal(readReport(PLAN, "REPO:\n```sh\n/tmp/x\n```").fields["REPO"], "/tmp/x");
	});
	it("a key that is repeated line after line is a list; told again later, the last list counts", () => {
		const grammar: ReportGrammar = { notes: "text", keys: ["STATUS", "LEARNING"], signals: [] };
		const text = "LEARNING: draft\nSTATUS: done\nLEARNING: insight | a\nLEARNING: pattern | b\n";
		assert.equal(readReport(grammar, text).fields["LEARNING"], "insight | a\npattern | b");
	});
	it("in a fence end with it", () => {
		assert.equal(readReport(PLAN, "```\nSTATUS: done\nREPO: /x\n```\nThat is all.").fields["REPO"], "/x");
	});
	it("are bounded", () => {
		assert.ok((readReport(PLAN, `REPO: ${"x".repeat(100_000)}`).fields["REPO"]?.length ?? 0) <= 16 * 1024);
	});
});

describe("findings", () => {
	const found = (text: string) => readReport(REVIEW, `VERDICT: BLOCK\nFINDINGS:${text}`).findings;
	it("have key, class and text; the class may be missing, a text may run on", () => {
		assert.deepEqual(
			found(
				"\n- [no-tests] test: nothing proves it,\n  not even by hand\n- [x/y] too long: by half\n* **[k]** Production: wrong\n\nThat is all.",
			),
			[
				{ key: "no-tests", class: "test", text: "nothing proves it,\nnot even by hand" },
				{ key: "x/y", class: "", text: "too long: by half" },
				{ key: "k", class: "production", text: "wrong" },
			],
		);
	});
	it("O-39 without a key have one made of the text", () => {
		assert.deepEqual(found("\n1. The  Plan\tis thin."), [{ key: "the plan is thin", class: "", text: "The  Plan\tis thin." }]);
		assert.deepEqual(
			found("\n- plan: *the* plan, is thin!").map((f) => f.key),
			["the plan is thin"],
			"the same complaint, set otherwise",
		);
		assert.deepEqual(found(" …?"), [{ key: "…?", class: "", text: "…?" }]);
		assert.deepEqual(found(" it is all wrong"), [{ key: "it is all wrong", class: "", text: "it is all wrong" }]);
	});
	it("are told apart by their keys if there are no bullets", () => {
		assert.deepEqual(
			found("\n[a] plan: x,\n  at length\n**[b]** test: y").map((f) => [f.key, f.class]),
			[
				["a", "plan"],
				["b", "test"],
			],
		);
	});
	it("O-74 have a class without a key too", () => {
		assert.deepEqual(found("\n- plan: it is thin\n- Cosmetic: a typo\n- the end: is missing"), [
			{ key: "it is thin", class: "plan", text: "it is thin" },
			{ key: "a typo", class: "cosmetic", text: "a typo" },
			{ key: "the end is missing", class: "", text: "the end: is missing" },
		]);
	});
	it("none is an empty list", () => {
		for (const text of [" none", " None.", "\n- none", "\n", " `none`", " (none)"]) assert.deepEqual(found(text), [], text);
		assert.deepEqual(readReport(REVIEW, "VERDICT: BLOCK").findings, []);
	});
});

describe("promise", () => {
	const PROMISED: ReportGrammar = { notes: "text", keys: [], signals: [], promise: "{{promise}}" };
	const said = (text: string, promise = "ALL STORIES PASS"): string => readReport(PROMISED, text, { promise }).signal;
	const TAG = "<promise>ALL STORIES PASS</promise>";
	it("R-07 R-08 is the exact tag alone on a line", () => {
		for (const text of [TAG, `Done.\n\n${TAG}\n`, `x\r\n  ${TAG}  \r\n`, "<promise> ALL STORIES PASS </promise>"])
			assert.equal(said(text), "promise", text);
	});
	it("G-17 may be in bold, in backticks, in a fence of its own or over lines", () => {
		for (const text of [
			`**${TAG}**`,
			`__${TAG}__`,
			`\`${TAG}\``,
			`All is done.\n\n\`\`\`\n${TAG}\n\`\`\`\n\nBye.`,
			`~~~xml\n\n${TAG}\n~~~`,
			"<promise>\nALL STORIES PASS\n</promise>",
			"**<promise>\n  ALL STORIES\n  PASS\n</promise>**",
			"```\n<promise>\nALL STORIES PASS\n</promise>\n```",
		])
			assert.equal(said(text), "promise", text);
	});
	it("G-17 that does not count is remarked on", () => {
		const problem = (text: string) => readReport(PROMISED, text, { promise: "ALL STORIES PASS" }).problem;
		assert.match(problem(`I will say ${TAG} later`) ?? "", /does not stand on a line of its own/);
		assert.match(problem(`> ${TAG}`) ?? "", /does not stand on a line of its own/);
		assert.match(problem("<promise>all stories pass</promise>") ?? "", /`all stories pass` is not the one that was asked for/);
		assert.equal(problem("Not yet."), null);
		assert.equal(problem(TAG), null);
	});
	it("R-07 R-08 is nothing else", () => {
		const others = ["<promise>all stories pass</promise>", "<promise>ALL STORIES</promise>", "ALL STORIES PASS", `I will say ${TAG} later`];
		for (const text of [...others, `> ${TAG}`, `\`\`\`\necho "${TAG}"\n${TAG}\n\`\`\``, `${TAG}.`]) assert.equal(said(text), "done", text);
	});
	it("R-08 is not what the prompt asks for, quoted with the line before it", () => {
		const prompt = "Work.\n\nWhen all is done, print this line:\n\n<promise>DONE</promise>\n\nNever before.\n";
		const said = (text: string) => readReport({ notes: "text", keys: [], signals: [], promise: "DONE" }, text, {}, prompt).signal;
		assert.equal(said("I was told:\nWhen all is done, print this line:\n<promise>DONE</promise>\nso I go on."), "done");
		assert.equal(said("When all is done, print this line:\n```\n<promise>DONE</promise>\n```\nNot yet."), "done");
		assert.equal(said("Everything is there.\n\n<promise>DONE</promise>"), "promise");
		assert.equal(said(`${prompt}\nNot yet.`), "done");
	});

	it("R-08 cannot be kept where none was given", () => {
		assert.equal(said("<promise></promise>", ""), "done");
		assert.equal(readReport(PROMISED, "<promise></promise>", {}).signal, "done");
	});
});

describe("any text at all", () => {
	const full: ReportGrammar = {
		...PLAN,
		notes: "summary",
		findings: "FINDINGS",
		promise: "x",
		signals: [...PLAN.signals, ...TEST.signals],
	};
	const piece = fc.oneof(
		anyText(),
		fc.constantFrom(
			"STATUS:",
			"done",
			"\n",
			"\r\n",
			"**",
			"```",
			"STORIES_JSON:",
			"[",
			"]",
			"{",
			"}",
			'"',
			"\\",
			"## SUMMARY",
			"FINDINGS:",
			"- [k] c: t",
			"<promise>",
			"</promise>",
			"x",
			" ",
			"\ud800",
			"\u2028",
			"\0",
		),
	);
	const signals = ["unreadable", "promise", ...full.signals.map((rule) => rule.signal)];
	it("gives a value with a known signal and bounded notes, and never throws", () => {
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
				for (const grammar of [full, REVIEW, SUMMARY]) {
					const report = readReport(grammar, pieces.join(""), { x: "y" });
					assert.ok(grammar !== full || signals.includes(report.signal));
					assert.ok(Buffer.byteLength(report.notes) <= 16 * 1024);
					assert.ok(report.stories === null || report.stories.length > 0);
				}
			}),
			{ numRuns: 500 },
		);
	});
	it("U-07 without a line that decides is never a pass", () => {
		fc.assert(
			fc.property(anyText({ maxLength: 200 }), (text) => {
				fc.pre(!/verdict/i.test(text));
				assert.equal(signal(REVIEW, text), "unreadable");
			}),
		);
	});
	it("that is long and made to be slow is read like any other", () => {
		// Quadratic work on any of these would take minutes: the file's time limit is the assertion.
		const units = [
			"a",
			" ",
			"\t",
			"*",
			"_",
			"`",
			"#",
			"\n",
			"\r",
			"- ",
			"[",
			"STATUS",
			"STATUS: ",
			"STATUS: x\n",
			"SUMMARY\n",
			"SUMMARY: ",
			"## SUMMARY\n\n",
			"```\n",
			"FINDINGS:\n- [",
			"- x\n",
			"<promise>",
			"STORIES_JSON: [",
			'"\\',
			"1. ",
			"{{x}}",
			"(",
			"summary (",
		];
		for (const unit of units)
			for (const start of ["", "STATUS: ", "FINDINGS: ", "STORIES_JSON: [", "## SUMMARY\n", "SUMMARY ("]) {
				const report = readReport(full, start + unit.repeat(2 ** 16 / unit.length), { x: "y" });
				assert.ok(signals.includes(report.signal));
			}
	});
});

it("O-74 a rule can ask for a finding of any class, or for findings of one class only", () => {
	const grammar: ReportGrammar = {
		notes: "text",
		keys: ["VERDICT", "FINDINGS"],
		findings: "FINDINGS",
		signals: [
			{ signal: "plan_level", when: { VERDICT: "BLOCK" }, finding: "plan" },
			{ signal: "cosmetic", when: { VERDICT: "BLOCK" }, only: "cosmetic" },
			{ signal: "production", when: { VERDICT: "BLOCK" }, finding: "*" },
		],
	};
	const read = (findings: string) => readReport(grammar, `VERDICT: BLOCK\nFINDINGS:${findings}\n`).signal;
	assert.equal(read("\n- [a] cosmetic: a typo\n- [b] Plan: it is wrong"), "plan_level");
	assert.equal(read("\n- [a] cosmetic: a typo\n- [b] cosmetic: another"), "cosmetic");
	assert.equal(read("\n- [a] cosmetic: a typo\n- [b] it crashes"), "production");
	assert.equal(read("\n- [a] plan-level: it is wrong"), "plan_level");
	assert.equal(read("\n- [a] planning: it is wrong"), "production");
	assert.equal(read(" none"), "unreadable", "nothing to act on is no verdict");
});
