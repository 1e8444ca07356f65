// The small parts that reports are read and written with: what a grammar asks for, lines and fences, remarks, and all that was said to have changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import type { Scope } from "../model.ts";
import { canBeUnreadable, decidingKeys, doneLine, expectation, keysOf, neededKeys, offeredOf, wantedOf } from "./grammar.ts";
import { isFence, readLines } from "./lines.ts";
import { remarksIn, spokenIn, withoutRemarks, withRemarks } from "./remarks.ts";
import { allChanges, SAID_CHANGES, saidChanges } from "./said-changes.ts";

const PLAIN: ReportGrammar = { notes: "text", keys: [], signals: [] };
const grammar = (more: Partial<ReportGrammar>): ReportGrammar => ({ ...PLAIN, ...more });
const rule = (signal: string, when: Record<string, string>, more: object = {}) => ({ signal, when, ...more });

test("G-17 the keys of a report: those of its rules, what it expects, requires, lists and keeps; each once", () => {
	assert.deepEqual(keysOf(PLAIN), []);
	assert.deepEqual(
		keysOf(
			grammar({
				keys: ["A", "B"],
				signals: [rule("x", { B: "1", C: "2" }), rule("y", { C: "3" })],
				expects: "status: done",
				required: ["A", "R"],
				findings: "F",
				earlier: "E",
				stories: "S",
				keep: { k: "K", l: "F" },
			}),
		),
		["A", "B", "C", "STATUS", "R", "F", "E", "S", "K"],
	);
});

test("G-17 what is expected is a key with a value, a key with any value, or another text", () => {
	for (const [expects, found] of [
		["STATUS: done", { key: "STATUS", wanted: "done" }],
		["  status:done  ", { key: "STATUS", wanted: "done" }],
		["Pr_2: \t http://x\ny", { key: "PR_2", wanted: "http://x\ny" }],
		["PR:", { key: "PR", wanted: "" }],
		["READY", null],
		["it is READY: now", null],
		["2PR: x", null],
		["", null],
		[undefined, null],
	] as const)
		assert.deepEqual(expectation(expects === undefined ? PLAIN : grammar({ expects })), found, expects);
	assert.deepEqual(doneLine(grammar({ signals: [rule("x", { A: "1" }), rule("done", { B: "2", C: "3" })] })), { key: "B", wanted: "2" });
	assert.equal(doneLine(grammar({ signals: [rule("done", {})] })), null);
	assert.equal(doneLine(PLAIN), null);
});

test("G-17 the values of a key: of all rules and of what is expected; what no task offers is taken and not told", () => {
	const asked = grammar({
		signals: [rule("x", { A: "1|2" }), rule("y", { A: "2", B: "z" }), rule("old", { A: "3" }, { unasked: true })],
		expects: "A: 4",
	});
	assert.deepEqual(wantedOf(asked, "A"), ["1", "2", "3", "4"]);
	assert.deepEqual(offeredOf(asked, "A"), ["1", "2", "4"]);
	assert.deepEqual(wantedOf(asked, "B"), ["z"]);
	assert.deepEqual(wantedOf(asked, "toString"), []);
	assert.deepEqual(wantedOf(grammar({ expects: "A:" }), "A"), []);
});

test("G-17 needed are the keys that every rule looks at, or the expected one; deciding are those with one word", () => {
	const sets = (more: Partial<ReportGrammar>) => [[...neededKeys(grammar(more))].join(), [...decidingKeys(grammar(more))].join()];
	assert.deepEqual(sets({}), ["", ""]);
	assert.deepEqual(sets({ signals: [rule("x", { A: "1", B: "2" }), rule("y", { A: "3" })] }), ["A", "A,B"]);
	assert.deepEqual(
		sets({ signals: [rule("x", { A: "1", B: "*" }), rule("y", { A: "3", B: "4" })] }),
		["A,B", "A"],
		"any text decides nothing",
	);
	assert.deepEqual(sets({ signals: [rule("x", { A: "1*" }), rule("y", { A: "3" })] }), ["A", "A"], "the beginning of a needed key decides");
	assert.deepEqual(sets({ signals: [rule("x", { A: "1", B: "2*" }), rule("y", { A: "3" })] }), ["A", "A"], "of another it does not");
	assert.deepEqual(sets({ signals: [rule("x", { A: "1", B: "2*" }), rule("y", { A: "3", C: "4" })] }), ["A", "A,C"]);
	const mixed = [rule("x", { A: "1", B: "2*" }), rule("y", { A: "3", B: "4" }), rule("z", { A: "5" })];
	assert.deepEqual(sets({ signals: mixed }), ["A", "A"], "of some rules it is the beginning");
	assert.deepEqual(sets({ signals: [rule("x", { A: "1" })], expects: "B: 2" }), ["B", "A,B"]);
	assert.deepEqual(sets({ expects: "B:" }), ["B", ""]);
});

test("G-17 a report can be unreadable where anything at all is asked of it", () => {
	assert.equal(canBeUnreadable(PLAIN), false);
	assert.equal(canBeUnreadable(grammar({ required: [], open: false, keys: ["A"] })), false);
	for (const more of [{ signals: [rule("x", {})] }, { required: ["A"] }, { expects: "" }, { stories: "S" }, { open: true }])
		assert.equal(canBeUnreadable(grammar(more)), true, JSON.stringify(more));
});

test("G-17 fences: by their marks, of any length, one inside another, and one that is never closed", () => {
	const read = (...lines: string[]) => {
		const { depths, fences } = readLines(lines.join("\n"));
		return [depths.join(""), fences.map(({ from, to }) => `${from}-${to}`).join()];
	};
	assert.deepEqual(read("a", "```", "b", "```", "c"), ["01110", "1-3"]);
	assert.deepEqual(read("```sh", "b", "```", "~~~", "c", "~~~"), ["111111", "0-2,3-5"]);
	assert.deepEqual(read("````", "```", "b", "```", "````", "c"), ["122210", "0-4"], "a shorter one inside");
	assert.deepEqual(read("```", "~~~", "```", "c"), ["1110", "0-2"], "other marks are text");
	assert.deepEqual(read("```md", "```sh", "b", "```", "```", "c"), ["122210", "0-4"], "one with a language opens another level");
	assert.deepEqual(read("a", "```", "b"), ["011", "1-3"], "never closed");
	assert.deepEqual(read("```", "b", "`````", "c"), ["1110", "0-2"], "a longer one closes it");
	assert.deepEqual(read(`${" ".repeat(12)}\`\`\` \t`, "b", "\t~~~"), ["111", "0-3"]);
	assert.deepEqual(read(`${" ".repeat(13)}\`\`\``, "b"), ["00", ""], "too far in");
	assert.deepEqual(read("``", "~~", "x ```", "``` a`b"), ["0000", ""], "no fence at all");
	assert.deepEqual(read(`\`\`\`${"x".repeat(497)}`, "b"), ["00", ""], "no fence is that long");
	assert.deepEqual(read(`\`\`\`${"x".repeat(496)}`, "b"), ["11", "0-2"]);
	assert.deepEqual(readLines("a\r\nb\rc\nd").texts, ["a", "b", "c", "d"]);
	for (const line of ["```", "~~~", "````x", "\t```", `${" ".repeat(12)}~~~~`]) assert.equal(isFence(line), true, line);
	for (const line of ["``", "x```", `${" ".repeat(13)}\`\`\``, "~~", ""]) assert.equal(isFence(line), false, line);
});

test("G-16 pawl's remarks stand behind the notes and are found there again; what the agent said is the rest", () => {
	assert.equal(withRemarks("n", []), "n");
	assert.equal(withRemarks(null, []), null);
	assert.equal(withRemarks(null, ["a", "b"]), "- pawl: a\n- pawl: b");
	const notes = withRemarks("one\ntwo \n", ["a", "b"]);
	assert.equal(notes, "one\ntwo\n\n- pawl: a\n- pawl: b");
	assert.deepEqual(remarksIn(notes), ["- pawl: a", "- pawl: b"]);
	assert.deepEqual([remarksIn(null), remarksIn("x - pawl: a")], [[], []]);
	assert.equal(withoutRemarks(notes ?? ""), "one\ntwo");
	assert.equal(withoutRemarks("\na\n- pawl: x\nb - pawl: y\n"), "a\nb - pawl: y");
});

test("G-16 what an agent said, on one line: without the word that only says how it ended, and no longer than asked for", () => {
	for (const line of [
		"STATUS: done",
		"status : done",
		"## STATUS: done",
		"> **STATUS:** done",
		"- `STATUS`: done",
		"__STATUS__\t: x y",
		"\tSTATUS:",
	])
		assert.equal(spokenIn(`a\n${line}\n\n  b`, 9), "a b", line);
	for (const line of ["MY STATUS: x", "STATUS x", "1. STATUS: x"]) assert.equal(spokenIn(`a\n${line}`, 99), `a ${line}`, line);
	assert.equal(spokenIn("STATUS: done\n- pawl: x\nSTATUS: done\nrest", 9), "rest");
	assert.deepEqual([spokenIn("a  b\tc", 5), spokenIn("a b cd", 5)], ["a b c", "a b c…"]);
});

test("G-17 what several reports said to have changed is one text, each once, in its order; a single report says all of it", () => {
	const scope = (...texts: string[]): Scope =>
		({
			kept: [{ name: "other", step: "s", text: "z" }, ...texts.map((text) => ({ name: SAID_CHANGES, step: "s", text }))],
		}) as unknown as Scope;
	assert.deepEqual(saidChanges(scope(" a ", "b", "a")), ["a", "b"]);
	assert.deepEqual([allChanges(scope()), allChanges(scope("a")), allChanges(scope("a", "a "))], ["", "", ""]);
	assert.equal(allChanges(scope("a", "b")), "At first: a\n\nAfter it came back: b");
	assert.equal(allChanges(scope("a", "b", "c")), "At first: a\n\nAfter it came back: b\n\nAfter it came back: c");
	assert.equal(SAID_CHANGES, "said_changes", "journals have this name");
});
