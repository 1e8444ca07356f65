import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CommitStyle, commitStyleOf, commitStyleText, inStyle } from "./commit-style.ts";

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
		fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 3, maxLength: 10 }), (subjects) => {
			const found = commitStyleOf(subjects);
			if (found === null) return;
			const text = commitStyleText({ ...found, form: "plain" });
			assert.doesNotMatch(text, /[\n\r\u2028]/);
			assert.equal(text.split("`").length, 3);
		}),
	));
