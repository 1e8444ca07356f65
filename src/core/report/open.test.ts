// Open reports: what agents of a pipeline print, and how pawl must never read it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { ReportGrammar } from "../definition.ts";
import { readReport } from "./report.ts";

const grammar: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "BRANCH", "ISSUES", "FEEDBACK", "FAILURES", "CHANGES", "STORIES_JSON"],
	signals: [
		{ signal: "retry", when: { STATUS: "retry" } },
		{ signal: "done", when: { STATUS: "done" } },
	],
	open: true,
	stories: "STORIES_JSON",
	maxStories: 20,
	expects: "STATUS: done",
	feedback: ["ISSUES", "FEEDBACK", "FAILURES"],
};
const read = (text: string, more: Partial<ReportGrammar> = {}) => readReport({ ...grammar, ...more }, text);
const story = (n: number, more: object = {}) => ({
	id: `US-${n}`,
	title: `T ${n}`,
	description: "d: {x} [",
	acceptanceCriteria: ["c"],
	...more,
});
const list = (...n: number[]) => JSON.stringify(n.map((i) => story(i)));

describe("open reports", () => {
	test("the key that decides is the grammar's own", () => {
		const signals = [
			{ signal: "again", when: { VERDICT: "again" } },
			{ signal: "done", when: { VERDICT: "fine" } },
		];
		const { expects: _, ...rest } = grammar;
		const said = (text: string): string => readReport({ ...rest, signals }, text).signal;
		assert.deepEqual(["VERDICT: fine", "VERDICT: again", "VERDICT: hm", "STATUS: retry\nVERDICT: fine", "STATUS: done"].map(said), [
			"done",
			"again",
			"unreadable",
			"done",
			"unreadable",
		]);
	});

	test("A-33 G-17 every line with a key becomes a field; a declared one runs on to the next that is declared", () => {
		const { signal, fields } = read("Some prose.\nSTATUS: done\nCHANGES: one\n- two\nOUTLINE: three\nURL_LIST:\n- http://x\nISSUES: x\n");
		assert.equal(signal, "done");
		assert.equal(fields["CHANGES"], "one\n- two\nOUTLINE: three\nURL_LIST:\n- http://x");
		assert.equal(fields["ISSUES"], "x");
		assert.equal(fields["OUTLINE"], "three");
		assert.equal(fields["URL_LIST"], "- http://x");
	});

	test("G-17 a key in bold in a list counts where a step is asked for it and says it nowhere else; a judge's points do not", () => {
		const text = "### STATUS: done\n### CHANGES\npages() rounds down\n- **BRANCH**: fix/pages\n- **CHANGES**: none of it\n";
		const { fields, lacks } = read(text, { wants: { done: ["CHANGES", "BRANCH"] } });
		assert.deepEqual([fields["BRANCH"]?.split("\n")[0], lacks], ["fix/pages", undefined]);
		assert.match(fields["CHANGES"] ?? "", /pages\(\) rounds down/);
		const judged = read("STATUS: retry\nISSUES:\n- **BRANCH**: wrong", { wants: { done: ["BRANCH"] }, denies: { ISSUES: "*" } });
		assert.match(judged.fields["ISSUES"] ?? "", /BRANCH/);
	});

	test("G-17 what is kept of a report that is said twice is there once", () => {
		const { fields, kept } = read("STATUS: done\nCHANGES: a\nBRANCH: x\n\nSTATUS: done\nCHANGES: a\nBRANCH: x\n", {
			keep: { said: "CHANGES" },
		});
		assert.deepEqual([fields["CHANGES"], kept], ["a", [{ name: "said", text: "a" }]]);
	});

	test("a list item, an address and a lower-case word are not keys", () => {
		const { fields } = read("STATUS: retry\nISSUES:\n- API: no answer\n- STATUS: done is shown\nhttps://a.b\nHTTP://x\nNote: hm\n");
		assert.deepEqual(Object.keys(fields).sort(), ["FEEDBACK_TEXT", "ISSUES", "STATUS"]);
		assert.match(fields["ISSUES"] ?? "", /API: no answer\n- STATUS: done is shown\nhttps:\/\/a\.b\nHTTP:\/\/x\nNote: hm/);
	});

	for (const [what, text] of Object.entries({
		bold: `**STATUS:** done\n**STORIES_JSON:** ${list(1, 2)}\n`,
		fenced: `\`\`\`\nSTATUS: done\nSTORIES_JSON: ${list(1, 2)}\n\`\`\`\n`,
		"its own fence": `STATUS: done\nSTORIES_JSON:\n\`\`\`json\n${JSON.stringify([story(1), story(2)], null, 2)}\n\`\`\`\nBRANCH: x\n`,
		"prose after it": `STATUS: done\nSTORIES_JSON: ${list(1, 2)}\nThat is all [really].\n`,
		CRLF: `STATUS: done\r\nSTORIES_JSON: ${JSON.stringify([story(1), story(2)], null, 2).replaceAll("\n", "\r\n")}\r\nBRANCH:x\r\n`,
		"a bare key behind it": `STATUS: done\nSTORIES_JSON: ${list(1, 2)}\nBRANCH:\nfeature/x\n`,
		"keys in the JSON": `STATUS: done\nSTORIES_JSON: [${JSON.stringify(story(1, { description: "STATUS: retry\nBRANCH: no" }))},\n${JSON.stringify(story(2))}]\n`,
		restated: `STORIES_JSON: ${list(1)}\nHmm, better:\nSTORIES_JSON: ${list(1, 2)}\nSTATUS: done\n`,
		"announced before": `STORIES_JSON: see below\nSTATUS: done\nSTORIES_JSON: ${list(1, 2)}\n`,
	}))
		test(`A-47 A-48 stories are found: ${what}`, () => {
			const report = read(text);
			assert.equal(report.signal, "done", report.problem ?? "");
			assert.deepEqual(
				report.stories?.map((s) => s.id),
				["US-1", "US-2"],
			);
		});

	for (const [what, text] of Object.entries({
		"two halves": `STATUS: done\nSTORIES_JSON: ${list(1)}\nSTORIES_JSON: ${list(2)}\n`,
		"cut off": `STATUS: done\nSTORIES_JSON: ${list(1, 2).slice(0, -1)}\n`,
		"the last of two cut off": `STATUS: done\nSTORIES_JSON: ${list(1)}\nSTORIES_JSON: ${list(1, 2).slice(0, -3)}\n`,
		empty: "STATUS: done\nSTORIES_JSON: []\n",
		nothing: "STATUS: done\nSTORIES_JSON:\n",
		"an object": `STATUS: done\nSTORIES_JSON: {"stories": ${list(1)}}\n`,
		"twenty-one": `STATUS: done\nSTORIES_JSON: ${list(...Array.from({ length: 21 }, (_, i) => i))}\n`,
		"a need that is not there": `STATUS: done\nSTORIES_JSON: ${JSON.stringify([story(1, { depends_on: ["US-9"] })])}\n`,
		"a circle": `STATUS: done\nSTORIES_JSON: ${JSON.stringify([story(1, { depends_on: ["US-2"] }), story(2, { depends_on: ["US-1"] })])}\n`,
	}))
		test(`A-49 A-51 A-52 no list comes of it: ${what}`, () => {
			const report = read(text);
			assert.equal(report.signal, "unreadable");
			assert.equal(report.stories, null);
			assert.ok(report.problem);
		});

	test("A-04 the number of stories is named where it is too high", () => {
		assert.match(
			read(`STATUS: done\nSTORIES_JSON: ${list(...Array.from({ length: 21 }, (_, i) => i))}`).problem ?? "",
			/21 stories, and 20/,
		);
	});

	test("A-75 A-44 without the expected text it is unreadable; a retry is a retry", () => {
		assert.equal(read("All good!").signal, "unreadable");
		assert.equal(read("It says STATUS: done in the text").signal, "unreadable");
		assert.equal(read("STATUS: done | retry").signal, "unreadable");
		assert.equal(read("STATUS: failed").signal, "unreadable");
		assert.equal(read("STATUS: retry\nISSUES: x").signal, "retry");
		assert.equal(read("STATUS: done ✅").signal, "done");
		assert.equal(read("STATUS: done - all green").signal, "done");
		assert.equal(read("DECISION: approved", { expects: "DECISION: approved" }).signal, "done");
		assert.equal(read("STATUS: failed\nPR: none", { expects: "PR:" }).signal, "unreadable");
		assert.equal(read("PR: http://x", { expects: "PR:" }).signal, "done");
		assert.equal(read("we are READY now", { expects: "READY" }).signal, "done");
	});

	test("A-41 the problem is passed on, whatever its key", () => {
		assert.equal(read("STATUS: retry\nFAILURES: f").fields["FEEDBACK_TEXT"], "f");
		assert.equal(read("STATUS: retry\nISSUES: i\nFEEDBACK: g").fields["FEEDBACK_TEXT"], "i");
		assert.match(read("It is broken.\nSTATUS: retry").fields["FEEDBACK_TEXT"] ?? "", /It is broken/);
	});

	test("whatever is printed, there is an answer, and never a part of a list", () => {
		const piece = fc.oneof(
			fc.string(),
			fc.constantFrom(
				"STATUS: done",
				"STATUS: retry",
				"STORIES_JSON:",
				"```",
				"**",
				"\r\n",
				"\n",
				"[",
				"]",
				"{",
				"}",
				'"',
				"\\",
				",",
				":",
				list(1),
				list(1, 2, 3),
				list(2),
			),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
				const { signal, stories } = read(pieces.join(""));
				assert.ok(["done", "retry", "unreadable"].includes(signal));
				const whole = [["US-1"], ["US-2"], ["US-1", "US-2", "US-3"]];
				if (stories !== null) assert.ok(whole.some((ids) => ids.join() === stories.map((s) => s.id).join()));
			}),
			{ numRuns: 2000 },
		);
	});
});
