// Why a report cannot be read, word for word; what of a message is kept; quotations, promises and summaries at their borders.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { bounded, lastWords, NOTES_BYTES, readSummary, wholeText } from "./notes.ts";
import { keptOf, readReport } from "./report.ts";

const rule = (signal: string, when: Record<string, string>, more: object = {}) => ({ signal, when, ...more });
const grammar = (more: Partial<ReportGrammar> = {}): ReportGrammar => ({ notes: "text", keys: [], signals: [], ...more });
const why = (of: ReportGrammar, text: string) => readReport(of, text).problem;

const PAIR = grammar({
	signals: [rule("a", { A: "1*", B: "x" }), rule("b", { A: "2", B: "y|z" }), rule("c", { A: "2", C: "*" })],
});
const REVIEW = grammar({
	findings: "LIST",
	signals: [rule("plan", { V: "bad" }, { finding: "plan" }), rule("small", { V: "minor" }, { only: "cosmetic" }), rule("ok", { V: "ok" })],
});

test("T-32 what is wrong with the values of a report, all of it at once", () => {
	for (const [text, problem] of [
		["", "it has no A, B line: say A: with one of 1, 2"],
		["A: 3", "A: `3` is none of 1, 2"],
		["A: 3\nB: w", "A: `3` is none of 1, 2; B: `w` is none of x, y, z"],
		["A: 1\nB: w", "B: `w` is none of x, y, z"],
		["A: 1 and more", "A: 1 and more needs B as well"],
		["A: 2", "A: 2 needs B as well"],
		["B: y", "B: y needs A as well"],
		["A: 1\nB: y", "A: 1, B: y: no answer that is asked for has these together"],
		["  >> A: 1\n>B: x", "its only A, B line is in a quotation: say it outside of it"],
		["> A: 1\n> B: x", "its only A, B line is in a quotation: say it outside of it"],
		["A: 1\n> B: x", "A: 1 needs B as well"],
	] as const)
		assert.equal(why(PAIR, text), problem, JSON.stringify(text));
	const three = grammar({ signals: [rule("a", { A: "1", B: "x", C: "*" })] });
	assert.equal(why(three, "A: 1\nB: y"), "B: `y` is none of x; it needs C as well");
	assert.equal(why(three, "B: y\nC: z"), "B: `y` is none of x; it needs A as well");
	assert.equal(why(three, "C: z"), "C: z needs A, B as well");
	assert.equal(why(grammar({ signals: [rule("a", {})] }), "x"), "it says nothing that decides");
	assert.equal(
		why(grammar({ signals: [rule("a", { A: "*" }), rule("b", { A: "1 *" })] }), ""),
		"it has no A line: say A: with one of any text, 1",
	);
	const more = [
		rule("c", { Q: "*" }),
		rule("a", { A: "1", B: "y", C: "*", Z: "k" }),
		rule("b", { A: "1", B: "x", D: "*", E: "*", Z: "k" }),
		rule("d", { A: "2", B: "w", Z: "k" }),
	];
	assert.equal(why(grammar({ signals: more }), "A: 1\nB: x\nZ: bad"), "Z: `bad` is none of k; it needs D, E as well");
	assert.equal(why(grammar({ signals: more }), "A: 2\nB: x\nZ: bad"), "Z: `bad` is none of k", "no answer has these together");
	const some = grammar({ signals: [rule("a", { A: "1", B: "x", D: "q", E: "r" }), rule("b", { A: "2", B: "y", D: "q", E: "r" })] });
	assert.equal(why(some, "A: 1\nB: y"), "A: 1, B: y needs D, E as well");
	const unasked = grammar({ signals: [rule("a", { A: "1" }), rule("b", { A: "2" }, { unasked: true })] });
	assert.equal(why(unasked, "A: 3"), "A: `3` is none of 1", "what no task offers is not told");
});

test("T-32 findings that are wanted and missing, or of another class", () => {
	for (const [text, problem] of [
		["V: bad", "V: bad needs findings under LIST, as `- [key] class: text`"],
		["V: bad\n- it is thin", "findings under V: bad\n- it is thin have no `[key] class:`".replace("\n- it is thin", "")],
		["V: bad\nLIST:\n- [a] test: x\n- [b] y", "the findings under V: bad are of class test, none, and one of class plan is wanted"],
		["V: minor\nLIST:\n- [a] test: x", "the findings under V: minor are of class test, and one of class cosmetic is wanted"],
		["V: bad\n12. it is thin", "findings under V: bad have no `[key] class:`"],
		["V: bad\n\t• it is thin", "findings under V: bad have no `[key] class:`"],
		["V: bad (see - this)", "V: bad (see - this) needs findings under LIST, as `- [key] class: text`"],
		["V: minor", "V: minor needs findings under LIST, as `- [key] class: text`"],
	] as const)
		assert.equal(why(REVIEW, text), problem, JSON.stringify(text));
	assert.equal(why(REVIEW, "V: ok"), null);
	const two = grammar({ findings: "LIST", signals: [rule("plan", { V: "bad", W: "x" }, { finding: "plan" })] });
	assert.equal(why(two, "V: bad"), "V: bad needs W as well");
	const found = grammar({ findings: "LIST", signals: [rule("all", {}, { only: "small" }), rule("any", {}, { finding: "*" })] });
	const signals = ["- [a] small: x", "- [a] small: x\n- [b] plan: y", "none"].map((list) => readReport(found, `LIST:\n${list}`).signal);
	assert.deepEqual(signals, ["all", "any", "unreadable"], "findings alone may decide");
	assert.equal(readReport(grammar({ signals: [rule("x", { A: "*" })] }), "nothing").signal, "unreadable", "any text is not no text");
	const bare = grammar({ signals: [rule("plan", { V: "bad" }, { finding: "plan" })] });
	assert.equal(why(bare, "V: bad"), "V: bad needs findings under FINDINGS, as `- [key] class: text`");
});

test("G-25 two values of a key that decides, and findings beside a none, are told with both", () => {
	const twice = "V has two values, `ok` and `bad`: say it once, and put `>` before lines that you quote";
	assert.equal(why(REVIEW, "V: ok\n\nV: OK\nV: bad\nV: minor"), twice);
	assert.equal(why(REVIEW, "V:\nLIST: none\nV: ok"), null, "one that says nothing is none");
	const scan = grammar({ findings: "LIST", signals: [rule("clean", { LIST: "none" }), rule("found", { LIST: "*" })] });
	const items = ["a", "b", "c", "d"].map((key) => `- [${key}] t`).join("\n");
	assert.equal(
		why(scan, `LIST: none\n${items}`),
		'LIST says none, and then names [a] t, [b] t, [c] t: say `LIST: none`, or give the list without "none"',
	);
	const signals = ["LIST:\n- [a] t", "LIST: no findings", "LIST: none. Well done.", "LIST:", "x"].map(
		(text) => readReport(scan, text).signal,
	);
	assert.deepEqual(signals, ["found", "clean", "clean", "unreadable", "unreadable"]);
	const said = grammar({ findings: "LIST", signals: [rule("ok", { V: "ok", LIST: "*" })] });
	assert.equal(readReport(said, `V: ok\nLIST: none\n${items}`).signal, "ok", "where the list does not decide, nothing is contradicted");
});

test("A-75 an open report that does not say what is expected is quoted: its reason, or the end of it without the word that decides", () => {
	const open = grammar({
		keys: ["STATUS", "DECISION"],
		signals: [rule("retry", { STATUS: "retry" }), rule("done", { STATUS: "done" })],
		open: true,
		expects: "STATUS: done",
		denies: { DECISION: "no" },
		feedback: ["ISSUES"],
	});
	for (const [text, problem] of [
		["", "it does not say STATUS: done"],
		["I stop  here.\n\n**DECISION:** no\n", "it does not say STATUS: done; it says: I stop here."],
		["REASON: no\tnetwork\nmore", "it does not say STATUS: done; it says: no network more"],
		["ERROR: broken", "it does not say STATUS: done; it says: broken"],
		["ERROR: broken\nREASON: no", "it does not say STATUS: done; it says: no"],
		["ISSUES: a\nREASON: b", "it does not say STATUS: done; it says: a"],
		["STATUS: hm\nx", "STATUS: `hm` is none of retry, done; it says: x"],
		[`${"y".repeat(600)}`, `it does not say STATUS: done; it says: ${"y".repeat(600)}`],
		[`x${"y".repeat(600)}`, `it does not say STATUS: done; it says: …${"y".repeat(600)}`],
	] as const)
		assert.equal(why(open, text), problem, text.slice(0, 40));
	const feedback = (text: string) => readReport(open, text).fields["FEEDBACK_TEXT"];
	assert.equal(feedback("STATUS: retry\nIt is red.\n_Decision_ : no"), "It is red.");
	assert.equal(feedback("STATUS: retry"), "No reason was given.");
	assert.equal(feedback("STATUS: retry\nISSUES:\n- a"), "- a");
});

test("A-75 what is expected may be a key with any value, or any text; other signals come first", () => {
	const open = (expects: string) =>
		grammar({ keys: ["STATUS"], signals: [rule("retry", { STATUS: "retry" }), rule("done", { STATUS: "done" })], open: true, expects });
	const signal = (expects: string, text: string) => readReport(open(expects), text).signal;
	assert.equal(signal("PR:", "PR: x"), "done");
	assert.equal(signal("PR:", "PR:"), "unreadable");
	assert.equal(signal("PR:", "STATUS: hm\nPR: x"), "unreadable", "the key of done says something else");
	assert.equal(signal("PR:", "STATUS: done\nPR: x"), "done");
	assert.equal(signal("PR:", "STATUS: done"), "unreadable", "done alone is not what is expected");
	assert.equal(why(open("PR:"), "PR: x\nSTATUS: hm"), "STATUS: `hm` is none of retry, done; it says: PR: x");
	assert.equal(signal(" READY ", "it is READY."), "done");
	const value = (of: ReportGrammar, key: string) => readReport(of, `${key}: ok\nand more`).fields[key];
	assert.deepEqual([value(open("PR: ok"), "PR"), value(open("PR:"), "PR")], ["ok", "ok\nand more"], "a word that is expected is one line");
	assert.equal(value(grammar({ signals: [rule("done", { V: "*" })], open: true }), "V"), "ok", "so is what the rule of done looks at");
	assert.deepEqual(
		["approved", "rejected"].map((word) => signal("DECISION: approved", `DECISION: ${word}`)),
		["done", "unreadable"],
	);
	assert.equal(signal("READY", "it is ready"), "unreadable");
	assert.equal(signal("READY", "READY\nSTATUS: retry"), "retry");
	const none = grammar({ signals: [rule("retry", { STATUS: "retry" })], open: true });
	assert.equal(readReport(none, "anything").signal, "done", "nothing is expected");
});

test("I16 only the end of a message that is too long is read, and the promise and the echo are compared without space around them", () => {
	const done = grammar({ signals: [rule("done", { V: "ok" })] });
	assert.equal(why(done, `${" ".repeat(256 * 1024)}\nV: ok`), "it is longer than 256 KiB, and only its end was read");
	assert.equal(why(done, `${" ".repeat(256 * 1024 - 6)}\nV: ok`), null);
	const promised = grammar({ promise: " {{p}} " });
	assert.equal(readReport(promised, "<promise>P</promise>", { p: "P" }).signal, "promise");
	assert.equal(readReport(done, "say\nV: ok\n", {}, "\n  say\nV: ok\n\n").signal, "unreadable", "the prompt, with other space around it");
	assert.equal(readReport(done, "V: ok", {}, "  ").signal, "done");
	assert.equal(readReport(done, "PROMPT\nV: ok", {}, "PROMPT").notes, "V: ok", "nothing is left of an echo");
	assert.equal(readReport(done, "$&V: ok\nV: ok", {}, "$&").signal, "done");
});

test("G-17 what is kept of a report: each text once, at most fifty, none too long, under every name that wants it", () => {
	const keeps = grammar({ keep: { a: "K", b: "K", c: "L" } });
	assert.deepEqual(keptOf(keeps, "K", [" x ", "x", "", "y"]), [
		{ name: "a", text: "x" },
		{ name: "a", text: "y" },
		{ name: "b", text: "x" },
		{ name: "b", text: "y" },
	]);
	assert.deepEqual(keptOf(keeps, "M", ["x"]), []);
	assert.deepEqual(keptOf(grammar(), "K", ["x"]), []);
	assert.equal(
		keptOf(
			keeps,
			"L",
			Array.from({ length: 60 }, (_, i) => `${i}`),
		).length,
		50,
	);
	assert.equal(keptOf(keeps, "L", ["ä".repeat(3000)])[0]?.text.length, 2048);
	const report = readReport(grammar({ keep: { lessons: "LEARNED" } }), "LEARNED: a\nOTHER: x\nLEARNED: b");
	assert.deepEqual(
		report.kept?.map(({ text }) => text),
		["a\nOTHER: x", "b"],
	);
	assert.equal("kept" in readReport(keeps, "x"), false);
});

test("G-17 a list that decides nothing is joined; of a key that decides the last value counts", () => {
	const of = grammar({ keys: ["NOTE", "V"], signals: [rule("done", { V: "ok*" })] });
	const { fields, signal } = readReport(of, "NOTE: a\nNOTE: b\nV: ok\nV: ok (still)");
	assert.deepEqual([fields["NOTE"], fields["V"], signal], ["a\nb", "ok (still)", "done"]);
	const missing = grammar({ required: ["A", "B"] });
	assert.equal(why(missing, "x"), "missing: A, B");
	assert.equal(why(missing, "A: 1\nB: 2"), null);
	assert.equal(why({ ...missing, signals: [rule("done", { V: "ok" })] }, "A: 1"), "missing: B; it has no V line: say V: with one of ok");
	assert.equal(readReport(grammar({ expects: "PR:" }), "PR: a\nPR: b").fields["PR"], "b", "what is expected is one value");
	const wants = grammar({ keys: ["V", "X"], signals: [rule("done", { V: "ok" })], wants: { done: ["X", "Y"] } });
	assert.equal(why(wants, "V: ok"), "it has no X, Y");
});

test("O-74 findings in the right form count without their key, but not those in a fence", () => {
	const keys = (text: string) => readReport(REVIEW, text).findings.map(({ key }) => key);
	assert.deepEqual(keys("V: bad\n- [a] plan: x\n```\n- [b] plan: y\n```"), ["a"]);
	assert.deepEqual(keys("V: bad\nLIST:\n- [a] x\n\n"), ["a"]);
	assert.deepEqual(readReport(grammar({ signals: [rule("ok", { V: "ok" })] }), "V: ok\n- [a] plan: x").findings, []);
});

const STEP = grammar({ keys: ["STATUS", "NOTE"], signals: [rule("retry", { STATUS: "retry" }), rule("done", { STATUS: "done" })] });

test("G-25 who announces a fence as somebody else's, and who does not", () => {
	const said = (line: string) => readReport(STEP, `${line}\n\n\`\`\`\nSTATUS: done\n\`\`\``).signal;
	const words =
		"he she it they his her its their developer verifier planner reviewer tester worker agent somebody previous previously earlier prior";
	const more =
		"file log prompt instruction instructions template example quote quotes quoted quoting said says wrote writes reads printed contain contains claimed reported would";
	for (const word of [...words.split(" "), ...more.split(" "), "last time", "last round", "last attempt", "last iteration"])
		assert.equal(said(`x ${word} y:`), "unreadable", word);
	for (const line of [
		"",
		"Report:",
		"My log:",
		"our file says:",
		"I said mine:",
		"the log",
		"the profile:",
		"agents:",
		"last week:",
		"the log: x",
	])
		assert.equal(said(line), "done", line);
	for (const line of ["the log：", "**The log:**", "the log: ", "the log:\n  "]) assert.equal(said(line), "unreadable", line);
	assert.equal(said(`the log ${"x".repeat(491)}:`), "done", "nobody announces at such length");
	assert.equal(said(`the log ${"x".repeat(490)}:`), "unreadable");
	assert.equal(said("the log:\nReport:"), "done", "the nearest line counts");
	assert.equal(readReport(STEP, "```\nSTATUS: done\n```").signal, "done", "nothing is before it");
});

test("G-25 a fence is the report if it has what is needed and is no value; a part of it if it begins with a key", () => {
	const signal = (text: string) => readReport(STEP, text).signal;
	assert.equal(signal("NOTE:\n```\nSTATUS: done\n```"), "unreadable", "it is the value of a key");
	assert.equal(signal("NOTE:\n\n```\nSTATUS: done\n```"), "unreadable", "also after a blank line");
	assert.equal(signal("NOTE: x\n```\nSTATUS: done\n```"), "done", "the key has its value");
	for (const blank of ["NOTE:  ", "NOTE:\n  "]) assert.equal(signal(`${blank}\n\`\`\`\nSTATUS: done\n\`\`\``), "unreadable", blank);
	assert.equal(signal("STATUS: retry\n\n```\nSTATUS: done\nNOTE: x\n```"), "retry", "a deciding line is outside");
	assert.equal(readReport(PAIR, "B: x\n\n```\nA: 1\nB: x\n```").signal, "unreadable", "also one that not every answer needs");
	assert.equal(signal("```\nx\n```\n```\nSTATUS: done\n```"), "done");
	assert.equal(signal("```\n```\nSTATUS: done"), "done");
	assert.equal(signal("```md\n```sh\nSTATUS: done\n```\n```"), "unreadable", "in a fence inside a fence");
	const note = (text: string) => readReport(STEP, `STATUS: done\n\nAs follows.\n${text}`).fields["NOTE"];
	assert.equal(note("```\n\nNOTE: a\n```"), "a");
	assert.equal(note("```\n  \nNOTE: a\n```"), "a");
	assert.equal(note("```\nOTHER: x\nNOTE: a\n```"), undefined, "it begins with a key that nobody declared");
	assert.equal(note("```\nx\nNOTE: a\n```"), undefined, "it begins with something else");
	assert.equal(note("the log:\n```\nNOTE: a\n```"), undefined);
});

const SUMMARY = (text: string) => readSummary(text.split("\n"));

test("D-32 what is a heading of a summary, and what follows it", () => {
	for (const heading of [
		"SUMMARY",
		"summary:",
		"   ## Summary",
		"#Summary",
		"**Summary**:",
		"**Summary:**",
		"`SUMMARY`",
		"SUMMARY (short):",
		"## SUMMARY ##",
		"###### summary",
		"summary\t",
	])
		assert.equal(SUMMARY(`x\n${heading}\na\nb`), "a\nb", heading);
	for (const heading of ["    SUMMARY", "####### SUMMARY", "SUMMARY of it", "a SUMMARY", "SUMMARY (a (b))", "****SUMMARY", "> SUMMARY"])
		assert.equal(SUMMARY(`x\n${heading}\na`), null, heading);
	assert.equal(SUMMARY(`SUMMARY${" ".repeat(193)}\na`), "a");
	assert.equal(SUMMARY(`SUMMARY${" ".repeat(194)}\na`), null, "no heading is that long");
	assert.equal(SUMMARY("SUMMARY\n---\na"), "a");
	assert.equal(SUMMARY("SUMMARY\n  ===  \na"), "a");
	assert.equal(SUMMARY("SUMMARY\n--\na"), "--\na");
	assert.equal(SUMMARY("SUMMARY: a\n---\nb"), "a\n---\nb", "a line below a text is part of it");
	assert.equal(SUMMARY("**SUMMARY**: a\nb"), "a\nb");
	assert.equal(SUMMARY("## SUMMARY : a"), "a");
	assert.equal(SUMMARY("Summary: a\nx\nSummary: b"), "b", "the last one");
	assert.equal(SUMMARY("SUMMARY: a\nSummary: b"), "a\nSummary: b");
	assert.equal(SUMMARY("SUMMARY\n\n"), null);
	assert.equal(SUMMARY("SUMMARY\na\n```\nb\n```"), "a\n```\nb\n```");
	assert.equal(SUMMARY("```\nSUMMARY\na\n```\n"), "a", "the end of the fence around it");
	assert.equal(SUMMARY("```\nSUMMARY\na\n```\n  "), "a");
});

test("D-32 notes are bounded: the end of a message without a summary, whole letters only", () => {
	assert.equal(lastWords(`  ${"x".repeat(2000)}y \n`), `${"x".repeat(1999)}y`);
	assert.equal(lastWords("😀".repeat(1000)), "😀".repeat(1000));
	assert.equal(lastWords(`${"😀".repeat(1000)}x`), `${"😀".repeat(999)}x`, "half a letter is none");
	assert.equal(lastWords("\udfff"), "");
	assert.equal(lastWords("\udc00x"), "x");
	assert.equal(lastWords("\ue000"), "\ue000");
	assert.equal(wholeText(` a${"x".repeat(NOTES_BYTES)} `), "x".repeat(NOTES_BYTES));
	assert.equal(bounded("x".repeat(NOTES_BYTES)), "x".repeat(NOTES_BYTES));
	assert.equal(bounded("x".repeat(NOTES_BYTES + 1)), `${"x".repeat(NOTES_BYTES - 16)}\n[cut: too long]`);
	assert.equal(SUMMARY(`SUMMARY\n${"x\n".repeat(NOTES_BYTES)}`)?.length, NOTES_BYTES);
});

test("R-08 a promise: its lines, its length, and the line before it that the prompt has as well", () => {
	const said = (text: string, prompt = "", promise = "DONE") => readReport(grammar({ promise }), text, {}, prompt);
	const over = (lines: number) => `<promise>\n${"\n".repeat(lines - 3)}DONE\n</promise>`;
	assert.deepEqual([said(over(20)).signal, said(over(21)).signal], ["promise", "done"]);
	assert.equal(said(`\`\`\`\n${over(20)}\n\`\`\``).signal, "promise");
	assert.equal(said(`\`\`\`\n${over(21)}\n\`\`\``).signal, "done");
	const text = (length: number) => "x".repeat(length - 19);
	assert.equal(said(`<promise>${text(5000)}</promise>`, "", text(5000)).signal, "promise");
	assert.equal(said(`<promise>${text(5001)}</promise>`, "", text(5001)).signal, "done", "no promise is that long");
	const prompt = "Print this line at the end:\n   \n<promise>DONE</promise>\n";
	assert.equal(said("Print this line at the end:\n \n<promise>DONE</promise>\nI go on", prompt).signal, "done", "an echo");
	assert.equal(said("All is done.\n<promise>DONE</promise>", prompt).signal, "promise");
	assert.equal(said("All is done.\n<promise>DONE</promise>", "ok\n<promise>DONE</promise>").signal, "promise");
	assert.equal(
		said("ok\n<promise>DONE</promise>\nx", "ok\n<promise>DONE</promise>\nand so on").signal,
		"promise",
		"such a short line stands anywhere",
	);
	assert.equal(
		said(`<promise>${"a".repeat(61)}</promise>`).problem,
		`its promise \`${"a".repeat(60)}…\` is not the one that was asked for, \`DONE\``,
	);
	assert.equal(
		said("see <promise>DONE</promise> there").problem,
		"its promise does not count, because it does not stand on a line of its own",
	);
	assert.equal(said("x\nsee <promise>DONE</promise> there\ny").signal, "done");
	assert.match(said("x\nsee <promise>DONE</promise> there\ny").problem ?? "", /a line of its own/);
	assert.equal(said("x</promise>\n<promise>\nDONE\n</promise>").signal, "promise");
	const fences = "x\ny\n```\n<promise>NO</promise>\n```\n```\necho\n<promise>DONE</promise>\n```";
	assert.match(said(fences).problem ?? "", /^its promise `NO` is not the one/, "a fence of its own, and one with other lines");
	assert.equal(said("<promise>DONE\nx").problem, null);
	assert.equal(said("x", "", "").problem, null, "none was asked for");
	const [other, rule] = ["Say one of these at the end:\n<promise>OTHER</promise>\nx", "----------------\n<promise>DONE</promise>\nmore"];
	assert.equal(said("Say one of these at the end:\n<promise>DONE</promise>", other).signal, "promise", "the prompt had another there");
	assert.equal(said("----------------\n<promise>DONE</promise>", rule).signal, "promise", "a line without words is no echo");
	assert.equal(
		said("Print this at the end:\n<promise>DONE</promise>", "x\n  Print this at the end:\n<promise>DONE</promise>").signal,
		"done",
	);
	assert.match(said(`<promise>${"a".repeat(60)}</promise>`).problem ?? "", /`a{60}`/);
});
