// Criteria that stay open when nobody has them to do any more: a case that only people who close sub-issues early bring about.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { StepContext } from "../../format.ts";
import { fileTasks, settle } from "./actions.ts";
import { followUps } from "./follow-ups.ts";
import { git } from "./tracker/scratch-tracker.suite.ts";

const made: string[] = [];
after(() => {
	for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const issue = (status: string, more: string, body: string): string => `---\nstatus: ${status}\n${more}---\n\n${body}`;

/** An issue with two criteria, of which task 1 has the first; a sub-issue that is in this state. */
function placeWith(child: string, criteria = ["Adds two numbers"], labels = ""): { readonly context: StepContext; readonly todo: string } {
	const tree = mkdtempSync(join(tmpdir(), "pawl-settle-"));
	made.push(tree);
	git(tree, "init", "-q", "-b", "main");
	const todo = join(tree, "TODO");
	const runDir = join(tree, ".workflow", "run-GAL-1");
	for (const folder of [todo, runDir]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(todo, "README.md"), "# Issues\n\n- GAL-1 Sums: In Progress\n- GAL-2 More: Todo\n");
	const body = "# Sums\n\n## Acceptance criteria\n\n- [ ] Adds two numbers\n- [ ] Adds many numbers\n";
	writeFileSync(join(todo, "GAL-1.md"), issue("In Progress", "", body));
	writeFileSync(join(todo, "GAL-2.md"), issue(child, `parent: GAL-1\n${labels}`, "# More\n"));
	writeFileSync(join(runDir, "task-1.md"), `# Task 1\n\n## Acceptance criteria\n\n${criteria.map((text) => `- ${text}`).join("\n")}\n`);
	const fields: Record<string, string> = { tasks: "2" };
	const state = {
		id: "run-1",
		input: { issue_id: "GAL-1", run_dir: runDir },
		root: { fields, kept: [] },
		definition: { types: { follow_ups: { with: { bugs: "bug", open_criteria: "followup" } } } },
	};
	const workspace = { path: tree, branch: "feature/sums", commitAll: async () => null };
	return { context: { state, workspace, step: { type: "settle" } } as unknown as StepContext, todo };
}

test("O-78: open criteria that a sub-issue still has stay with it; those that none has become one follow-up", async () => {
	const covered = placeWith("Todo");
	assert.equal((await settle(covered.context)).signal, "some_open");

	const { context, todo } = placeWith("Done");
	const settled = await settle(context);
	assert.deepEqual([settled.signal, settled.facts], ["uncovered", { issue_status: "In Progress", open_criteria: "Adds many numbers" }]);
	assert.match(
		readFileSync(join(todo, "GAL-1.md"), "utf8"),
		/status: In Progress[\s\S]*- \[x\] Adds two numbers\n- \[ \] Adds many numbers/,
	);
	Object.assign(context.state.root.fields, { ...settled.facts, uncovered: "yes" });
	const after = { ...context, step: { ...context.step, type: "follow_ups" } };
	assert.equal((await followUps(after)).signal, "filed");
	const filed = readdirSync(todo).filter((name) => !["README.md", "GAL-1.md", "GAL-2.md"].includes(name));
	assert.deepEqual(filed, ["GAL-3.md"]);
	assert.match(readFileSync(join(todo, "GAL-3.md"), "utf8"), /followup[\s\S]*What is still open of GAL-1:\s+- Adds many numbers/);
});

test("O-78 an issue whose criteria are all ticked stays in progress while a part that a run split off is open", async () => {
	const all = ["Adds two numbers", "Adds many numbers"];
	const split = placeWith("Todo", all, "labels: [split-from-run]\n");
	const settled = await settle(split.context);
	assert.deepEqual([settled.signal, settled.facts], ["some_open", { issue_status: "In Progress", open_criteria: "" }]);
	assert.match(String(settled.notes), /GAL-1 is In Progress; still to be done: GAL-2/);
	// A bug that was found on the way is no part of the issue.
	const bug = placeWith("Todo", all, "labels: [bug]\n");
	assert.deepEqual([(await settle(bug.context)).signal, (await settle(bug.context)).facts?.["issue_status"]], ["all_done", "Done"]);
});

test("O-75 of an issue that was split, the criteria of the task that is done now are judged by what is said about it", async () => {
	const { context } = placeWith("Todo", ["**Adds** two numbers.", "something else"]);
	const named = await fileTasks(context);
	assert.equal(named.facts?.["judged_criteria"], "Adds two numbers", String(named.error));
	const whole = { ...context, state: { ...context.state, root: { ...context.state.root, fields: { tasks: "1" } } } };
	assert.equal((await fileTasks(whole)).facts?.["judged_criteria"], "");
});

test("O-76 a bug is filed once for a line, whoever reports it, with a criterion that can be ticked and a title that is no torn word", async () => {
	const { context, todo } = placeWith("Done");
	const texts = [
		"src/sum.rs:12: sum overflows when both numbers are large, because it adds before it widens them to sixty-four bits; use i64 first",
		"the sum in src/sum.rs:12 wraps around",
		"README.md is out of date",
	];
	const kept = texts.map((text) => ({ name: "bugs", step: "step-1", text }));
	const state = { ...context.state, root: { ...context.state.root, kept } };
	await followUps({ ...context, state, step: { ...context.step, type: "follow_ups" } } as StepContext);
	const filed = readdirSync(todo).filter((name) => !["README.md", "GAL-1.md", "GAL-2.md"].includes(name));
	assert.deepEqual(filed, ["GAL-3.md", "GAL-4.md"]);
	const bug = readFileSync(join(todo, "GAL-3.md"), "utf8");
	assert.match(bug, /use i64 first\n\nAlso reported as: the sum in src\/sum\.rs:12 wraps around/);
	assert.match(bug, /- \[ \] What is described above no longer happens, and a test shows it/);
	assert.match(bug, /^title: .*because it adds before it…"$/m);
});
