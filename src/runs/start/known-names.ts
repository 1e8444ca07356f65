// Names of step types and roles in pawl.yml. It may say something about any workflow, so a name is unknown only if no workflow here has it.
import { homedir } from "node:os";
import type { Config } from "../../config.ts";
import { sessionTypes } from "../../core/assign/works.ts";
import { closest } from "../../core/closest.ts";
import type { Definition } from "../../core/definition.ts";
import { listWorkflows, workflowFolders } from "../../definition/find.ts";
import { loadDefinition } from "../../definition/load.ts";
import type { RunsContext } from "../context.ts";

export interface UnknownName {
	readonly text: string;
	/** Something close exists. Otherwise it may be of a workflow that is run by its path, which pawl does not know. */
	readonly typo: boolean;
}

type Kind = "steps" | "roles";

const namesIn = (definitions: readonly Definition[], kind: Kind): string[] => [
	...new Set(definitions.flatMap((one) => (kind === "steps" ? sessionTypes(one) : Object.keys(one.roles)))),
];

/** `known`: workflows that are loaded already. The others are loaded only if these do not explain every name. */
export async function unknownNames(
	c: RunsContext,
	{ layers }: Pick<Config, "layers">,
	root: string,
	known: readonly Definition[],
): Promise<UnknownName[]> {
	const [own] = layers;
	const said = (["steps", "roles"] as const).flatMap((kind) => Object.keys(own?.[kind] ?? {}).map((name) => ({ kind, name })));
	const open = (definitions: readonly Definition[]) => said.filter(({ kind, name }) => !namesIn(definitions, kind).includes(name));
	if (open(known).length === 0) return [];
	const files = listWorkflows(workflowFolders({ root, env: c.env, home: homedir() })).map(({ file }) => file);
	const loaded = await Promise.all(files.map((file) => loadDefinition(file, c.services.language)));
	const all = [...known, ...loaded.flatMap((one) => (one.ok ? [one.definition] : []))];
	return open(all).map(({ kind, name }) => about(kind, name, known, all));
}

function about(kind: Kind, name: string, known: readonly Definition[], all: readonly Definition[]): UnknownName {
	const other = kind === "steps" ? "roles" : "steps";
	const what = { steps: "step type that agents do", roles: "role" };
	const lacks = `pawl.yml: \`${kind}.${name}\`: no workflow here has a ${what[kind]} of that name`;
	if (namesIn(all, other).includes(name)) return { text: `${lacks}; it is a ${what[other]}: say it under \`${other}\``, typo: true };
	// Names of the workflow at hand are the likeliest.
	const meant = closest(name, namesIn(known, kind)) ?? closest(name, namesIn(all, kind));
	if (meant !== null) return { text: `${lacks}; did you mean \`${meant}\`?`, typo: true };
	return { text: `${lacks}; there is ${namesIn(all, kind).toSorted().join(", ")}`, typo: false };
}
