// Scratch trackers for tests: a repository with issues in TODO/, removed after the file's tests.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { initialise } from "../../../../test/support/empty-repository.ts";
import { seedBody } from "./seed-body.ts";

export const made: string[] = [];
after(() => {
	for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

export const git = (cwd: string, ...args: string[]) =>
	execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

export const issueText = (id: string, { status = "Todo", depends = "", parent = "", more = "" } = {}) => `---
id: ${id}
# a person's own remark
title: 'Add ${id}'
status: ${status}   # keep this
parent: ${parent}
labels: [feature]
depends-on: [${depends}]
---

# ${id}: Add

hand-written-4711

## Acceptance criteria

- [ ] \`one\` is 1
- [ ] two is 2
${more}
## Sub-issues
`;

export const readmeText = (...ids: string[]) =>
	`# TODO\n\n## Core\n\n${ids.map((id) => `- [${id}](${id}.md): Add ${id}, Todo`).join("\n")}\n\n## Later\n\nnothing\n`;

/** Makes a repository with these files committed in TODO/; returns the TODO folder. */
export function folder(files: Readonly<Record<string, string>>): string {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-todo-")));
	made.push(root);
	initialise(root, { name: "Test", email: "test@example.invalid" });
	const dir = join(root, "TODO");
	mkdirSync(dir);
	for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
	git(root, "add", "-A");
	git(root, "commit", "-q", "--allow-empty", "-m", "start");
	return dir;
}

export const usual = () =>
	folder({
		"README.md": readmeText("GAL-38", "GAL-39"),
		"GAL-38.md": issueText("GAL-38"),
		"GAL-39.md": issueText("GAL-39", { depends: "GAL-38" }),
	});
export const read = (dir: string, name: string) => readFileSync(join(dir, name), "utf8");
export const lineOf = (text: string, id: string) => text.split("\n").find((line) => line.includes(id)) ?? "no line";

/** The value, or a failed test. */
export function fine<T>(result: T): Exclude<T, { readonly problem: string }> {
	assert.ok(!(typeof result === "object" && result !== null && "problem" in result), JSON.stringify(result));
	return result as Exclude<T, { readonly problem: string }>;
}
export const problemOf = (result: unknown): string =>
	typeof result === "object" && result !== null && "problem" in result ? String(result.problem) : "no problem";

export const seed = (n: number) =>
	seedBody({
		description: `Do part ${n}.\n\n## Sneaky heading`,
		criteria: [`part ${n} works`],
		codeContext: `src/part${n}.ts`,
		contracts: "uses part 1",
		plan: "# Plan\n\nthe slice",
		testDesign: "call it",
		branch: "feature/gal-39",
		parent: "GAL-39",
	});
export const part = (n: number, dependsOn: readonly string[] = []) => ({
	key: `task-${n}`,
	title: `Part ${n}: more`,
	label: "split-from-run" as const,
	dependsOn,
	body: seed(n),
});
