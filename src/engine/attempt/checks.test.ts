import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { runCheck } from "./checks.ts";

const SETTINGS = {
	cwd: tmpdir(),
	env: { PATH: process.env["PATH"] ?? "" },
	mark: "checks-test",
	isolate: false,
	signal: AbortSignal.timeout(60_000),
	secrets: [],
};

test("X-10: secrets in a check's output are not kept, on either stream and across chunks", async () => {
	const command = "printf 'token s3cr'; sleep 0.05; printf 'et-value-91 end\\n'; echo 's3cret-value-91' >&2; exit 1";
	const result = await runCheck("leaky", command, { ...SETTINGS, secrets: ["s3cret-value-91"] });
	assert.deepEqual([result.exitCode, result.output.includes("s3cret"), result.output.split("***").length - 1], [1, false, 2]);
	assert.match(result.output, /token \*\*\* end/);
});

test("of a long output the end is kept: 16 KiB, or as much as is asked for", async () => {
	const command = "i=0; while [ $i -lt 3000 ]; do echo 'a line of output'; i=$((i+1)); done; echo end; exit 3";
	const usual = await runCheck("long", command, SETTINGS);
	assert.deepEqual([usual.exitCode, usual.output.length, usual.output.endsWith("output\nend\n")], [3, 16_384, true]);
	const whole = await runCheck("long", command, { ...SETTINGS, keepBytes: 1024 * 1024 });
	assert.equal(whole.output, `${"a line of output\n".repeat(3000)}end\n`);
});
