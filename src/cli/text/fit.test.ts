import assert from "node:assert/strict";
import { it } from "node:test";
import { fitted } from "./fit.ts";

it("aligns columns, leaves out those that nobody filled, and cuts the last one to the width", () => {
	const rows = [
		["a", "", "short", "the first"],
		["long-id", "", "x", "a text that is too long for the line"],
	];
	assert.equal(fitted(rows, 30), "  a        short  the first\n  long-id  x      a text that…");
});

it("keeps every line within a very narrow terminal, with colours not counted", () => {
	const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
	const text = fitted([["US-001", { text: "completed", paint: red }, "a title"]], 14);
	assert.equal(text, `  US-001  ${red("com…")}`);
});

it("T-68: lets no control character, no part of an escape sequence and no line break of a text through", () => {
	assert.equal(fitted([["a\nb\u001b[2Jc", "d"]], 80), "  a bc  d");
});
