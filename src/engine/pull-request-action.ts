// The action `forge.pull-request`: pushes the run's branch and opens a pull request, where the user allowed it; else the branch
// is ready to be pushed and the text lies in a file. Nothing is ever pushed unasked, nothing is forced.
import { join } from "node:path";
import type { Action } from "../extension.ts";
import { writeWhole } from "./files.ts";
import { bodyOf, titleOf } from "./pull-request-text.ts";

export const pullRequest: Action = async ({ state, workspace, repository, sharedDir, forges }) => {
	const { branch } = workspace;
	const base = state.options.base ?? "";
	const title = titleOf(state);
	const file = join(sharedDir, "pull-request.md");
	const text = (head: string) => writeWhole(file, `${head}${bodyOf(state)}`);
	const ready = async (why: string) => {
		await text(`# ${title}\n\n<!-- ${branch} into ${base}; ${why.replaceAll("--", "-")} -->\n\n`);
		return { signal: "done", notes: `${why}; the text is in ${file}`, fields: { URL: "", FILE: file } };
	};
	if (state.options.shell["push"] !== true) return ready("not pushed: pawl may push with the option push");
	const remote = await repository.remote(base);
	if (remote === null) return ready("not pushed: the repository has no remote");
	const refused = await repository.push(remote.name, branch);
	if (refused !== null) return { signal: "refused", error: `${branch} could not be pushed to ${remote.name}: ${refused}` };
	await text("");
	for (const forge of forges) {
		if (!(await forge.ready(repository.root, remote.url))) continue;
		const opened = await forge.open({ cwd: repository.root, branch, base, title, bodyFile: file });
		if ("url" in opened) return { signal: "done", notes: opened.url, fields: { URL: opened.url, FILE: file } };
		return { signal: "refused", error: `${forge.name} opened no pull request for ${branch}: ${opened.problem}` };
	}
	return ready(`pushed to ${remote.name}; no forge is installed and logged in, so the pull request is still to be opened`);
};
