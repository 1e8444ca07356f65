// A run of `gated` in the process of the test: the real engine, workflow, formats and prompts over a repository, a store and a clock in
// memory, with the same crew of scripted roles as `issueSite`. What git, the command line and real processes do, `issueSite` shows.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after } from "node:test";
import { exitOfStatus } from "../../src/cli/context.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import type { Commands } from "../../src/engine/testing/engine-parts.suite.ts";
import { Harness, type HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { changedPaths } from "../../src/engine/testing/memory-git.suite.ts";
import { recoveryCommands } from "../../src/format/issue/preconditions.ts";
import { fixLayout, taskLayout } from "../../src/format/issue/spec/layout.ts";
import type { Rule } from "./fake-agent.ts";
import {
	BRANCH,
	CRITERIA,
	crew,
	filedIn,
	front,
	ISSUE,
	type IssueSite,
	orderOf,
	type SiteOptions,
	SUMS,
	taskText,
	tracker,
} from "./issue-site.ts";
import { type Ended, exited } from "./pawl.ts";
import { quickAgent } from "./quick-agent.ts";
import { quickNode } from "./quick-node.ts";
import { list, read } from "./scratch.ts";

const RUN_BRANCH = BRANCH;

interface QuickOptions extends Omit<SiteOptions, "repo" | "env" | "branch"> {
	/** What a command of the task comes to, if it is not `node FILE`. */
	readonly commands?: Commands;
	/** As `--max-cost` with `--allow-unknown-cost`. */
	readonly maxCost?: number;
}

export function quickIssueSite(rules: readonly Rule[] = [], options: QuickOptions = {}): IssueSite {
	const { id = ISSUE, tasks = [taskText(1)], issues = { [id]: {} }, files = SUMS } = options;
	const agent = quickAgent([...rules, ...crew(id, tasks)]);
	const layout = { testCommand: "npm test", ending: "mjs" };
	const h = new Harness({
		...(BUILT_IN["gated"] as HarnessOptions),
		files: { ...files, ...tracker(issues) },
		inputOf: (root) => {
			const dir = join(root, ".workflow", `run-${id}`);
			return {
				...{ issue_id: id, issue_file: join(root, "TODO", `${id}.md`), run_dir: dir, plan_file: join(dir, "plan.md") },
				...{ diff_file: join(dir, "changes.diff"), spec_layout: taskLayout(layout), fix_layout: fixLayout(layout) },
				...{ worktree: root, repository: root, branch: RUN_BRANCH, base_branch: "main", run_criteria: CRITERIA.join("\n") },
				recovery_commands: recoveryCommands({ tree: root, root: "/the/main/checkout", issue: id, base: "main" }, RUN_BRANCH),
			};
		},
		env: { PATH: process.env["PATH"] ?? "" },
		...(options.maxCost === undefined ? {} : { options: { budgets: { cost: options.maxCost }, allowUnknownCost: true } }),
		commands: (command, at) => options.commands?.(command, at) ?? quickNode(command, at),
		cast: { "*": agent.part },
	});
	after(() => h.remove());
	const tree = h.site.root;
	const known = new Set(list(tree, "TODO"));
	const run = async (): Promise<Ended> => {
		await h.create();
		const { status } = await h.toHalt();
		const all = [...h.warnings, ...(await h.events()).flatMap(textsIn)].join("\n");
		return { code: exitOfStatus(status), signal: null, stdout: "", stderr: "", all };
	};
	const commits = () => h.site.git.between(h.site.git.refs.get("refs/heads/main") ?? "", h.site.user.commit ?? "");
	const issue = (which = id): string => read(tree, "TODO", `${which}.md`);
	return {
		...{ quick: true, repo: tree, tree, agent, run, dir: join(tree, ".workflow", `run-${id}`), issue },
		runs: async (code) => exited(await run(), code),
		start: () => assert.fail("there is no process to start"),
		cmd: () => assert.fail("there is no command line"),
		order: () => orderOf(agent),
		prompts: (type) => agent.of(type).map((call) => call.prompt),
		status: (which = id) => front(issue(which), "status"),
		filed: () => filedIn(tree, known),
		commits: () =>
			commits().map(({ message, tree: after, parents }) => ({
				subject: message.split("\n", 1)[0] ?? "",
				files: changedPaths(h.site.git.at(parents[0] ?? "").tree, after),
			})),
		show: (commit, file) =>
			commits()
				.at(commit === "HEAD" ? -1 : -2)
				?.tree.get(file)
				?.trimEnd() ?? "",
		dirty: () => changedPaths(h.site.user.committed(), h.site.user.look()).join("\n"),
		summary: () => read(tree, ".workflow", `run-${id}`, "summary.md"),
		shared: () => h.sharedDir,
	};
}

/** Every text in a value, however deep. */
const textsIn = (value: unknown): string[] =>
	typeof value === "string" ? [value] : value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
