// What counts as RED on stubs: cargo's output is given, and whether a reviewer looked at the tests.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { StepContext } from "../../../format.ts";
import { red } from "./evidence.ts";

const TODO = "src/trunc.rs:3:5:\nnot yet implemented";
const ASSERTION = "tests/cli.rs:9:5:\nassertion `left == right` failed";

/** Tests by name, with what they panic on; null: it passes. */
function cargo(tests: Readonly<Record<string, string | null>>): string {
	const all = Object.entries(tests);
	const failed = all.filter(([, panic]) => panic !== null);
	return [
		`running ${all.length} tests`,
		...all.map(([name, panic]) => `test ${name} ... ${panic === null ? "ok" : "FAILED"}`),
		"\nfailures:\n",
		...failed.map(([name, panic]) => `---- ${name} stdout ----\n\nthread '${name}' (7) panicked at ${panic}\n`),
		"\nfailures:",
		...failed.map(([name]) => `    ${name}`),
		`\ntest result: FAILED. ${all.length - failed.length} passed; ${failed.length} failed; 0 ignored; 0 measured; 0 filtered out\n`,
	].join("\n");
}

async function judged(t: TestContext, output: string, fields: Readonly<Record<string, string>>) {
	const path = mkdtempSync(join(tmpdir(), "pawl-red-"));
	t.after(() => rmSync(path, { recursive: true }));
	const dir = join(path, ".workflow", "run-TK-1");
	mkdirSync(dir, { recursive: true });
	writeFileSync(join(path, "Cargo.toml"), '[package]\nname = "x"\nversion = "0.1.0"\n');
	writeFileSync(join(dir, "task-1.md"), "# T\n\n## Files\nsrc/trunc.rs\n\n## Test command\ncargo test\n\nNew symbols: yes\n");
	const context = {
		state: {
			input: { run_dir: dir },
			definition: { types: {} },
			root: { fields: { stubbed: "yes", spec: join(dir, "task-1.md"), ...fields } },
		},
		step: { type: "red" },
		workspace: { path },
		signal: new AbortController().signal,
		undisturbed: (work: () => Promise<unknown>) => work(),
		run: async (command: string) => ({ name: "test", command, exitCode: 101, output }),
	} as unknown as StepContext;
	return red(context);
}

test("O-58 O-54 a test that starts the program and fails counts where a reviewer accepted it, under that name; what passes never does", async (t) => {
	const output = cargo({ short: TODO, prints: ASSERTION });
	const alone = await judged(t, output, {});
	assert.deepEqual([alone.signal, alone.error?.split("\n")[0]], ["not_red", "these fail for another reason than a todo!(): prints"]);
	const looked = await judged(t, output, { tests_reviewed: "yes" });
	assert.deepEqual([looked.signal, looked.facts?.["accepted_tests"]], ["red", "prints"]);
	assert.equal((await judged(t, output, { accepted_tests: "prints" })).signal, "red", "also after the tests were mended");
	const more = await judged(t, cargo({ short: TODO, prints: ASSERTION, writes: ASSERTION }), { accepted_tests: "prints" });
	assert.deepEqual([more.signal, more.error?.split("\n")[0]], ["not_red", "these fail for another reason than a todo!(): writes"]);
	const passes = await judged(t, cargo({ short: null, prints: ASSERTION }), { tests_reviewed: "yes" });
	assert.equal(passes.signal, "structural_only");
	const both = await judged(t, cargo({ short: null, prints: ASSERTION }), {});
	assert.match(both.error ?? "", /do not reach a todo!\(\): short; and these fail for another reason than a todo!\(\): prints$/);
	const cut = await judged(t, output.replace("2 failed", "3 failed"), { tests_reviewed: "yes" });
	assert.equal(cut.signal, "not_red", "the output does not name all of them");
});
