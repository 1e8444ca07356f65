// A state that lies in the tree and that no run of this repository knows: which workflow it belongs to, and the run that takes it over.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { listWorkflows, workflowPlaces } from "../definition/find.ts";
import { loadDefinition } from "../definition/load.ts";
import type { Repository } from "../workspace.ts";
import type { Context } from "./context.ts";
import { databaseOf } from "./place.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { RunFlags } from "./run-options.ts";

/** null: there is none, or a run of ours has its state there. */
export async function foreignRun(c: Context, repository: Repository, flags: RunFlags): Promise<Prepared | null> {
	const tree = repository.tree().path;
	const files = c.services.stateFiles.filter((file) => existsSync(join(tree, file)));
	if (files.length === 0 || knownFolders(c, repository).some((folder) => files.some((file) => join(tree, file).startsWith(`${folder}/`))))
		return null;
	for (const workflow of listWorkflows(workflowPlaces({ root: repository.root, env: c.env, home: homedir() }))) {
		if (workflow.shadowedBy !== null) continue;
		const loaded = await loadDefinition(workflow.file, c.services.names);
		if (!loaded.ok || !(await takes(c, repository, Object.values(loaded.definition.inputs), flags))) continue;
		return prepare(c, workflow.name, undefined, flags, { resume: true });
	}
	return null;
}

/** Folders in which runs of this repository keep their state. */
function knownFolders(c: Context, repository: Repository): string[] {
	const store = c.services.openReader(databaseOf(repository.root));
	if (store === null) return [];
	try {
		return store.runs().flatMap(({ id }) => {
			const [first] = store.events(id);
			const folder = first?.event === "run_created" ? first.input["state_dir"] : undefined;
			return folder === undefined ? [] : [folder];
		});
	} finally {
		store.close();
	}
}

/** A reader of it knows the state, be it good or bad: what is wrong with it is told when it is read in earnest. */
async function takes(
	c: Context,
	repository: Repository,
	inputs: readonly { readonly reader: string }[],
	flags: RunFlags,
): Promise<boolean> {
	for (const { reader } of inputs) {
		const own = Object.hasOwn(c.services.readers, reader) ? c.services.readers[reader] : undefined;
		const read = await own?.({ text: undefined, root: repository.root, tree: repository.tree().path, cwd: c.cwd, flags, resume: true });
		if (read && (!read.ok || read.standing !== undefined)) return true;
	}
	return false;
}
