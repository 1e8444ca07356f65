// `npm run demo:machines` cleans up, also if it is interrupted. `npm run prove` plays it to its end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/machines.ts";
import { PROJECT } from "../support/pawl.ts";
import { withoutPostgres } from "../support/postgres.ts";

test("the demo of several machines leaves nothing behind when somebody presses Ctrl-C", { skip: withoutPostgres }, async () => {
	const demo = spawn(process.execPath, [join(PROJECT, "scripts", "demo-machines.ts")], { stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	for (const stream of [demo.stdout, demo.stderr])
		stream.on("data", (chunk: Buffer) => {
			said += chunk.toString("utf8");
		});
	const ended = once(demo, "exit");
	await until("work of the workers", () => / works on US-\d/.test(said) || demo.exitCode !== null);
	assert.equal(demo.exitCode, null, said);
	const [, folder = ""] = /Everything is in (\S+)/.exec(said) ?? [];
	assert.equal(existsSync(join(folder, "shared.git")), true, said);
	demo.kill("SIGINT");
	assert.deepEqual(await ended, [130, null], said);
	assert.equal(existsSync(folder), false, "what is left of processes, the test run itself notices");
});
