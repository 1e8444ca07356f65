// Finds what is missing on this machine (git, agents, isolation) and what is left over in this repository (unfinished runs, worktrees that no
// run needs). Changes nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import type { SandboxSettings } from "../../core/sandbox/sandbox.ts";
import { shortcomings, systemName } from "../../process.ts";
import type { DatabaseFinding, RunSummary, Store } from "../../store.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { databaseOf, userConfigFile } from "../repository.ts";
import { filesIn } from "../run-files.ts";
import { unknownNames } from "../start/known-names.ts";
import { atLeast, type FoundAgent, findAgent, findProgram, inPath, type Program, sizeOf } from "./machine.ts";

/** The first with `merge-tree --write-tree`. */
const GIT_WANTED = "2.38";

const BWRAP: SandboxSettings = { type: "bwrap", network: "off", read: [], write: [], image: null, runtime: null };

/** A worktree that no unfinished run needs. */
export interface Stray {
	readonly path: string;
	readonly slot: number | null;
	readonly bytes: number;
}

export interface Examined {
	readonly node: string;
	readonly system: string;
	/** What this system lacks, so that pawl does something less well. */
	readonly lacks: readonly string[];
	readonly git: Program;
	readonly isolation: string;
	/** The sandboxes that a run may have, and the one that is configured. */
	readonly sandbox: FoundSandbox;
	readonly agents: readonly FoundAgent[];
	readonly repository: Repository | null;
	readonly repositoryProblem: string | null;
	readonly config: readonly string[];
	/** pawl.yml defines its own agent. */
	readonly configuresAgent: boolean;
	/** The user's own pawl.yml; null if there is none. */
	readonly userConfig: string | null;
	/** Of the database that machines share; empty without one. */
	readonly database: readonly DatabaseFinding[];
	readonly unfinished: readonly RunSummary[];
	readonly strays: readonly Stray[];
}

export interface FoundSandbox {
	/** What pawl.yml, the repository's or the user's own, asks for. */
	readonly configured: string | null;
	/** Why that one does not work here; null if it works, or there is none. */
	readonly problem: string | null;
	/** Why a bare `sandbox: bwrap` would not work here; null if it would. */
	readonly bwrap: string | null;
	/** The program that starts containers, if there is one. */
	readonly runtime: string | null;
}

export async function examine(c: RunsContext): Promise<Examined> {
	const [database, git, isolation, bwrap, agents, opened] = await Promise.all([
		c.db === undefined ? [] : c.services.examineDatabase(c.db),
		findProgram("git", c.env),
		c.services.isolation(),
		c.services.sandboxProblem(BWRAP),
		c.services.knownAgents().then((known) => Promise.all(known.map((info) => findAgent(info, c.env)))),
		c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] })),
	]);
	const own = await userConfigFile(c);
	const runtime = ["docker", "podman"].map((name) => inPath(name, c.env["PATH"] ?? "")).find((path) => path !== null) ?? null;
	const sandbox: FoundSandbox = { configured: null, problem: null, bwrap, runtime };
	const lacks = shortcomings("problem" in opened ? null : opened.root);
	const machine = {
		node: process.version,
		system: systemName(),
		lacks,
		git,
		isolation,
		sandbox,
		agents,
		userConfig: existsSync(own) ? own : null,
		database,
	};
	if ("problem" in opened)
		return {
			...machine,
			repository: null,
			repositoryProblem: opened.problem,
			config: [],
			configuresAgent: false,
			unfinished: [],
			strays: [],
		};
	// What lies here belongs to runs of this repository alone; with `--db` as without.
	const store = c.services.openReader(databaseOf(opened.root));
	try {
		const unfinished = (await store?.runs({ open: true })) ?? [];
		return {
			...machine,
			repository: opened,
			repositoryProblem: null,
			...(await lookAtConfig(c, opened.root, sandbox)),
			unfinished,
			strays: await straysOf(opened.root, store, unfinished),
		};
	} finally {
		await store?.close();
	}
}

type LookedAt = Pick<Examined, "config" | "configuresAgent" | "sandbox">;

async function lookAtConfig(c: RunsContext, root: string, sandbox: FoundSandbox): Promise<LookedAt> {
	const { loadConfig } = await import("../../config.ts");
	const loaded = loadConfig(root, await userConfigFile(c));
	if (!loaded.ok)
		return { config: loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`), configuresAgent: true, sandbox };
	const wanted = loaded.config.sandbox;
	const unknown = await unknownNames(c, loaded.config, root, []);
	const typos = unknown.flatMap(({ typo, text }) => (typo ? [text] : []));
	return {
		config: typos,
		configuresAgent: configuresAgent(loaded.config),
		sandbox: wanted === null ? sandbox : { ...sandbox, configured: wanted.type, problem: await c.services.sandboxProblem(wanted) },
	};
}

/** A pawl.yml, the repository's or the user's own, says what runs as an agent. */
export const configuresAgent = ({ agents }: Config): boolean =>
	Object.values(agents).some(({ command, script }) => (command ?? script) !== null);

export async function straysOf(root: string, store: Store | null, unfinished: readonly RunSummary[]): Promise<Stray[]> {
	const needed = new Set<number>();
	for (const run of unfinished) {
		const [first] = (await store?.events(run.id, 0, 1)) ?? [];
		if (first?.event === "run_created") for (const slot of first.options.slots) needed.add(slot);
	}
	const folder = join(root, ".pawl", "worktrees");
	return filesIn(folder).flatMap((name) => {
		const slot = /^agent-(\d+)$/.exec(name)?.[1];
		if (slot !== undefined && needed.has(Number(slot))) return [];
		const path = join(folder, name);
		return [{ path, slot: slot === undefined ? null : Number(slot), bytes: sizeOf(path) }];
	});
}

/** Removes worktrees that no unfinished run needs; returns their paths. */
export async function prune({ repository, strays }: Examined): Promise<string[]> {
	const slots = strays.flatMap((stray) => (stray.slot === null ? [] : [stray.slot]));
	if (repository === null || slots.length === 0) return [];
	await repository.close(slots, null);
	return strays.flatMap((stray) => (stray.slot === null ? [] : [stray.path]));
}

const isProblem = ({ level }: DatabaseFinding): boolean => level === "problem";

export function problemsOf(found: Examined): string[] {
	const { git } = found;
	const problems = [...found.config, ...found.database.filter(isProblem).map(({ about, text }) => `database, ${about}: ${text}`)];
	const { configured, problem } = found.sandbox;
	if (problem !== null) problems.push(`the sandbox ${configured} of pawl.yml does not work here: ${problem}`);
	if (git.path === null) problems.push("git is not in PATH: install it");
	else if (git.version !== null && !atLeast(git.version, GIT_WANTED))
		problems.push(`git is ${git.version}; pawl needs ${GIT_WANTED} or newer`);
	if (found.repository === null) problems.push(found.repositoryProblem ?? "there is no git repository here");
	if (found.agents.every((agent) => agent.path === null) && !found.configuresAgent)
		problems.push("no agent is in PATH: install one (above), or name your own under `agents` in pawl.yml");
	return problems;
}
