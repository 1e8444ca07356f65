// scripts/test.ts from outside: what passes, what fails, and that a leak fails a run in which every test passed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const root = join(import.meta.dirname, "..", "..");
const scratch = mkdtempSync(join(tmpdir(), "pawl-runner-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const temporary = join(scratch, "tmp");
mkdirSync(temporary);

/** Runs this file of tests alone; whatever it does, the run itself leaves no folder. */
const runTests = (name: string, body: string, more: NodeJS.ProcessEnv = {}) => {
	const file = join(scratch, `${name}.test.ts`);
	writeFileSync(
		file,
		`import { spawn } from "node:child_process";
		import { mkdtempSync, writeFileSync } from "node:fs";
		import { tmpdir } from "node:os";
		import { join } from "node:path";
		import { test } from "node:test";
		${body}`,
	);
	// Inside a test run node --test would speak its binary protocol with this one.
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const result = spawnSync(process.execPath, [join(root, "scripts", "test.ts"), file], {
		encoding: "utf8",
		timeout: 60_000,
		env: { ...env, ...more, TMPDIR: temporary },
	});
	assert.deepEqual(readdirSync(temporary), []);
	return { status: result.status, output: result.stdout + result.stderr };
};

describe("scripts/beside.ts", () => {
	const beside = (...lines: string[]): { readonly status: number | null; readonly output: string } => {
		const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", "beside.ts"), ...lines], { encoding: "utf8" });
		return { status, output: stdout + stderr };
	};
	it("passes when all pass, and shows what the last one prints", () => {
		assert.deepEqual(beside("echo first", "echo last"), { status: 0, output: "last\n" });
	});
	it("fails when any one fails, names it and shows what it printed", () => {
		const { status, output } = beside("echo oops; exit 3", "echo last");
		assert.equal(status, 1);
		assert.match(output, /^oops\nFAILED: echo oops; exit 3$/m);
		assert.equal(beside("true", "exit 1").status, 1);
	});
});

describe("scripts/test.ts", () => {
	it("passes and ends with node's summary", () => {
		const { status, output } = runTests("good", 'test("one", () => {}); test("two", () => {});');
		assert.equal(status, 0, output);
		assert.match(output, /^# tests 2\n(# .*\n)*# pass 2\n# fail 0\n/m);
	});
	it("fails with the name and the error of a failed test", () => {
		const { status, output } = runTests("bad", 'test("outer", (t) => t.test("inner", () => { throw new Error("because"); }));');
		assert.equal(status, 1);
		assert.match(output, /FAIL outer > inner .*\n.*because/);
		assert.match(output, /^# fail 2$/m);
	});
	it("fails when a file cannot be loaded", () => {
		const { status, output } = runTests("broken", 'import "./nowhere.ts";');
		assert.equal(status, 1);
		assert.match(output, /nowhere/);
	});
	it("kills a file that hangs and does not end when it is asked to, with what holds its output, and names it", {
		skip: !existsSync("/proc/self/stat"),
	}, () => {
		const body = `spawn("sleep", ["600"], { detached: true, stdio: "inherit" }).unref(); process.on("SIGTERM", () => {}); test("never", () => { for (;;); });`;
		const { status, output } = runTests("hangs", body, { PAWL_TEST_LIMIT_MS: "1000" });
		assert.equal(status, 1);
		assert.match(output, /^hangs\.test\.ts hangs: killed after \d+ s$/m);
	});
	it("fails when there is nothing to run", () => {
		const result = spawnSync(process.execPath, [join(root, "scripts", "test.ts"), "src/no-such-*.test.ts"], { encoding: "utf8" });
		assert.equal(result.status, 2);
	});
	it("fails when a passing test leaves a temporary folder", () => {
		const { status, output } = runTests("folder", 'test("one", () => { mkdtempSync(join(tmpdir(), "pawl-left-")); });');
		assert.equal(status, 1);
		assert.match(output, /^# pass 1$/m);
		assert.match(output, /left behind: .*pawl-left-/);
	});
	it("fails when a passing test leaves a process, and ends it", { skip: !existsSync("/proc/self/stat") && "needs /proc" }, async () => {
		const pidFile = join(scratch, "pid");
		const { status, output } = runTests(
			"process",
			`test("one", () => {
				const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
				child.unref();
				writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
			});`,
		);
		assert.equal(status, 1);
		assert.match(output, /left behind: process \d+: sleep 300/);
		const state = `/proc/${readFileSync(pidFile, "utf8")}/stat`;
		// The kernel takes a moment to end what was killed.
		const runs = (): boolean => existsSync(state) && !/ [ZX] /.test(readFileSync(state, "utf8"));
		for (const end = Date.now() + 10_000; runs(); await sleep(10)) assert.ok(Date.now() < end, "it still runs");
	});
});
