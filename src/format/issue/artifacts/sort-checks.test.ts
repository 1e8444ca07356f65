// Whose work a failed check of the repository is about, and who gets it back.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { World } from "../../../core/testing/world.suite.ts";
import { loadDefinition } from "../../../definition/load.ts";
import type { StepContext } from "../../../format.ts";
import { sortChecks } from "./sort-checks.ts";

const CHANGED = ["src/sum.mjs", "test/sum.test.mjs"];

async function sorted(t: TestContext, ...failing: [name: string, command: string, output: string][]): Promise<string> {
	const path = mkdtempSync(join(tmpdir(), "pawl-sort-"));
	t.after(() => rmSync(path, { recursive: true }));
	writeFileSync(join(path, "package.json"), "{}");
	const context = {
		state: { input: {}, options: { shell: {} }, root: { failing: failing.map(([name, command, output]) => ({ name, command, output })) } },
		workspace: { path, branch: "todo/x" },
		repository: { changedPaths: async () => CHANGED },
	} as unknown as StepContext;
	return (await sortChecks(context)).signal;
}

test("O-68 a linter that finds something in tests only goes to their author; anything else to the author of the code", async (t) => {
	const lint = (output: string): [string, string, string] => ["lint", "npx eslint .", output];
	assert.equal(await sorted(t, lint("/w/test/sum.test.mjs\n  3:1  error  unused")), "tests");
	assert.equal(await sorted(t, lint("test/sum.test.mjs:3:1 unused\nsrc/sum.mjs:1:1 unused")), "code");
	assert.equal(await sorted(t, lint("src/sum.mjs:1:1 unused")), "code");
	assert.equal(await sorted(t, lint("something is wrong")), "code", "it names no file");
	assert.equal(await sorted(t, lint("other-test/sum.test.mjs.bak")), "code");
	assert.equal(await sorted(t, ["test", "npm test", "test/sum.test.mjs: not ok 1"]), "code", "a failing test names its file");
	assert.equal(await sorted(t, lint("test/sum.test.mjs:3:1"), ["types", "tsc", "src/sum.mjs(1,1)"]), "code");
	assert.equal(await sorted(t), "code");
});

test("O-68 T-54 a check that fails in a test goes to the author of the tests, without a diagnosis, then through GREEN, the review and the checks again", async () => {
	const loaded = await loadDefinition(join(import.meta.dirname, "../../../../workflows/gated"));
	assert.ok(loaded.ok);
	const gate = { check: { signal: "acceptable" }, simplify: { signal: "acceptable" } };
	const w = new World(loaded.definition, { fields: { tasks: "1", testable: "yes", stack: "node" } });
	w.play({
		...{
			sanity: { signal: "fit" },
			context: { signal: "found" },
			begin: { signal: "begun" },
			split: { facts: { tasks: "1", testable: "yes", stack: "node" } },
		},
		...{
			"review_plan check": gate.check,
			"review_plan simplify": gate.simplify,
			"final_review check": gate.check,
			"final_review simplify": gate.simplify,
		},
		...{
			file_tasks: { signal: "filed" },
			tests: { signal: "tests_ready" },
			red: { signal: "red" },
			implement: { signal: "complete" },
			green: { signal: "green" },
		},
		final_checks: [{ signal: "checks_failed", error: "lint: `eslint` exited 1" }, {}],
		...{ sort_checks: { signal: "tests" }, mend_tests: { signal: "tests_ready" } },
		...{
			commit: { signal: "committed" },
			settle: { signal: "all_done" },
			follow_ups: { signal: "none" },
			commit_todo: { signal: "committed" },
		},
	});
	const from = w.started.indexOf("final_checks");
	assert.deepEqual(w.started.slice(from, from + 8), [
		...["final_checks", "sort_checks", "mend_tests", "green", "final_review", "final_review", "final_checks", "commit"],
	]);
	assert.equal(w.state.status, "completed", w.state.reason ?? "");
});
