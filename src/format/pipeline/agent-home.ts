// The folder of a workflow's agent, shared by all of its runs (AGENTS.md, MEMORY.md, the progress log): its folder in openclaw, or else one
// in `.pawl/agents/`.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { NewRun } from "../../format.ts";
import type { Store } from "../../store.ts";
import { openclawIds, openclawWorkspace } from "./openclaw.ts";
import { pipelineOf } from "./pipeline.ts";

export const agentHome = (root: string, workflow: string, agent: string, home = homedir()): string =>
	openclawWorkspace(home, openclawIds(workflow, agent)) ?? join(root, ".pawl", "agents", workflow, agent);

/** Records in a new run where its progress log is. */
export async function newRunInput(run: NewRun): Promise<Readonly<Record<string, string>>> {
	const file = await progressFile(run, homedir());
	return file === null ? {} : { progress_file: file };
}

/** Beside the loop's agent if that has a folder elsewhere, else among the run's own files. Two simultaneous runs have two. What an
 * earlier run left there without ending is archived. */
async function progressFile({ store, definition, id, sharedDir }: NewRun, home: string): Promise<string | null> {
	if (!definition.projections.includes("progress")) return null;
	const agent = pipelineOf(definition)?.steps.find((s) => s.loop)?.agent;
	const workspace = agent === undefined ? null : openclawWorkspace(home, openclawIds(definition.name, agent));
	if (workspace === null) return join(sharedDir, "progress.txt");
	const usual = join(workspace, "progress.txt");
	if (await isTaken(store, usual)) return join(workspace, `progress-${id}.txt`);
	if (existsSync(usual)) {
		const kept = join(workspace, "archive", `before-${id}`, "progress.txt");
		mkdirSync(dirname(kept), { recursive: true });
		renameSync(usual, kept);
	}
	return usual;
}

async function isTaken(store: Store, file: string): Promise<boolean> {
	for (const { id } of await store.runs({ open: true })) {
		const [first] = await store.events(id, 0, 1);
		if (first?.event === "run_created" && first.input["progress_file"] === file) return true;
	}
	return false;
}
