// The folder of an agent of a workflow, whatever run it works on (AGENTS.md, MEMORY.md, the progress log): the one that it has in
// openclaw, else one in `.pawl/agents/`.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { openclawIds, openclawWorkspace } from "../../config/openclaw.ts";
import type { Definition } from "../../core/definition.ts";
import { isOver } from "../../core/query.ts";
import type { Store } from "../../store.ts";

export const agentHome = (root: string, workflow: string, agent: string, home = homedir()): string =>
	openclawWorkspace(home, openclawIds(workflow, agent)) ?? join(root, ".pawl", "agents", workflow, agent);

/** Where a new run writes its progress log: beside the loop's agent where that has a folder elsewhere, else among the run's own files. Two
 * runs at once have two. What an earlier run left there without ending is put away. */
export async function progressFile(
	store: Store,
	definition: Definition,
	run: string,
	sharedDir: string,
	home = homedir(),
): Promise<string | null> {
	if (!definition.projections.includes("progress")) return null;
	const agent = definition.pipeline?.steps.find((s) => s.loop)?.agent;
	const workspace = agent === undefined ? null : openclawWorkspace(home, openclawIds(definition.name, agent));
	if (workspace === null) return join(sharedDir, "progress.txt");
	const usual = join(workspace, "progress.txt");
	if (await isTaken(store, usual)) return join(workspace, `progress-${run}.txt`);
	if (existsSync(usual)) {
		const kept = join(workspace, "archive", `before-${run}`, "progress.txt");
		mkdirSync(dirname(kept), { recursive: true });
		renameSync(usual, kept);
	}
	return usual;
}

async function isTaken(store: Store, file: string): Promise<boolean> {
	for (const { id, status } of await store.runs()) {
		const [first] = isOver(status) ? [] : await store.events(id);
		if (first?.event === "run_created" && first.input["progress_file"] === file) return true;
	}
	return false;
}
