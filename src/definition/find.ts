// Finds a workflow by path or by name: in the repository, in the user's configuration, among the built-in ones. The nearest wins.
import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { packagePath } from "../package-root.ts";
import { suggest } from "./problem.ts";
import { WORKFLOW_FILE } from "./read/files.ts";
import { NAME } from "./schema.ts";

export type Origin = "repository" | "user" | "built-in";

/** A folder of workflow folders. */
export interface WorkflowFolder {
	readonly origin: Origin;
	readonly folder: string;
}

export interface FoundWorkflow {
	readonly name: string;
	readonly file: string;
	/** `path`: it was given as a path. */
	readonly origin: Origin | "path";
}

export interface ListedWorkflow extends FoundWorkflow {
	readonly origin: Origin;
	/** The nearer workflow of the same name that hides this one. */
	readonly shadowedBy: Origin | null;
}

export interface Surroundings {
	/** The root of the main checkout; null outside a repository. */
	readonly root: string | null;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly home: string;
}

/** Where a user keeps what pawl reads in every repository: `$XDG_CONFIG_HOME/pawl`. The XDG specification says to ignore a relative path. */
export function userFolder({ env, home }: Pick<Surroundings, "env" | "home">): string {
	const xdg = env["XDG_CONFIG_HOME"];
	return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, ".config"), "pawl");
}

/** Nearest first. */
export function workflowFolders({ root, env, home }: Surroundings): WorkflowFolder[] {
	return [
		...(root === null ? [] : [{ origin: "repository" as const, folder: join(root, ".pawl", "workflows") }]),
		{ origin: "user", folder: join(userFolder({ env, home }), "workflows") },
		{ origin: "built-in", folder: packagePath("workflows") },
	];
}

export type FindResult = { readonly ok: true; readonly found: FoundWorkflow } | { readonly ok: false; readonly message: string };

/** By path (of a workflow.yml or its folder, relative to `cwd`), or else by name. */
export function findWorkflow(wanted: string, cwd: string, folders: readonly WorkflowFolder[]): FindResult {
	const path = resolve(cwd, wanted);
	const file = isFile(path) ? path : join(path, WORKFLOW_FILE);
	if (wanted !== "" && isFile(file)) return { ok: true, found: { name: wanted, file, origin: "path" } };
	if (!NAME.test(wanted)) {
		if (/[/\\]|\.ya?ml$/.test(wanted))
			return { ok: false, message: `there is no workflow at ${wanted}: a path leads to a ${WORKFLOW_FILE} or to its folder` };
		return { ok: false, message: `\`${wanted}\` cannot be the name of a workflow` };
	}
	for (const { origin, folder } of folders) {
		const candidate = join(folder, wanted, WORKFLOW_FILE);
		if (isFile(candidate)) return { ok: true, found: { name: wanted, file: candidate, origin } };
	}
	const names = new Set(listWorkflows(folders).map((w) => w.name));
	const looked = folders.map((p) => `  ${join(p.folder, wanted)}`).join("\n");
	return { ok: false, message: `there is no workflow \`${wanted}\`${suggest(wanted, names)}\nlooked in:\n${looked}` };
}

/** All workflows by name; of the same name, the one that wins comes first. */
export function listWorkflows(folders: readonly WorkflowFolder[]): ListedWorkflow[] {
	const taken = new Map<string, Origin>();
	const all = folders.flatMap(({ origin, folder }) =>
		names(folder).map((name): ListedWorkflow => {
			const shadowedBy = taken.get(name) ?? null;
			if (shadowedBy === null) taken.set(name, origin);
			return { name, file: join(folder, name, WORKFLOW_FILE), origin, shadowedBy };
		}),
	);
	return all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function names(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => NAME.test(name) && isFile(join(folder, name, WORKFLOW_FILE)))
			.sort();
	} catch {
		// The folder does not exist.
		return [];
	}
}

const isFile = (path: string): boolean => {
	try {
		return statSync(path).isFile();
	} catch {
		return false;
	}
};
