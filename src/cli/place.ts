// Where a repository keeps its runs, and how a run is named on the command line.
import { existsSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { RunSummary, Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context } from "./context.ts";

export const databaseOf = (root: string): string => join(root, ".pawl", "pawl.db");
export const runFolder = (root: string, run: string): string => join(root, ".pawl", "runs", run);

/** Without the configuration: enough for looking. */
export async function findRepository(c: Context): Promise<Repository> {
	const repository = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	if ("problem" in repository) throw new CliError(repository.problem);
	return repository;
}

export async function openRepository(c: Context): Promise<{ repository: Repository; config: Config }> {
	const config = await configOf((await findRepository(c)).root);
	const repository = await c.services.openRepository(c.cwd, () => config);
	if ("problem" in repository) throw new CliError(repository.problem);
	return { repository, config };
}

export async function configOf(root: string): Promise<Config> {
	const { loadConfig } = await import("../config.ts");
	const loaded = loadConfig(root);
	if (loaded.ok) return loaded.config;
	throw new CliError(loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join("\n"));
}

/** `.pawl/` keeps itself out of git, but for the workflows that a team commits. */
export function makePlace(root: string): void {
	const folder = join(root, ".pawl");
	mkdirSync(folder, { recursive: true });
	const ignore = join(folder, ".gitignore");
	if (!existsSync(ignore)) writeFileSync(ignore, "/*\n!/workflows/\n");
}

export function pointLatest(root: string, run: string): void {
	const link = join(root, ".pawl", "latest");
	const fresh = `${link}.${process.pid}`;
	rmSync(fresh, { force: true });
	symlinkSync(join("runs", run), fresh);
	renameSync(fresh, link);
}

/** A store to look at; refuses where the repository has no runs. */
export async function openRuns(c: Context): Promise<{ root: string; store: Store; repository: Repository }> {
	const repository = await findRepository(c);
	const store = c.services.openReader(databaseOf(repository.root));
	if (store === null) throw new CliError(`there are no runs in ${repository.root} yet; start one with: pawl run dynamic "REQUEST"`);
	return { root: repository.root, store, repository };
}

/** An id, a unique prefix, or `latest`. */
export function findRun(root: string, store: Store, name: string | undefined): RunSummary {
	const runs = store.runs();
	if (runs.length === 0) throw new CliError("there are no runs yet");
	const wanted = name ?? "latest";
	if (wanted === "latest") {
		const latest = runs.find((r) => r.id === latestOf(root)) ?? runs[0];
		if (latest) return latest;
	}
	const exact = runs.find((r) => r.id === wanted);
	if (exact) return exact;
	const matching = runs.filter((r) => r.id.startsWith(wanted));
	if (matching.length === 1 && matching[0]) return matching[0];
	throw new CliError(
		matching.length === 0
			? `there is no run ${wanted}; pawl runs lists them`
			: `${wanted} could be ${matching.map((r) => r.id).join(", ")}`,
	);
}

function latestOf(root: string): string | null {
	try {
		return (
			readlinkSync(join(root, ".pawl", "latest"))
				.split("/")
				.at(-1) ?? null
		);
	} catch {
		return null;
	}
}
