import assert from "node:assert/strict";
import { test } from "node:test";
import { redacted } from "./redact.ts";

test("G-29 a secret is taken out of every text of an input, however deep it lies", () => {
	const secrets = ["s3cret-value", 'with "quotes" in it'];
	const input = {
		a: "x s3cret-value y",
		b: ["s3cret-value", { c: 'with "quotes" in it', d: 3, e: null }],
		f: 'as JSON: with \\"quotes\\" in it',
	};
	assert.deepEqual(redacted(input, secrets), { a: "x *** y", b: ["***", { c: "***", d: 3, e: null }], f: "as JSON: ***" });
	assert.equal(redacted(input, []), input, "nothing is copied where there is nothing to hide");
});
