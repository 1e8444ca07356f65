import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CommitStyle, commitStyleOf, commitStyleText, inStyle } from "./commit-style.ts";
import { anyText } from "./testing/any-text.suite.ts";

const style = (more: Partial<CommitStyle> = {}): CommitStyle => ({ form: "plain", capital: null, period: null, example: "x", ...more });

const LOGS: Readonly<Record<string, readonly [readonly string[], CommitStyle | null]>> = {
	"Conventional Commits": [
		["fix(parser): accept tabs", "feat(list)!: sort by name", "docs: say how", "Merge it"],
		style({ form: "conventional", capital: false, period: false, example: "fix(parser): accept tabs" }),
	],
	"Conventional Commits with a capital and a full stop": [
		["fix: Accept tabs.", "feat: Sort by name.", "docs: Say how."],
		style({ form: "conventional", capital: true, period: true, example: "fix: Accept tabs." }),
	],
	"an area and a colon": [
		["net/http: reject bad header", "status, runs: show runs", "cmd/go: print less", "README: a word"],
		style({ form: "area", capital: false, period: false, example: "net/http: reject bad header" }),
	],
	"a ticket first": [
		["PAY-101 Accept tabs", "[PAY-99]: Sort by name", "#12 Say how", "PAY-7 Go on"],
		style({ form: "ticket", capital: true, period: false, example: "PAY-101 Accept tabs" }),
	],
	"plain text": [["Accept tabs", "Sort by name", "Say how"], style({ capital: true, period: false, example: "Accept tabs" })],
	"no habit of capitals": [
		["Accept tabs", "sort by name", "Say how", "be quick"],
		style({ capital: null, period: false, example: "Accept tabs" }),
	],
	"no clear majority": [["fix: one", "feat: two", "Accept tabs", "Say how"], null],
	"too few to tell": [["fix: one", "feat: two"], null],
	"no commits": [[], null],
};

for (const [what, [subjects, expected]] of Object.entries(LOGS))
	test(`T-15 the style of a log: ${what}`, () => assert.deepEqual(commitStyleOf(subjects), expected));

test("T-15 pawl's own subjects follow the style, and keep a prefix that they have", () => {
	const conventional = style({ form: "conventional", capital: false, period: false });
	assert.equal(inStyle(conventional, "Add a --shout option."), "feat: add a --shout option");
	assert.equal(inStyle(conventional, "fix: A thing"), "fix: a thing");
	assert.equal(inStyle(conventional, "Left over", "chore"), "chore: left over");
	assert.equal(inStyle(conventional, "API keys expire"), "feat: API keys expire");
	assert.equal(inStyle(style({ form: "ticket", capital: true, period: true }), "PAY-3 accept tabs"), "PAY-3 Accept tabs.");
	assert.equal(inStyle(style({ form: "area", capital: false }), "Accept tabs"), "accept tabs");
	assert.equal(inStyle(style({ capital: true }), "prd.json is read again"), "prd.json is read again");
	assert.equal(inStyle(null, "Add it."), "Add it.");
});

test("T-15 agents are told the style in one line with an example of this repository", () => {
	const text = commitStyleText(style({ form: "conventional", capital: false, period: false, example: "fix(parser): accept tabs" }));
	assert.match(text, /^[^\n]*Conventional Commits[^\n]*lower case[^\n]*without a full stop[^\n]*`fix\(parser\): accept tabs`\.$/);
});

test("T-15 whatever the log holds, the line stays one line and its quotation closed", () =>
	fc.assert(
		fc.property(fc.array(anyText(), { minLength: 3, maxLength: 10 }), (subjects) => {
			const found = commitStyleOf(subjects);
			if (found === null) return;
			const text = commitStyleText({ ...found, form: "plain" });
			assert.doesNotMatch(text, /[\n\r\u2028]/);
			assert.equal(text.split("`").length, 3);
		}),
	));

test("T-15 what begins a subject: types with and without a scope, tickets in all their forms, areas; anything else is text", () => {
	const FORM: Readonly<Record<string, CommitStyle["form"]>> = {
		"fix: a": "conventional",
		"FIX!: a": "conventional",
		"doc(api): a": "conventional",
		"docs(a, b)!:  a": "conventional",
		"tests: a": "conventional",
		"fixed: a": "area",
		"fix(a(b)): a": "plain",
		"fix(): a": "plain",
		"fix:a": "plain",
		"fix: ": "plain",
		"xfix: a": "area",
		"AB-1 a": "ticket",
		"[AB-1]: a": "ticket",
		"AB2-123:\ta": "ticket",
		"GH-12 a": "ticket",
		"#12: a": "ticket",
		"A-1 a": "plain",
		"AB- a": "plain",
		"AB-1a": "plain",
		"ab-1 a": "plain",
		"AB-1  a": "ticket",
		"  fix: a": "conventional",
		"x AB-1 a": "plain",
		"#x a": "plain",
		"a.b/{c}: a": "area",
		"a,b, c: a": "area",
		"ab, cd:  a": "area",
		"a, b, c, d, e: a": "area",
		"a, b, c, d, e, f: a": "plain",
		"a b: a": "plain",
		"größe: a": "area",
	};
	for (const [subject, form] of Object.entries(FORM)) assert.equal(commitStyleOf([subject, subject, subject])?.form, form, subject);
});

test("T-15 a habit is two thirds; the example is the newest that follows all of it", () => {
	assert.equal(commitStyleOf(["Accept it", "Sort it", "fix: a", "fix: b", "Say it", "Go on"])?.form, "plain", "four of six");
	assert.equal(commitStyleOf(["Accept it", "Sort it", "fix: a", "fix: b", "Say it"]), null, "three of five");
	assert.deepEqual(commitStyleOf(["accept it", "Sort it.", "Say it", "Go on"]), style({ capital: true, period: false, example: "Say it" }));
	assert.deepEqual(commitStyleOf(["Accept.", "Sort it.", "Say it.", "go on"]), style({ capital: true, period: true, example: "Accept." }));
	assert.deepEqual(commitStyleOf(["Go on…", "Sort it..", "Say it"]), style({ capital: true, period: false, example: "Go on…" }));
	assert.deepEqual(commitStyleOf(["1 a", "2 b", "3 c"]), style({ period: false, example: "1 a" }), "digits have no case");
	assert.deepEqual(commitStyleOf(["1 a", "2 b", "Three"]), style({ capital: true, period: false, example: "Three" }));
	assert.deepEqual(
		commitStyleOf(["  ", "", "Accept it", "Sort it", "Say it"]),
		style({ capital: true, period: false, example: "Accept it" }),
	);
	assert.equal(
		commitStyleOf(["", " ", "\t", "fix: a", "fix: b", "fix: c"])?.form,
		"conventional",
		"a commit without a subject does not count",
	);
	assert.deepEqual(
		commitStyleOf(["accept it", "fix: a", "fix: b", "fix: c"]),
		style({ form: "conventional", capital: false, period: false, example: "fix: a" }),
		"the example has the form",
	);
	assert.deepEqual(
		commitStyleOf(["Read a.b", "Sort c.d", "Say it"]),
		style({ capital: true, period: false, example: "Read a.b" }),
		"a full stop is at the end",
	);
	assert.deepEqual(
		commitStyleOf(["accept it.", "Sort it", "say it", "Go on"]),
		style({ period: false, example: "Sort it" }),
		"where capitals are no habit, the rest decides on the example",
	);
	assert.deepEqual(
		commitStyleOf(["accept.", "Sort it", "Say it.", "Go on"]),
		style({ capital: true, example: "Sort it" }),
		"where full stops are no habit, the rest decides on the example",
	);
	assert.equal(commitStyleOf(["accept A", "sort B", "say C"])?.capital, false, "a capital is at the beginning");
	assert.equal(commitStyleOf(["  Accept \n\t it  ", "Sort it", "Say it"])?.example, "Accept it", "one line without space around it");
	assert.equal(commitStyleOf([`Use \`x\`\nnow`, "Sort it", "Say it"])?.example, "Use 'x' now");
	assert.equal(commitStyleOf([`A${"b".repeat(72)}`, "Sort it", "Say it"])?.example, `A${"b".repeat(70)}…`);
	assert.equal(commitStyleOf([`A${"b".repeat(71)}`, "Sort it", "Say it"])?.example, `A${"b".repeat(71)}`);
	assert.equal(commitStyleOf([`A${"b".repeat(69)} ccc`, "Sort it", "Say it"])?.example, `A${"b".repeat(69)}…`);
});

test("T-15 every form, beginning and end is told in words", () => {
	const text = (more: Partial<CommitStyle>) => commitStyleText(style(more));
	assert.equal(text({}), "Commit subjects in this repository: plain text, such as `x`.");
	assert.equal(
		text({ form: "area", capital: true, period: true }),
		"Commit subjects in this repository: `area: text`, the text beginning with a capital, with a full stop, such as `x`.",
	);
	assert.equal(
		text({ form: "ticket", capital: false, period: false }),
		"Commit subjects in this repository: a ticket first, if there is one, the text beginning in lower case, without a full stop, such as `x`.",
	);
	assert.match(text({ form: "conventional" }), /: Conventional Commits \(`type\(scope\): text`\), such as `x`\.$/);
});

test("T-15 only a plain word changes its case, and only one full stop comes or goes", () => {
	const told = (title: string, more: Partial<CommitStyle>) => inStyle(style(more), title);
	for (const [title, expected] of [
		["add it", "Add it"],
		["add, then go", "Add, then go"],
		["add", "Add"],
		["useMemo is used", "useMemo is used"],
		["x.json is read", "x.json is read"],
		["add-on works", "add-on works"],
	] as const)
		assert.equal(told(title, { capital: true }), expected);
	for (const [title, expected] of [
		["Add it", "add it"],
		["A thing", "a thing"],
		["Add: it", "Add: it"],
		["Add", "add"],
		["API is used", "API is used"],
		["README.md says", "README.md says"],
	] as const)
		assert.equal(told(title, { capital: false }), expected);
	for (const [title, expected] of [
		["Add it", "Add it."],
		["Add it!", "Add it!"],
		["Add it?", "Add it?"],
		["Add it…", "Add it…"],
		["Add it.", "Add it."],
		["Read a.b", "Read a.b."],
	] as const)
		assert.equal(told(title, { period: true }), expected);
	for (const title of ["Add it.", "Add it"]) assert.equal(told(title, {}), title, "without a habit it stays");
	assert.equal(told("  fix: a thing ", { capital: true }), "fix: A thing");
	assert.equal(told("Add it...", { period: false }), "Add it...");
	assert.equal(told("Add it.", { period: false }), "Add it");
	assert.equal(told("  ", { period: true, capital: true }), "  ");
	assert.equal(told("  Add it ", { form: "conventional" }), "feat: Add it");
	assert.equal(told("AB-1 add it", { form: "conventional" }), "AB-1 add it");
});
