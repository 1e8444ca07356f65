// Where a repository keeps its runs, and the repository itself as a run needs it.
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { keepOutOfGit } from "../files/ignore-file.ts";
import type { History, Repository } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";

export const databaseOf = (root: string): string => join(root, ".pawl", "pawl.db");
export const runFolder = (root: string, run: string): string => join(root, ".pawl", "runs", run);

/** For commands that need no files of the repository. Runs that machines share can be seen without a checkout. */
export async function findHistory(c: RunsContext): Promise<History> {
	const history = await c.services.openHistory(c.cwd);
	if (!("problem" in history)) return history;
	if (c.db === undefined) throw new Refusal("invalid", history.problem);
	return (await import("./no-checkout.ts")).noCheckout(c.db, c.env);
}

/** Without the configuration. */
export async function findRepository(c: RunsContext): Promise<Repository> {
	const repository = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	if ("problem" in repository) throw new Refusal("invalid", repository.problem);
	return repository;
}

export async function openRepository(c: RunsContext): Promise<{ repository: Repository; config: Config }> {
	const config = await configOf(c, (await findRepository(c)).root);
	const repository = await c.services.openRepository(c.cwd, () => config);
	if ("problem" in repository) throw new Refusal("invalid", repository.problem);
	return { repository, config };
}

/** The user's own pawl.yml, for every repository. */
export async function userConfigFile(c: RunsContext): Promise<string> {
	const { userFolder } = await import("../definition/find.ts");
	return join(userFolder({ env: c.env, home: homedir() }), "pawl.yml");
}

export async function configOf(c: RunsContext, root: string): Promise<Config> {
	const { loadConfig } = await import("../config.ts");
	const loaded = loadConfig(root, await userConfigFile(c));
	if (loaded.ok) return loaded.config;
	throw new Refusal("invalid", loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join("\n"));
}

/** `.pawl/` keeps itself out of git, except for the workflows that a team commits. */
export function makePawlFolder(root: string): void {
	const folder = join(root, ".pawl");
	// A link to a folder is fine; one that leads nowhere is not.
	const found = statSync(folder, { throwIfNoEntry: false }) ?? lstatSync(folder, { throwIfNoEntry: false });
	if (found?.isDirectory() === false)
		throw new Refusal("invalid", `${folder} is not a folder, and pawl keeps its runs in a folder of that name: move it away`);
	mkdirSync(folder, { recursive: true });
	keepOutOfGit(folder);
}
