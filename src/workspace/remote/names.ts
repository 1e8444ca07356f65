// The names of refs: on the shared repository, and in a clone for what comes from there.

import type { AttemptName } from "../../remote.ts";
import { WorkspaceError } from "../../workspace.ts";

const PART = /^[A-Za-z0-9@][A-Za-z0-9._@-]{0,127}$/;
/** Folders of refs/pawl/ that a clone uses for something else. */
const RESERVED = new Set(["backup", "kept", "kept-by", "start", "put-back", "remote", "obtained", "stack"]);

export function attemptRef({ run, story, step, attempt }: AttemptName): string {
	if (!Number.isSafeInteger(attempt) || attempt < 0) throw new WorkspaceError(`there is no attempt ${attempt}`);
	return `${storyRefs(run, story)}/${part(step)}-${attempt}`;
}

/** Made in the same push as base gets the commit: whoever finds it knows that base had it. */
export const mergedRef = (run: string, story: string, commit: string): string => `${storyRefs(run, story)}/merged/${commit}`;

function storyRefs(run: string, story: string): string {
	if (RESERVED.has(run)) throw new WorkspaceError(`${run} cannot be the name of a run`);
	return `refs/pawl/${part(run)}/${part(story)}`;
}

function part(name: string): string {
	if (!PART.test(name) || /\.\.|\.$|\.lock$/.test(name) || name === "@")
		throw new WorkspaceError(`${JSON.stringify(name)} cannot be part of the name of a ref`);
	return name;
}

/** The run that a ref of the shared repository was published for; null if it is none of these. */
export function runOfRef(ref: string): string | null {
	const [, run = ""] = /^refs\/pawl\/([^/]+)\/[^/]+\/[^/]+(?:\/[^/]+)?$/.exec(ref) ?? [];
	return PART.test(run) && !RESERVED.has(run) ? run : null;
}

/** Where base was on the remote when this clone last looked. */
export const remoteBaseRef = (base: string): string => `refs/pawl/remote/${base}`;

/** Keeps a commit that came from another machine. */
export const OBTAINED = "refs/pawl/obtained/";
export const obtainedRef = (commit: string): string => `${OBTAINED}${commit}`;

export function branchRef(branch: string): string {
	// As git has it (check-ref-format), so that a name can be neither an option nor a pattern nor two refs.
	const valid = /^[^\s~^:?*[\\\p{Cc}]+$/u.test(branch) && !/^[-/.]|\.\.|@\{|\/\/|\/\.|[/.]$|\.lock(?:\/|$)/.test(branch);
	if (!valid) throw new WorkspaceError(`${JSON.stringify(branch)} cannot be the name of a branch`);
	return `refs/heads/${branch}`;
}

export function checkCommit(commit: string): string {
	if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) throw new WorkspaceError(`${JSON.stringify(commit)} is not the id of a commit`);
	return commit;
}
