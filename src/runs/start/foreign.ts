// A state in the tree that no run of this repository knows: finds its workflow and prepares the run that adopts it.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { listWorkflows, workflowFolders } from "../../definition/find.ts";
import { loadDefinition } from "../../definition/load.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { inputOf, openReader } from "../open.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { StartOptions } from "./start-options.ts";

/** null: there is none, or a run of ours has its state there. */
export async function foreignRun(c: RunsContext, repository: Repository, options: StartOptions): Promise<Prepared | null> {
	const tree = repository.tree().path;
	const there = Object.keys(c.services.stateFiles).filter((file) => existsSync(join(tree, file)));
	if (there.length === 0) return null;
	const known = await knownFolders(c, repository);
	const readers = there
		.filter((file) => !known.includes(join(tree, dirname(file))))
		.map((file) => c.services.stateFiles[file]?.reader ?? "");
	if (readers.length === 0) return null;
	for (const workflow of listWorkflows(workflowFolders({ root: repository.root, env: c.env, home: homedir() }))) {
		if (workflow.shadowedBy !== null) continue;
		const loaded = await loadDefinition(workflow.file, c.services.language);
		if (!loaded.ok || !Object.values(loaded.definition.inputs).some(({ reader }) => readers.includes(reader))) continue;
		return prepare(c, workflow.name, undefined, options, { resume: true });
	}
	return null;
}

/** Folders in which runs of this repository keep their state. */
async function knownFolders(c: RunsContext, repository: Repository): Promise<string[]> {
	const store = await openReader(c, repository.root);
	if (store === null) return [];
	try {
		const inputs = await Promise.all((await store.runs()).map((run) => inputOf(store, run)));
		const keys = new Set(Object.values(c.services.stateFiles).map(({ folder }) => folder));
		return inputs.flatMap((input) => [...keys].flatMap((key) => input?.[key] ?? []));
	} finally {
		await store.close();
	}
}
