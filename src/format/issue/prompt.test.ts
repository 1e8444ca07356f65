// What the prompts of a run on an issue are given beyond their own text.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { PromptContext } from "../../format.ts";
import { promptAdditions } from "./prompt.ts";

const tree = mkdtempSync(join(tmpdir(), "pawl-issue-prompt-"));
after(() => rmSync(tree, { recursive: true, force: true }));
const dir = join(tree, ".workflow", "run-GAL-1");
mkdirSync(dir, { recursive: true });
mkdirSync(join(tree, "TODO"));
writeFileSync(join(tree, "Cargo.toml"), '[package]\nname = "x"\n');
for (const [id, status] of [
	["GAL-1", "Todo"],
	["GAL-7", "Done"],
])
	writeFileSync(join(tree, "TODO", `${id}.md`), `---\nid: ${id}\nstatus: ${status}\n---\n\n# ${id}\n`);
const spec = (title: string, file: string): string => `# ${title}\n\n## Files\n${file}\n\n## Test command\ncargo test sums\n`;
writeFileSync(join(dir, "task-1.md"), spec("Task 1", "src/lib.rs"));
writeFileSync(join(dir, "task-fix-1.md"), spec("Fix 1", "src/other.rs"));

const WRITES = {
	implement: { rule: "task-files" },
	tests: { rule: "test-files" },
	context: { rule: "issue-file" },
	plan: [".workflow/**"],
};

interface Asked {
	readonly fields?: Record<string, string>;
	readonly feedback?: string | null;
	readonly promptText?: string;
	readonly checks?: Record<string, string>;
}

async function told(type: string, { fields = {}, feedback = null, promptText = "", checks = {} }: Asked = {}) {
	const types = Object.fromEntries(
		["plan", "context", "tests", "implement", "final_review", "write_fixes", "final_checks", "diagnose"].map((name) => [
			name,
			{ writes: WRITES[name as keyof typeof WRITES] ?? "none" },
		]),
	);
	const input = { issue_id: "GAL-1", issue_file: join(tree, "TODO", "GAL-1.md"), run_dir: dir, worktree: tree };
	const of = {
		state: {
			input,
			root: { fields: { spec: join(dir, "task-fix-1.md"), fix_keys: "k", ...fields } },
			definition: { types },
			options: { shell: { checks } },
		},
		step: { type, feedback },
		promptText,
	} as unknown as PromptContext;
	const given = await promptAdditions(of);
	return { ...given.variables, ...given.quoted, reason: given.reason } as Record<string, string | undefined>;
}

test("T-56 limits name files, not rules", async () => {
	assert.match((await told("context"))["boundaries"] ?? "", /only .*TODO\/GAL-1\.md\. Any other/);
	assert.match((await told("tests"))["boundaries"] ?? "", /`tests\/\*\*`.*inside of `#\[cfg\(test\)\]` modules/);
	assert.match((await told("implement"))["boundaries"] ?? "", /only `src\/other\.rs`, and no tests/);
	assert.ok((await told("plan"))["boundaries"]?.includes(dir));
});

test("G-15 after a failed check, or beside a finding about tests, make may change the files of every spec of the run", async () => {
	const all = await told("implement", { fields: { all_specs: "yes" } });
	assert.match(all["boundaries"] ?? "", /`src\/lib\.rs`, `src\/other\.rs`/);
	assert.equal(all["spec"], [join(dir, "task-1.md"), join(dir, "task-fix-1.md")].join("\n"));
});

test("T-54 what a review found in the code beside the tests reaches make; what it found in tests does not", async () => {
	const review_findings = "- [weak] test: tests/a.rs:1: weak\n- [off] production: src/lib.rs:2: off by one";
	const { code_findings, code_lead } = await told("implement", { fields: { review_findings } });
	assert.equal(code_findings, "- [off] production: src/lib.rs:2: off by one");
	assert.notEqual(code_lead, "");
	assert.deepEqual(
		Object.values(await told("implement")).filter((text) => text?.includes("off by one")),
		[],
	);
});

test("G-15 a prompt says once why it runs again, and never that another step was `done`", async () => {
	const why = { fields: { why: "The checks fail." }, promptText: "{{why}}" };
	assert.equal((await told("implement", { feedback: "write_fixes: done" }))["reason"], "");
	assert.equal((await told("implement", { ...why, feedback: "final_checks: lint: `x` exited 1\nboom" }))["reason"], "");
	assert.equal(
		(await told("final_review", { feedback: "final_checks: lint: `x` exited 1\nboom" }))["reason"],
		"final_checks: lint: `x` exited 1",
	);
	const crossed = "implement may only write what the rule task-files allows, but changed a.rs";
	assert.equal(
		(await told("implement", { ...why, feedback: crossed }))["reason"],
		"implement may only write what its limits below allow, but changed a.rs",
	);
	assert.equal((await told("implement"))["reason"], undefined);
});

test("T-22 the checks that are still to come are named; examples have names out of this run", async () => {
	const given = await told("implement", { checks: { lint: "cargo clippy -- -D warnings" } });
	assert.match(given["checks_to_come"] ?? "", /- lint: `cargo clippy -- -D warnings`/);
	assert.equal((await told("implement"))["checks_to_come"], "");
	assert.deepEqual([given["code_file"], given["test_run"]], ["src/other.rs", "cargo test sums"]);
	assert.match(given["context_example"] ?? "", /^GAL-7 \(Done\)/);
});
