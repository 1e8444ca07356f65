// The action `forge.pull-request`: pushes the run's branch and opens a pull request if the user allowed it with `--push` or asked for it with `--pr`;
// otherwise the branch is left to be pushed by hand and the text is in a file. Nothing is ever pushed unasked, and never with force. A branch has one
// open pull request at most, so that repeating this after a crash opens no second one.

import { join } from "node:path";
import { EMPTY, routeOf } from "../../core/definition.ts";
import { pullRequestFacts } from "../../core/mark.ts";
import { expectsWork, typeOf, workspaceOf } from "../../core/query.ts";
import { isNetworkTrouble } from "../../core/remote/network-trouble.ts";
import { startedWith } from "../../core/started-with.ts";
import { writeWhole } from "../../files/write.ts";
import type { Action, StepContext } from "../../format.ts";
import { chooseForge } from "../choose-forge.ts";
import { bodyOf, titleOf } from "./pull-request-text.ts";

const NO_CHANGE =
	"there is nothing to deliver: the branch of the run has no change, although its steps say that they made one. If you approve, the run ends without a pull request";

const SETTINGS_CHANGED =
	"> This branch changes `pawl.yml`, which names the checks: look at that first. The run itself used the checks that it was started with.\n\n";

export const pullRequest: Action = async (context) => {
	const { state, repository, sharedDir, forges } = context;
	const { push: allowed, pr: asked, startCommit } = startedWith(state);
	const remote = allowed ? await repository.remote(startedWith(state).target || (state.options.base ?? "")) : null;
	const { work, base, branch } = await branchesOf(context, remote?.name ?? null);
	const title = titleOf(state);
	const file = join(sharedDir, "pull-request.md");
	const paths = await repository.changedPaths(startCommit, work);
	if (expectsWork(state) && paths.length === 0) return { signal: EMPTY, error: NO_CHANGE };
	if ((await repository.commits(startCommit, work)).length === 0)
		return { signal: "done", notes: "nothing was changed, so there is no pull request to open", fields: { URL: "", FILE: "" } };
	const note = paths.includes("pawl.yml") ? SETTINGS_CHANGED : "";
	const body = `${note}${bodyOf(state, await context.proof())}`;
	const text = (head: string) => writeWhole(file, `${head}${body}`);
	// A name under which nothing was pushed is a branch that nobody has.
	const where = (pushed: boolean): string => {
		if (pushed || branch === work) return branch === base ? `on ${branch}` : `${branch} into ${base}`;
		return `on ${work}, to be pushed as ${branch}`;
	};
	const told = (url: string) => ({
		fields: { URL: url, FILE: file },
		...(workspaceOf(state) === "branch" ? {} : { facts: pullRequestFacts(url, file) }),
	});
	const ready = async (why: string, pushed = false) => {
		await text(`# ${title}\n\n> ${where(pushed)}; ${why}\n\n`);
		if (asked) return failed(context, `there is no pull request yet: ${why}`);
		return { signal: "done", notes: `${why}; the text is in ${file}`, ...told("") };
	};
	if (!allowed) return ready("not pushed: pawl may do that with --push");
	if (remote === null) return ready("not pushed: the repository has no remote");
	const refused = await repository.push(remote.name, work, branch);
	if (refused !== null) return failed(context, `${branch} could not be pushed to ${remote.name}: ${refused}`);
	await text("");
	const chosen = await chooseForge(forges, repository.root, remote.url);
	if ("problem" in chosen)
		return ready(
			asked
				? `${branch} is pushed to ${remote.name}, and ${chosen.problem}`
				: `pushed to ${remote.name}; no forge is installed and logged in, so the pull request is still to be opened`,
			true,
		);
	const opened = await chosen.forge.open({ cwd: repository.root, branch, base, title, bodyFile: file });
	if ("url" in opened) return { signal: "done", notes: opened.url, ...told(opened.url), pullRequest: { url: opened.url, branch, base } };
	return failed(context, `${chosen.forge.name} opened no pull request for ${branch}: ${opened.problem}`);
};

/** `work`: the branch that holds the work here; `branch`: its name at the remote; `base`: the branch that it is to be merged into. */
async function branchesOf(
	{ state, workspace, repository }: StepContext,
	remote: string | null,
): Promise<{ readonly work: string; readonly branch: string; readonly base: string }> {
	const own = state.options.base ?? "";
	const { target } = startedWith(state);
	// The run's own base is a branch that was made for it.
	if (target !== "" && workspaceOf(state) !== "branch") return { work: own, branch: own, base: target };
	const inTree = workspaceOf(state) === "tree";
	// In the user's tree the work is on the branch that was checked out. If that is the branch to merge into, it is pushed under a
	// name of its own.
	const base = (inTree && remote !== null ? await repository.defaultBranch(remote) : null) ?? own;
	return { work: workspace.branch, base, branch: inTree && workspace.branch === base ? `pawl/${state.id}` : workspace.branch };
}

/** What a server or the network refused for now is tried again, where the workflow has a route for that. */
function failed({ state, step }: StepContext, problem: string): { readonly signal: string; readonly error: string } {
	const error = withoutLogin(problem);
	const type = typeOf(state, step);
	const later = type !== undefined && routeOf(type, "unavailable") !== undefined && isNetworkTrouble(error);
	return { signal: later ? "unavailable" : "refused", error };
}

/** The address of a remote may have a password in it. */
const withoutLogin = (text: string): string => text.replace(/(:\/\/)[^/@\s]+@/g, "$1");
