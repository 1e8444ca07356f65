// The files of a run: its logs, the diffs of work that was rolled back, and what was put aside.
import { readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import { filesBelow } from "../files/below.ts";

export const logFile = (state: RunState, scope: string, step: string): string =>
	join(startedWith(state).sharedDir, "logs", scope === RUN_SCOPE ? "run" : scope, `${step}.jsonl`);

export function keptDiffs(sharedDir: string): string[] {
	return ["failures", "restarts"].flatMap((folder) => {
		const path = join(sharedDir, folder);
		return filesIn(path)
			.filter((file) => file.endsWith(".diff"))
			.map((file) => join(path, file));
	});
}

/** Those of a story: what its attempts did before a rollback. */
export const diffsPutBack = (state: RunState, story: string): string[] =>
	keptDiffs(startedWith(state).sharedDir).filter((file) => basename(file).startsWith(`${story}-`));

/** What agents left and pawl did not take for a part of the work: paths below the folder of the run. */
export const putAside = (sharedDir: string): string[] => filesBelow(join(sharedDir, ASIDE)).map((path) => relative(sharedDir, path));

const ASIDE = "put_aside";

/** Names in order; none if there is no such folder. */
export function filesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}
