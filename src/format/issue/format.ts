// Issues as files, `TODO/<ID>.md`: their tracker, a run that works on one, and the artifacts of that run.
import { join } from "node:path";
import type { Format } from "../../format.ts";
import { late, lateKeeper } from "../late.ts";

export const issue: Format = {
	name: "issue",
	inputsIn: async (tree) => {
		const { listIssues, runnable } = await import("./tracker/tracker.ts");
		const listed = listIssues(join(tree, "TODO"));
		const [first, ...more] = "problem" in listed ? [] : runnable(listed.issues);
		if (first === undefined) return [];
		const count = more.length === 0 ? "one issue can start" : `${more.length + 1} issues can start, ${first.id} first`;
		return [{ text: `TODO/: ${count}: ${first.title}`, command: `pawl run gated ${first.id}` }];
	},
	commands: { todo: { summary: "list, make and check the issues in TODO/", load: () => import("./command.ts") } },
	readers: { issue: late(async () => (await import("./reader.ts")).issue) },
	actions: {
		"artifacts.red": late(async () => (await import("./artifacts/evidence.ts")).red),
		"artifacts.green": late(async () => (await import("./artifacts/evidence.ts")).green),
		"artifacts.known-tests": late(async () => (await import("./artifacts/evidence.ts")).knownTests),
		"artifacts.fixes": late(async () => (await import("./artifacts/fixes.ts")).fixes),
		"artifacts.sort-checks": late(async () => (await import("./artifacts/sort-checks.ts")).sortChecks),
		"issue.preconditions": late(async () => (await import("./actions.ts")).preconditions),
		"issue.begin": late(async () => (await import("./actions.ts")).begin),
		"issue.file-tasks": late(async () => (await import("./actions.ts")).fileTasks),
		"issue.settle": late(async () => (await import("./actions.ts")).settle),
		"issue.follow-ups": late(async () => (await import("./follow-ups.ts")).followUps),
		"issue.give-back": late(async () => (await import("./actions.ts")).giveBack),
		"issue.summary": late(async () => (await import("./summary.ts")).summary),
	},
	evidence: {
		stubs: late(async () => (await import("../../toolchain/rust/stubs.ts")).stubs),
		compiles: late(async () => (await import("../../toolchain/rust/stubs.ts")).compiles),
	},
	promptAdditions: async (of) => (of.state.input["issue_file"] === undefined ? null : (await import("./prompt.ts")).promptAdditions(of)),
	keepers: {
		artifacts: lateKeeper(() => import("./artifacts/keeper.ts")),
	},
	writeRules: {
		"task-files": late(async () => (await import("./artifacts/write-rules.ts")).taskFiles),
		"test-files": late(async () => (await import("./artifacts/write-rules.ts")).testFiles),
		"issue-file": late(async () => (await import("./artifacts/write-rules.ts")).issueFile),
		"changed-files": late(async () => (await import("./artifacts/write-rules.ts")).changedFiles),
	},
};
