// The reader `issue`: an id of the tracker, `TODO/<ID>.md`, becomes a run in the worktree that the user is in. Everything that
// prevents it is reported here, before anything is written.
import { join } from "node:path";
import type { Reader } from "../../reader.ts";
import { detectToolchain } from "../../toolchain/detect.ts";
import { WORKFLOW_FOLDER } from "./artifacts/folder.ts";
import { recoveryCommands, runDirOfIssue, unfit } from "./preconditions.ts";
import { branchOf, defaultBase } from "./repository.ts";
import { fixLayout, taskLayout } from "./spec/layout.ts";
import { readIssue } from "./tracker/tracker.ts";

export const issue: Reader = async ({ text, tree, root, options }) => {
	const id = text?.trim() ?? "";
	if (id === "")
		return { ok: false, problems: ["which issue? Give its id, such as GAL-39: pawl todo next names one that can be worked on"] };
	const base = options.base ?? (await defaultBase(tree, root));
	const question = { tree, root, issue: id, base };
	const problem = await unfit(question);
	if (problem !== null) return { ok: false, problems: [problem.problem] };
	const found = readIssue(join(tree, "TODO"), id);
	if ("problem" in found) return { ok: false, problems: [found.problem] };
	const branch = (await branchOf(tree)) ?? "";
	const dir = runDirOfIssue(tree, id);
	const { kind, test } = detectToolchain(tree);
	const layout = { testCommand: test, ending: { rust: "rs", python: "py", go: "go", node: "mjs" }[kind ?? "rust"] };
	return {
		ok: true,
		title: `${id}: ${found.title.replace(new RegExp(`^${id}\\s*[:.-]*\\s*`), "")}`.trim(),
		stories: [],
		input: {
			issue_id: id,
			issue_file: join(tree, "TODO", `${id}.md`),
			run_dir: dir,
			plan_file: join(dir, "plan.md"),
			diff_file: join(dir, "changes.diff"),
			spec_layout: taskLayout(layout),
			fix_layout: fixLayout(layout),
			worktree: tree,
			repository: root,
			branch,
			base_branch: base ?? "",
			recovery_commands: recoveryCommands(question, branch),
			run_criteria: found.criteria.map((criterion) => criterion.text.replaceAll(/\s+/g, " ")).join("\n"),
		},
		fields: {},
		exclude: [`/${WORKFLOW_FOLDER}/`],
	};
};
