// Starts a run in its own process, which continues after this one has ended.
import type { RunsContext } from "../context.ts";
import { spawnEngine } from "../engine-process.ts";
import type { Prepared } from "./prepare.ts";

export function resumeInBackground(c: RunsContext, { repository, definition, mode }: Prepared, run: string): void {
	// The other process takes over the hold on the tree.
	repository.freeTree();
	spawnEngine(c, repository, run, definition.inputs[mode]?.workspace === "tree");
}
