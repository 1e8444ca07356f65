import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { runCheck } from "./checks.ts";

test("of a long output the end is kept: 16 KiB, or as much as is asked for", async () => {
	const place = {
		cwd: tmpdir(),
		env: { PATH: process.env["PATH"] ?? "" },
		mark: "checks-test",
		isolate: false,
		signal: AbortSignal.timeout(60_000),
	};
	const command = "i=0; while [ $i -lt 3000 ]; do echo 'a line of output'; i=$((i+1)); done; echo end; exit 3";
	const usual = await runCheck("long", command, place);
	assert.deepEqual([usual.exitCode, usual.output.length, usual.output.endsWith("output\nend\n")], [3, 16_384, true]);
	const whole = await runCheck("long", command, { ...place, keepBytes: 1024 * 1024 });
	assert.equal(whole.output, `${"a line of output\n".repeat(3000)}end\n`);
});
