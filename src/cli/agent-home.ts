// Where an agent of a workflow keeps what is its own (AGENTS.md, MEMORY.md, the progress log of its runs): the folder that it has
// in openclaw, else one in `.pawl/agents/`.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { openclawIds, openclawWorkspace } from "../config/openclaw.ts";
import type { Definition } from "../core/definition.ts";
import type { Store } from "../store.ts";
import { isOver } from "./slots.ts";

export const agentHome = (root: string, workflow: string, agent: string, home = homedir()): string =>
	openclawWorkspace(home, openclawIds(workflow, agent)) ?? join(root, ".pawl", "agents", workflow, agent);

/** The log of a new run: beside the loop's agent where that has a folder elsewhere, else in the run's own. Two runs at once have
 * two. What an earlier run left there without ending is put away. */
export function progressFile(store: Store, definition: Definition, run: string, sharedDir: string, home = homedir()): string | null {
	if (!definition.projections.includes("progress")) return null;
	const agent = definition.pipeline?.steps.find((s) => s.loop)?.agent;
	const workspace = agent === undefined ? null : openclawWorkspace(home, openclawIds(definition.name, agent));
	if (workspace === null) return join(sharedDir, "progress.txt");
	const usual = join(workspace, "progress.txt");
	const taken = store.runs().some(({ id, status }) => {
		const [first] = isOver(status) ? [] : store.events(id);
		return first?.event === "run_created" && first.input["progress_file"] === usual;
	});
	if (taken) return join(workspace, `progress-${run}.txt`);
	if (existsSync(usual)) {
		const kept = join(workspace, "archive", `before-${run}`, "progress.txt");
		mkdirSync(dirname(kept), { recursive: true });
		renameSync(usual, kept);
	}
	return usual;
}
