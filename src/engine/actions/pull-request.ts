// The action `forge.pull-request`: pushes the run's branch and opens a pull request if the user allowed it with `--push`; otherwise the
// branch is left to be pushed by hand and the text is in a file. Nothing is ever pushed unasked, and never with force.

import { join } from "node:path";
import { pullRequestFacts } from "../../core/mark.ts";
import { expectsWork, workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { writeWhole } from "../../files/write.ts";
import type { Action } from "../../format.ts";
import { bodyOf, titleOf } from "./pull-request-text.ts";

const NO_CHANGE =
	"there is nothing to deliver: the branch of the run has no change, although its steps say that they made one. If you approve, the run ends without a pull request";

const SETTINGS_CHANGED =
	"> This branch changes `pawl.yml`, which names the checks: look at that first. The run itself used the checks that it was started with.\n\n";

export const pullRequest: Action = async ({ state, workspace, repository, sharedDir, forges }) => {
	const inTree = workspaceOf(state) === "tree";
	const allowed = startedWith(state).push;
	const remote = allowed ? await repository.remote(state.options.base ?? "") : null;
	// In the user's tree the work is on the branch that was checked out. If that is the branch to merge into, it is pushed under a
	// name of its own.
	const base = (inTree && remote !== null ? await repository.defaultBranch(remote.name) : null) ?? state.options.base ?? "";
	const branch = inTree && workspace.branch === base ? `pawl/${state.id}` : workspace.branch;
	const title = titleOf(state);
	const file = join(sharedDir, "pull-request.md");
	const { startCommit } = startedWith(state);
	const paths = await repository.changedPaths(startCommit, workspace.branch);
	if (expectsWork(state) && paths.length === 0) return { signal: "empty", error: NO_CHANGE };
	if ((await repository.commits(startCommit, workspace.branch)).length === 0)
		return { signal: "done", notes: "nothing was changed, so there is no pull request to open", fields: { URL: "", FILE: "" } };
	const note = paths.includes("pawl.yml") ? SETTINGS_CHANGED : "";
	const text = (head: string) => writeWhole(file, `${head}${note}${bodyOf(state)}`);
	const ready = async (why: string, pushed = false) => {
		await text(`# ${title}\n\n> ${where(pushed)}; ${why}\n\n`);
		return { signal: "done", notes: `${why}; the text is in ${file}`, ...told("") };
	};
	// A name under which nothing was pushed is a branch that nobody has.
	const where = (pushed: boolean): string => {
		if (pushed || branch === workspace.branch) return branch === base ? `on ${branch}` : `${branch} into ${base}`;
		return `on ${workspace.branch}, to be pushed as ${branch}`;
	};
	const told = (url: string) => ({
		fields: { URL: url, FILE: file },
		...(inTree ? { facts: pullRequestFacts(url, file) } : {}),
	});
	if (!allowed) return ready("not pushed: pawl may do that with --push");
	if (remote === null) return ready("not pushed: the repository has no remote");
	const refused = await repository.push(remote.name, workspace.branch, branch);
	if (refused !== null) return { signal: "refused", error: `${branch} could not be pushed to ${remote.name}: ${refused}` };
	await text("");
	for (const forge of forges) {
		if (!(await forge.ready(repository.root, remote.url))) continue;
		const opened = await forge.open({ cwd: repository.root, branch, base, title, bodyFile: file });
		if ("url" in opened) return { signal: "done", notes: opened.url, ...told(opened.url) };
		return { signal: "refused", error: `${forge.name} opened no pull request for ${branch}: ${opened.problem}` };
	}
	return ready(`pushed to ${remote.name}; no forge is installed and logged in, so the pull request is still to be opened`, true);
};
