// What must hold before a run on an issue begins (phase 1): a branch that is not the base, a clean tree, an issue that exists and is
// not done, no open dependencies, no interrupted run in this worktree. Checked before anything is written, and again as the first step.
import { basename, join } from "node:path";
import { readMarker, runFolder, runFolders, WORKFLOW_FOLDER } from "./artifacts/folder.ts";
import { branchOf, hasBranch, isDirty } from "./repository.ts";
import { isIssueId, listIssues, readIssue, waitsFor } from "./tracker/tracker.ts";

export const DIRTY = "Working tree must be clean. Commit or stash uncommitted changes before running the workflow.";

export interface Question {
	readonly tree: string;
	readonly root: string;
	readonly issue: string;
	readonly base: string | null;
	/** The run that asks, if it exists already: its own folder is not in the way. */
	readonly run?: string;
}

/** Why it cannot begin: the kind of problem, and the message. */
export interface Unfit {
	readonly signal: "unfit" | "dirty" | "waiting";
	readonly problem: string;
}

export async function unfit(q: Question): Promise<Unfit | null> {
	const wrong = (problem: string): Unfit => ({ signal: "unfit", problem });
	const branch = await branchOf(q.tree);
	if (!isIssueId(q.issue)) return wrong(`${JSON.stringify(q.issue.slice(0, 80))} is not an issue id, such as GAL-39`);
	if (branch === null) return wrong("HEAD is detached: check out a branch for the work first");
	if (q.base === null) return wrong("pawl found no base branch: name one with --base");
	if (!(await hasBranch(q.tree, q.base))) return wrong(`there is no branch ${q.base}`);
	if (branch === q.base)
		return wrong(`this is ${q.base}, the base: make a worktree on a branch of its own first (git worktree add -b BRANCH PATH ${q.base})`);
	const cutOff = unfinished(q, branch);
	if (cutOff !== null) return wrong(cutOff);
	const dir = join(q.tree, "TODO");
	const issue = readIssue(dir, q.issue);
	if ("problem" in issue) return wrong(issue.problem.includes(q.issue) ? issue.problem : `${q.issue}: ${issue.problem}`);
	if (issue.status === null) return wrong(`TODO/${q.issue}.md has none of the statuses Todo, In Progress and Done`);
	if (issue.status === "Done") return wrong(`${q.issue} is Done already`);
	const all = listIssues(dir);
	if ("problem" in all) return wrong(all.problem);
	const waits = waitsFor(issue, all.issues);
	if (waits.length > 0) {
		const how = (id: string): string => all.issues.find((other) => other.id === id)?.status ?? "not there";
		return {
			signal: "waiting",
			problem: `${q.issue} depends on ${waits.map((id) => `${id} (${how(id)})`).join(", ")}: that must be Done first`,
		};
	}
	return (await isDirty(q.tree)) ? { signal: "dirty", problem: DIRTY } : null;
}

/** A run that changed something here and failed or never ended: its leftovers must not be built on. */
function unfinished(q: Question, branch: string): string | null {
	for (const dir of runFolders(q.tree)) {
		const marker = readMarker(dir);
		if (marker === null || marker.run === q.run || (marker.status !== "working" && marker.status !== "failed")) continue;
		const how = marker.status === "failed" ? "failed" : "was cut off";
		return `a run on ${marker.issue} (${marker.run}) ${how} in this worktree, and cannot go on. Throw the worktree away and start again:\n${recoveryCommands(q, branch)}`;
	}
	return null;
}

export const runDirOfIssue = (tree: string, issue: string): string => runFolder(tree, basename(issue));

const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** With real paths and names, ready to paste. */
export function recoveryCommands({ tree, root, base }: Question, branch: string): string {
	const from = word(base ?? "main");
	// The main checkout cannot be removed like a worktree.
	const anew =
		tree === root
			? [`git checkout --force ${from}`, `git branch -D ${word(branch)}`, `git checkout -b ${word(branch)}`, `rm -rf ${WORKFLOW_FOLDER}`]
			: [
					`git worktree remove --force ${word(tree)}`,
					`git branch -D ${word(branch)}`,
					`git worktree add -b ${word(branch)} ${word(tree)} ${from}`,
					`cd ${word(tree)}`,
				];
	return [`cd ${word(root)}`, ...anew].map((line) => `  ${line}`).join("\n");
}
