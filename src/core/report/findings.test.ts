// Findings as reviewers write them, what is none, and what is said of earlier ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readEarlier } from "./earlier.ts";
import { readFindings, readKeyedFindings, saysNone } from "./findings.ts";

const texts = (value: string) => readFindings(value).map(({ key, class: of, text }) => `${key}|${of}|${text}`);

test("G-17 a list of findings: an item begins with a bullet or a key, goes on until a blank line, and is never dropped for its form", () => {
	const rows: readonly (readonly [string, readonly string[]])[] = [
		["- [a] test: x\n  and y\n\nnot this\n- b", ["a|test|x\nand y", "b||b"]],
		["  [a] test: x", ["a|test|x"]],
		["[a] test: x\n[b]  plan: y", ["a|test|x", "b|plan|y"]],
		["[a]test: x", ["a|test|x"]],
		["intro\n- x", ["x||x"]],
		["just a sentence. And another.", ["just a sentence and another||just a sentence. And another."]],
		["- [ ] [a] x\n- [x] [b] y\n- [✓] [c] z", ["a||x", "b||y", "c||z"]],
		["-x\n-  y", ["y||y"]],
		["- a\n \t\nb", ["a||a"]],
		["‣ x\n▪ y\n▸ z\n— w", ["x||x", "y||y", "z||z", "w||w"]],
		["123) x\n1234) y", ["x 1234 y||x\n1234) y"]],
		["- **[a]** **Minor-Thing:** x", ["a|minor_thing|x"]],
		["- [**a**] x", ["a||x"]],
		["- [a] a sentence with a colon: x", ["a||a sentence with a colon: x"]],
		["- [a] test:x", ["a||test:x"]],
		["- [ a ] x", ["a||x"]],
		["- [a]", ["a||"]],
	];
	for (const [value, found] of rows) assert.deepEqual(texts(value), found, JSON.stringify(value));
	assert.deepEqual(texts("### [a] x\n\n## 1. [b] y\n\n# plain"), ["a||x", "b||y"]);
	assert.equal(texts(`- ${"x".repeat(5000)}`)[0]?.length, 80 + 2 + 4096, "a bounded key, and a bounded text");
});

test("G-17 no more than two hundred findings are taken", () => {
	const many = Array.from({ length: 201 }, (_, i) => `- [k${i}] test: number ${i}`).join("\n");
	assert.deepEqual([readFindings(many).length, readKeyedFindings(many).length], [200, 200]);
	assert.equal(readFindings(many).at(-1)?.key, "k199");
});

test("G-17 in a text that has other lines, only those with a key and a class are findings", () => {
	const text = "I looked at it.\n- a point\n- [k] no class here\n- test: no key\n- [a] test: x\n**[b] plan:** y";
	assert.deepEqual(
		readKeyedFindings(text).map(({ key, class: of }) => `${key} ${of}`),
		["a test", "b plan"],
	);
});

test("G-17 none in all its forms is no finding; more words than that are one", () => {
	for (const item of [
		"none",
		"None.",
		"**none**",
		"`none`",
		"(none)",
		'"none"',
		"n/a",
		"N/A",
		"[]",
		"no findings",
		"No findings.",
		"none ✅",
		"",
		".",
	])
		assert.deepEqual(texts(`- ${item}`), [], item);
	for (const item of ["none of it works", "no tests", "n/a here"]) assert.equal(texts(`- ${item}`).length, 1, item);
});

test("G-25 whether a list says that there is nothing: by its first line, up to the first full stop", () => {
	for (const value of ["none", "None. All is well.", "no findings!", "\n\n```\nnone\n```", "none\n- x"])
		assert.equal(saysNone(value), true, value);
	for (const value of ["", " ", ".", "!", "one", "none, but one", "- x\nnone"]) assert.equal(saysNone(value), false, JSON.stringify(value));
});

test("G-25 what follows a none counts if it has a key, follows at once, or is led to by a word that takes the none back", () => {
	for (const [value, count] of [
		["none\n- x", 1],
		["none\n- x\n- y", 2],
		["none\n\n- x", 0],
		["none\n  \n- x", 0],
		["none\n\n- [k] x\n- y", 1],
		["none\n[k] x", 1],
		["none\nI looked at\n- x", 0],
		["none\nI read all\nbut this one\n- x", 1],
		["none\nexcept:\n\n- x", 1],
		["none. But see:\n\n- x", 1],
		["none\n- x\nbut y", 1],
		["none\nI read\n- x\nbut not\n- y", 0],
		["none", 0],
		["none\nas far as I see, but who knows", 0],
	] as const)
		assert.equal(readFindings(value).length, count, JSON.stringify(value));
});

test("G-18 what is said of earlier findings: their keys in brackets or before a colon, and a word for open or resolved", () => {
	const read = (line: string) => readEarlier(line).map(({ key, open }) => `${key} ${open ? "open" : "resolved"}`)[0] ?? null;
	for (const word of ["resolved", "Fixed", "done", "closed", "gone"]) assert.equal(read(`- [a] ${word}`), "a resolved", word);
	for (const word of ["open", "still there", "not fixed", "unresolved", "remains", "unchanged", "partly fixed", "partially"])
		assert.equal(read(`- [a] ${word}`), "a open", word);
	for (const line of ["[a] resolvedly", "[a] doner", "[a] nothing", "[a]", "[**] open", "[] open", "a open"])
		assert.equal(read(line), null, line);
	for (const line of ["[ a ] open", "- a : open", "1.  **[a]** — open", "* `a`: open", "• [`a`]: open", "[a]:open"])
		assert.equal(read(line), "a open", line);
	assert.equal(readEarlier("- [a] open\n".repeat(201)).length, 200);
});
