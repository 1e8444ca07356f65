// The files of a run: its logs, and the diffs of work that was rolled back.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";

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

/** Names in order; none if there is no such folder. */
export function filesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}
