import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "./text.ts";

test("T-09: control codes are spelled out; tabs, line ends and other scripts stay", () => {
	assert.equal(visible("a\u001b]0;title\u0007b\u001b[2Jc\u009b1m\u202ed\r\n\tü 😀\n"), "a^[]0;title^Gb^[[2Jc<009b>1m<202e>d\n\tü 😀\n");
});
