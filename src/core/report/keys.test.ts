// Where a key of a report begins, and which lines are its value.
import assert from "node:assert/strict";
import { test } from "node:test";
import { declared, keyLine } from "./key-line.ts";
import { type Reading, readKeys, textsAfter } from "./keys.ts";
import { readLines } from "./lines.ts";

const known = declared(["STATUS", "PR_BODY"]);
const of = (line: string, open = false) => {
	const found = keyLine(line, known, open);
	if (found === null) return null;
	const marks = (["exact", "listed", "bold", "foreign"] as const).filter((name) => found[name]);
	return `${found.key}=${found.rest}|${marks.join()}`;
};

test("G-17 a line with a key, however it is set: spelling, lists, bold, backticks, headings", () => {
	for (const [line, found] of Object.entries({
		"STATUS: done": "STATUS= done|exact",
		"STATUS： done": "STATUS= done|exact",
		"STATUS:": "STATUS=|exact",
		"  STATUS   : done": "STATUS= done|exact",
		"status: done": "STATUS= done|",
		"Pr body: x": "PR_BODY= x|",
		"PR-BODY: x": "PR_BODY= x|",
		"- STATUS: x": "STATUS= x|exact,listed",
		"12) STATUS: x": "STATUS= x|exact,listed",
		"• STATUS: x": "STATUS= x|exact,listed",
		"- [x] STATUS: x": "STATUS= x|exact,listed",
		"## STATUS: x": "STATUS= x|exact",
		"✅ STATUS: x": "STATUS= x|exact",
		"**STATUS:** x": "STATUS= x|exact,bold",
		"**STATUS**: x": "STATUS= x|exact,bold",
		"__STATUS__: x": "STATUS= x|exact,bold",
		"*STATUS*: x": "STATUS= x|exact",
		"`STATUS`: x": "STATUS= x|exact",
		"- **STATUS**: x": "STATUS= x|exact,listed,bold",
		"**STATUS: x**": "STATUS= x|exact,bold",
		"**STATUS: x** !.": "STATUS= x|exact,bold",
		"**STATUS: x** (round 2)": "STATUS= x (round 2)|exact,bold",
		"**STATUS: x** and y": "STATUS= x and y|exact,bold",
		"**STATUS: x": "STATUS= x|exact,bold",
		"**STATUS:** x **y**": "STATUS= x **y**|exact,bold",
		"STATUS: ...": "STATUS= ...|exact",
		"`STATUS: x`": "STATUS= x|exact",
		"`STATUS: x`, see": "STATUS= x, see|exact",
		"`STATUS: x` - y": "STATUS= x - y|exact",
		"`STATUS: x": "STATUS= x|exact",
		"**STATUS**: x**": "STATUS= x**|exact,bold",
		"STATUS:** x": "STATUS= x|exact",
		"STATUS: `x`": "STATUS= `x`|exact",
		"## STATUS": "STATUS=|exact,bold",
		"# status ##": "STATUS=|bold",
		"**STATUS**": "STATUS=|exact,bold",
		"### ✅ **STATUS**": "STATUS=|exact,bold",
		[`## STATUS${" ".repeat(190)}`]: "STATUS=|exact,bold",
	}))
		assert.equal(of(line), found, line);
	for (const line of [
		"STATUS done",
		"The STATUS: done",
		"> STATUS: done",
		"MY_STATUS: x",
		"STATUSES: x",
		"## Other",
		"STATUS",
		"`STATUS: x` is what I say",
		"`STATUS: x`then",
		"`STATUS: x` 2",
		`## STATUS${" ".repeat(191)}`,
		"OTHER: x",
		"",
	])
		assert.equal(of(line), null, line);
});

test("A-33 in an open report any key in capitals at the start of a line counts too", () => {
	for (const [line, found] of Object.entries({
		"OTHER: x": "OTHER= x|exact,foreign",
		"**OTHER_2**: x": "OTHER_2= x|exact,bold,foreign",
		"OTHER:": "OTHER=|exact,foreign",
		"STATUS: x": "STATUS= x|exact",
	}))
		assert.equal(of(line, true), found, line);
	for (const line of ["Other: x", "OTHER:x", " OTHER: x", "- OTHER: x", "O: x", "OTHER THING: x", "## OTHER"])
		assert.equal(of(line, true), null, line);
});

const read = (text: string, more: Partial<Reading> = {}) => {
	const reading: Reading = {
		keys: ["STATUS", "BRANCH", "NOTES"],
		open: false,
		single: new Set(),
		every: new Set(),
		counts: () => true,
		...more,
	};
	return Object.fromEntries(readKeys(readLines(text), reading));
};

test("G-17 a key as it is declared makes other spellings text, and one at the start of a line makes lists text", () => {
	assert.deepEqual(read("STATUS: a\n- status: b"), { STATUS: ["a\n- status: b"] });
	assert.deepEqual(read("status: b"), { STATUS: ["b"] });
	assert.deepEqual(read("status: a\nStatus: b"), { STATUS: ["a", "b"] });
	assert.deepEqual(read("- STATUS: a\n- BRANCH: b"), { STATUS: ["a"], BRANCH: ["b"] });
	assert.deepEqual(read("STATUS: a\n- STATUS: b\n- BRANCH: c"), { STATUS: ["a\n- STATUS: b"], BRANCH: ["c"] });
	assert.deepEqual(read("status: x\n- STATUS: y"), { STATUS: ["y"] }, "the declared spelling, though in a list");
	assert.deepEqual(
		read("NOTES: x\n- STATUS: a", { open: true }),
		{ NOTES: ["x\n- STATUS: a"] },
		"in an open report all lists are text then",
	);
	assert.deepEqual(read("- STATUS: a\n- BRANCH: b", { open: true }), { STATUS: ["a"], BRANCH: ["b"] });
});

test("G-17 a key that is asked for counts in bold in a list, in its own spelling, if it stands nowhere else", () => {
	const inLists = new Set(["BRANCH"]);
	const branch = (text: string) => read(`NOTES: x\n${text}`, { open: true, inLists })["BRANCH"];
	assert.deepEqual(branch("- **BRANCH**: b"), ["b"]);
	assert.equal(branch("- BRANCH: b"), undefined, "not in bold");
	assert.equal(branch("- **Branch**: b"), undefined, "not as it is declared");
	assert.equal(read("NOTES: x\n- **STATUS**: b", { open: true, inLists })["STATUS"], undefined, "nobody asked for it");
	assert.deepEqual(branch("- **BRANCH**: b\nBRANCH: c"), ["c"], "it stands elsewhere");
	assert.deepEqual(branch("**BRANCH**: c"), ["c"]);
});

test("G-17 a value goes on to the next key; one that is a single line ends with its first line that says something", () => {
	const single = new Set(["STATUS"]);
	assert.deepEqual(read("STATUS: a\nb\n\nc\nBRANCH: d"), { STATUS: ["a\nb\n\nc"], BRANCH: ["d"] });
	assert.deepEqual(read("STATUS: a\nb", { single }), { STATUS: ["a"] });
	assert.deepEqual(read("STATUS:\n \na\nb", { single }), { STATUS: ["a"] });
	assert.deepEqual(read("STATUS:\n```\na\n```\nb", { single }), { STATUS: ["```\na"] });
	assert.deepEqual(read("STATUS: a\nNOTES: b\nc", { single }), { STATUS: ["a"], NOTES: ["b\nc"] });
	assert.deepEqual(read("before\nSTATUS: a", { counts: (line) => line !== 1 }), {}, "a line that does not count");
});

test("G-17 the last series of a key counts; of keys that are lists or decide, every value", () => {
	const text = "STATUS: a\nSTATUS: b\nBRANCH: x\nSTATUS: c\nSTATUS: d";
	assert.deepEqual(read(text), { STATUS: ["c", "d"], BRANCH: ["x"] });
	assert.deepEqual(read(text, { every: new Set(["STATUS"]) }), { STATUS: ["a", "b", "c", "d"], BRANCH: ["x"] });
});

test("A-33 an undeclared key is part of the value around it and has one of its own, up to the next key", () => {
	const open = { open: true };
	assert.deepEqual(read("STATUS: a\nOTHER: b\nc\nMORE: d\nBRANCH: e", open), {
		...{ OTHER: ["b\nc"], MORE: ["d"] },
		...{ STATUS: ["a\nOTHER: b\nc\nMORE: d"], BRANCH: ["e"] },
	});
	assert.deepEqual(read("```\nSTATUS: a\nOTHER: b\n```\nafter", open), { STATUS: ["a\nOTHER: b"], OTHER: ["b"] }, "a fence ends both");
	assert.deepEqual(
		read("OTHER: b\n```\nc\n```\nafter", open),
		{ OTHER: ["b\n```\nc\n```\nafter"] },
		"a fence inside a value belongs to it",
	);
});

test("G-17 the sign of a block, quotation marks and a fence around a value are not part of it", () => {
	for (const [text, value] of [
		["|\n  a\n\n    b\n  c", "a\n\n  b\nc"],
		["|-\n\ta\n\tb", "a\nb"],
		[">+2 \n a", "a"],
		["|\n   \n  a", "a"],
		["|\n", ""],
		["|\n  a\n \n  b", "a\n\nb"],
		["\n```\n\na\n\n```", "a"],
		["| a |", "| a |"],
		["|x", "|x"],
		["'a'", "a"],
		['"a b"', "a b"],
		["`a`", "a"],
		["``", "``"],
		["'", "'"],
		["'a", "'a"],
		["a'", "a'"],
		["'a`", "'a`"],
		["'a'b'", "'a'b'"],
		["aba", "aba"],
		["\n```sh\na\nb\n```", "a\nb"],
		["\n```\na\n```\nb", "```\na\n```\nb"],
		["\na\n```\nb\n```", "a\n```\nb\n```"],
		["\n```\na\n```\n```\nb\n```", "```\na\n```\n```\nb\n```"],
		["\n'a\nb'", "'a\nb'"],
	] as const)
		assert.deepEqual(read(`NOTES: ${text}`), { NOTES: [value] }, JSON.stringify(text));
});

test("A-47 the texts after each line with a key", () => {
	const after = (text: string, counts = (_: number) => true) => textsAfter(readLines(text), "LIST", counts);
	assert.deepEqual(after("x\nLIST: a\nb\nOTHER: c\nlist: d\n"), [" a\nb\nOTHER: c", " d\n"]);
	assert.deepEqual(
		after("LIST: a\nLIST: b", (line) => line === 0),
		[" a\nLIST: b"],
	);
	assert.deepEqual(after("x"), []);
});
