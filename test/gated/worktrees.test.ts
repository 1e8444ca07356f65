// Two runs on two issues in two worktrees of one repository at the same time, both filing sub-issues in the same moment.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stringify } from "yaml";
import { parseIssue } from "../../src/format/issue/tracker/issue.ts";
import { startPawl } from "../support/pawl.ts";
import { exists, git, list, put, read, repository, scratchFolder } from "../support/scratch.ts";

const issue = (id: string) =>
	`---\ntitle: Add ${id}\nstatus: Todo\nlabels: [feature]\ndepends-on: []\n---\n\nhand-written-4711\n\n## Acceptance criteria\n\n- [ ] part 1 holds\n- [ ] part 2 holds\n- [ ] part 3 holds\n\n## Sub-issues\n`;

const FILES = {
	"package.json": '{"name": "sums", "private": true, "type": "module", "scripts": {"test": "node --test"}}\n',
	"src/sum.mjs": 'export const sum = () => { throw new Error("no sum yet"); };\n',
	"TODO/README.md": "# TODO\n\n## Core\n\n- [GAL-1](GAL-1.md): Add GAL-1, Todo\n- [GAL-2](GAL-2.md): Add GAL-2, Todo\n",
	"TODO/GAL-1.md": issue("GAL-1"),
	"TODO/GAL-2.md": issue("GAL-2"),
};

const spec = (n: number) =>
	`# Task ${n}: part ${n}\n\nMakes part ${n} hold.\n\n## Acceptance criteria\n- part ${n} holds\n\n## Files\nsrc/sum.mjs\n\n## Code context\nsrc/sum.mjs exports \`sum\`.\n\n## Integration contracts\n${n === 3 ? "Uses what task 2 makes." : "None."}\n\n## Test design\nCompare sums.\n\n## Test command\nnode --test\n\nDepends on: ${n === 3 ? "task 2" : "none"}\nNew symbols: no\n`;

const TEST =
	'import test from "node:test";\nimport assert from "node:assert/strict";\nimport { sum } from "../src/sum.mjs";\ntest("sum", () => assert.equal(sum(2, 3), 5));\n';

/** What the roles do for one issue. Its reviewer of the split waits for the other run's, so that both file at once. */
function script(id: string, meeting: string, other: string): string {
	const folder = `.workflow/run-${id}`;
	const meet = `touch '${join(meeting, id)}'; until [ -e '${join(meeting, other)}' ]; do sleep 0.1; done`;
	const fine = { say: "VERDICT: ACCEPTABLE\nFINDINGS: none" };
	return stringify({
		steps: [
			{
				on: { type: "plan" },
				do: [{ write: { path: `${folder}/plan.md`, content: "# Plan\n\n## Goal\n\nAdd numbers.\n" } }, { say: "STATUS: done" }],
			},
			{
				on: { type: "split" },
				do: [...[1, 2, 3].map((n) => ({ write: { path: `${folder}/task-${n}.md`, content: spec(n) } })), { say: "STATUS: done\nTASKS: 3" }],
			},
			{ on: { type: "review_split" }, do: [{ run: ["sh", "-c", meet] }, fine] },
			{ on: { role: ["check", "simplify"] }, do: [fine] },
			{
				on: { role: "test" },
				do: [
					{ write: { path: "test/sum.test.mjs", content: TEST } },
					{ say: "STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: no sum yet" },
				],
			},
			{
				on: { role: "make" },
				do: [
					{ write: { path: "src/sum.mjs", content: `export const sum = (a, b) => a + b; // ${id}\n` } },
					{ say: "STATUS: COMPLETE\nESCALATE: none\nNOTES: green" },
				],
			},
			{ on: { role: "pm" }, do: [{ say: "STATUS: FOUND" }] },
		],
	});
}

test("O-24 O-82: runs in two worktrees file at once, with numbers of their own, and neither sees anything of the other", async () => {
	const root = repository(FILES);
	const home = scratchFolder("gated-two");
	const meeting = join(home, "meeting");
	mkdirSync(meeting);
	const ids = ["GAL-1", "GAL-2"] as const;
	const runs = ids.map((id, i) => {
		const tree = join(home, id);
		git(root, "worktree", "add", "-q", "-b", `work-${id}`, tree, "main");
		put(home, { [`${id}.yml`]: script(id, meeting, ids[1 - i] ?? "") });
		return { id, tree, run: startPawl(["run", "gated", id, "--agent", "scripted", "--script", join(home, `${id}.yml`)], { cwd: tree }) };
	});
	const before = git(root, "rev-parse", "main");
	const filed: string[] = [];
	for (const { id, tree, run } of runs) {
		const ended = await run.done;
		assert.equal(ended.code, 0, ended.all);
		const own = list(tree, "TODO").filter((name) => /^GAL-(?![12]\.)\d+\.md$/.test(name));
		assert.equal(own.length, 2, own.join());
		filed.push(...own);
		const subs = own.map((name) => parseIssue(name.slice(0, -3), read(tree, "TODO", name)));
		const [two, three] = subs.map((sub) => ("problem" in sub ? assert.fail(sub.problem) : sub));
		assert.deepEqual([two?.parent, two?.status, two?.labels, two?.dependsOn], [id, "Todo", ["split-from-run"], []]);
		assert.deepEqual([three?.parent, three?.dependsOn], [id, [two?.id]]);
		const other = ids.find((one) => one !== id) ?? "";
		assert.equal(read(tree, "TODO", `${other}.md`), issue(other), "the other issue is as it was");
		assert.match(read(tree, "TODO", `${id}.md`), /status: In Progress\n[\s\S]*- \[x\] part 1 holds\n- \[ \] part 2 holds/);
		assert.ok(read(tree, "src/sum.mjs").includes(id));
		assert.equal(git(tree, "status", "--porcelain"), "");
		assert.equal(git(tree, "log", "--format=%s", "main..HEAD").split("\n").length, 2, git(tree, "log", "--format=%s", "main..HEAD"));
		assert.ok(exists(tree, ".workflow", `run-${id}`, "summary.md") && !exists(tree, ".workflow", `run-${other}`));
	}
	assert.deepEqual(filed.sort(), ["GAL-3.md", "GAL-4.md", "GAL-5.md", "GAL-6.md"]);
	assert.equal(git(root, "rev-parse", "main"), before);
	assert.equal(git(root, "status", "--porcelain"), "");
	git(root, "merge", "-q", "--no-edit", "work-GAL-1");
	const merged = list(root, "TODO");
	assert.equal(merged.filter((name) => filed.includes(name)).length, 2);
});
