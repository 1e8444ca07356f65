// The workflow of a run: finds it by name or path, loads and checks it.
import { homedir } from "node:os";
import type { Definition } from "../../core/definition.ts";
import { findWorkflow, workflowFolders } from "../../definition/find.ts";
import { loadDefinition } from "../../definition/load.ts";
import { formatProblem } from "../../definition/problem.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";

export async function definitionOf(c: RunsContext, workflow: string, root: string): Promise<Definition> {
	const folders = workflowFolders({ root, env: c.env, home: homedir() });
	const found = findWorkflow(workflow, c.cwd, folders);
	if (!found.ok) throw new Refusal("not_found", found.message);
	const loaded = await loadDefinition(found.found.file, c.services.language);
	if (!loaded.ok)
		throw new Refusal("invalid", `the workflow ${workflow} cannot be used:\n${loaded.problems.map(formatProblem).join("\n")}`);
	for (const warning of loaded.warnings) c.warn(formatProblem(warning));
	return loaded.definition;
}
