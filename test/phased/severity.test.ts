// What a verdict of the supervisor leads to, in process: one short run for each row of the table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { harness } from "../../src/engine/testing/harness.suite.ts";

const DOCUMENT = "# Demo\n\nAbout.\n\n## Phase 1: Part 1\n\n### Task 1.1: Job 1.1\n\nDo it.\n\n- [ ] File exists `test -f work/1.1.txt`\n";
const PLAN = [{ task: "1.1", name: "New", description: "Do it anew.", criteria: ["File exists `test -f work/1.1.txt`"] }];

const TABLE: readonly [action: string, severity: string | undefined, then: string][] = [
	["pass", undefined, "execute"],
	["pass", "low", "execute"],
	["auto_fix", "low", "execute"],
	["re_plan", "low", "execute"],
	["re_plan", "high", "replan"],
	["auto_fix", "high", "replan"],
	["re_plan", "critical", "replan"],
	["pass", "critical", "replan"],
	["re_plan", "**Critical** (it leaks keys)", "replan"],
	["auto_fix", "Low - a name", "execute"],
	["auto_fix", "medium", "pre_task"],
	["re_plan", undefined, "pre_task"],
	["frobnicate", "low", "pre_task"],
];

for (const [action, severity, then] of TABLE)
	test(`S-29: the severity decides what is done, whatever is asked for: ${action} ${severity ?? "without one"}`, async (t) => {
		const verdict = `ACTION: ${action}${severity === undefined ? "" : `\nSEVERITY: ${severity}\nCONFLICT_TYPE: pattern\nRESOLUTION: resolve-it`}`;
		const { phased } = BUILT_IN;
		assert.ok(phased);
		const h = await harness(t, {
			...phased,
			files: { "README.md": "a project\n", "tasks/demo.md": DOCUMENT },
			cast: {
				...phased.cast,
				pre_task: ({ nth }) => (nth === 1 ? verdict : "ACTION: pass"),
				replan: `STATUS: done\nTASKS_JSON: ${JSON.stringify(PLAN)}`,
			},
		});
		const state = await h.toHalt();
		assert.equal(state.status, "completed", state.reason ?? "");
		assert.equal(h.prompts[2]?.type, then, h.prompts.map(({ type }) => type).join(" "));
	});
