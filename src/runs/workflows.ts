// The workflows that can be run here: of pawl, of the user and of the repository.
import { homedir } from "node:os";
import type { Definition } from "../core/definition.ts";
import { findWorkflow, listWorkflows, type WorkflowFolder, workflowFolders } from "../definition/find.ts";
import { loadDefinition } from "../definition/load.ts";
import { formatProblem, type Problem } from "../definition/problem.ts";
import { mermaid } from "../definition/view/mermaid.ts";
import { showDefinition } from "../definition/view/show.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { configOf } from "./repository.ts";
import { type DefaultOptions, defaultOptions } from "./start/default-options.ts";

export interface ListedWorkflow {
	readonly name: string;
	readonly origin: string;
	readonly file: string;
	/** A nearer workflow of the same name, which pawl uses instead of this one. */
	readonly shadowed_by: string | null;
	/** null: it cannot be loaded. */
	readonly title: string | null;
	/** The ways to say what is to be done; none if it cannot be loaded. */
	readonly inputs: readonly string[];
	/** The options of a run of it that names none; null: it cannot be loaded. */
	readonly defaults: DefaultOptions | null;
	readonly problems: readonly string[];
}

export async function workflowsHere(c: RunsContext): Promise<ListedWorkflow[]> {
	const repository = await repositoryHere(c);
	const branch = "problem" in repository ? null : repository.branch;
	// A pawl.yml with mistakes is refused when a run starts.
	const config = "problem" in repository ? null : await configOf(c, repository.root).catch(() => null);
	return Promise.all(
		listWorkflows(await folders(c)).map(async ({ name, origin, file, shadowedBy }) => {
			const loaded = await loadDefinition(file, c.services.language);
			const about = { name, origin, file, shadowed_by: shadowedBy };
			return loaded.ok
				? {
						...about,
						title: loaded.definition.title,
						inputs: Object.keys(loaded.definition.inputs),
						defaults: defaultOptions(loaded.definition, config, branch),
						problems: [],
					}
				: { ...about, title: null, inputs: [], defaults: null, problems: loaded.problems.map(formatProblem) };
		}),
	);
}

export interface ShownWorkflow {
	readonly file: string;
	readonly origin: string;
	readonly definition: Definition;
	/** Its steps, routes and limits, for people. */
	readonly text: string;
	/** The same as a Mermaid flowchart. */
	readonly mermaid: string;
}

export async function showWorkflow(c: RunsContext, name: string): Promise<ShownWorkflow> {
	const { file, origin, loaded } = await load(c, name);
	if (!loaded.ok) throw new Refusal("invalid", `${file} cannot be used:\n${loaded.problems.map(formatProblem).join("\n")}`);
	const { definition } = loaded;
	return { file, origin, definition, text: showDefinition(definition), mermaid: mermaid(definition) };
}

export interface ValidatedWorkflow {
	readonly file: string;
	/** null: it has problems. */
	readonly definition: Definition | null;
	readonly problems: readonly Problem[];
	readonly warnings: readonly Problem[];
	/** The same, one line each with file, line and column. */
	readonly problemLines: readonly string[];
	readonly warningLines: readonly string[];
}

export async function validateWorkflow(c: RunsContext, name: string): Promise<ValidatedWorkflow> {
	const { file, loaded } = await load(c, name);
	const problems = loaded.ok ? [] : loaded.problems;
	const warnings = loaded.ok ? loaded.warnings : [];
	return {
		file,
		definition: loaded.ok ? loaded.definition : null,
		problems,
		warnings,
		problemLines: problems.map(formatProblem),
		warningLines: warnings.map(formatProblem),
	};
}

async function load(c: RunsContext, name: string) {
	const found = findWorkflow(name, c.cwd, await folders(c));
	if (!found.ok) throw new Refusal("not_found", found.message);
	const { file, origin } = found.found;
	return { file, origin, loaded: await loadDefinition(file, c.services.language) };
}

const repositoryHere = (c: RunsContext) => c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));

/** Works outside a repository too, and in one that has no commit yet. */
async function folders(c: RunsContext): Promise<WorkflowFolder[]> {
	const repository = await repositoryHere(c);
	return workflowFolders({ root: repository.root ?? null, env: c.env, home: homedir() });
}
