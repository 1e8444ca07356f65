// From flags to a run that could start: everything is read and checked here, and nothing is written or started before all
// of it is known to be good.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, matchesGlob, relative, resolve } from "node:path";
import type { Config } from "../config.ts";
import type { Definition } from "../core/definition.ts";
import type { Input, StorySeed } from "../core/input.ts";
import { type AgentChoice, NO_AGENT, type StartedWith, toShell } from "../core/started-with.ts";
import { findWorkflow, workflowPlaces } from "../definition/find.ts";
import { loadDefinition } from "../definition/load.ts";
import { formatProblem } from "../definition/problem.ts";
import { readRequest } from "../format/request/request.ts";
import type { Standing } from "../format.ts";
import { openRepository } from "../runs/place.ts";
import { readPrd } from "../text/story-list.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context } from "./context.ts";
import { checkFlags, type RunFlags } from "./run-options.ts";

export interface Prepared {
	readonly repository: Repository;
	readonly config: Config;
	readonly definition: Definition;
	readonly mode: string;
	readonly stories: readonly StorySeed[];
	readonly title: string;
	readonly input: Readonly<Record<string, string>>;
	/** What the run's fields begin with, over what the definition says. */
	readonly fields: Readonly<Record<string, string>>;
	/** Files of the run that lie in the tree and stay out of git. */
	readonly exclude: readonly string[];
	/** What the tree holds of a run already. */
	readonly standing: Standing | null;
	/** Folders of the tree that belong to the input: what is uncommitted there is no dirt. */
	readonly own: readonly string[];
	/** Work that was begun before goes on: the tree is as it was left. */
	readonly begun: boolean;
	/** Role → command of its agent, where the user names none. */
	readonly commands: Readonly<Record<string, string>>;
	readonly base: string;
	readonly agent: AgentChoice;
	readonly roles: Readonly<Record<string, AgentChoice>>;
	readonly fallback: readonly AgentChoice[];
	readonly flags: RunFlags;
}

export interface PrepareHow {
	/** pawl will start the agents, so they have to be there (true where nothing is said). */
	readonly starts?: boolean;
	/** Nothing is given: a run that stands in the tree is taken over. */
	readonly resume?: boolean;
}

export async function prepare(
	c: Context,
	workflow: string,
	given: string | undefined,
	flags: RunFlags,
	{ starts = true, resume = false }: PrepareHow = {},
): Promise<Prepared> {
	const { repository, config } = await openRepository(c);
	const definition = await definitionOf(c, workflow, repository.root);
	checkFlags(flags, definition);
	const read = await readInput(c, repository, definition, given, {
		...withBase(flags, config),
		supervisor: (flags.supervisor ?? true) && config.supervisor,
		resume,
	});
	const { mode, input, exclude, own, begun, commands } = read;
	const inTree = definition.inputs[mode]?.workspace === "tree";
	const base = inTree
		? treeBranch(repository, input["base_branch"] === undefined ? flags.base : undefined)
		: await baseOf(repository, config, flags);
	if (inTree) refuseSharedInTree(c, repository, flags);
	if (inTree) await (begun ? holdTree(repository) : refuseDirty(repository, exclude, own));
	const { agent, roles, fallback } = starts ? await agents(c, config, repository.root, definition, flags, commands) : NOBODY;
	return { ...read, repository, config, definition, base, agent, roles, fallback, flags };
}

const withBase = (flags: RunFlags, { base }: Config): RunFlags => (flags.base === undefined && base !== null ? { ...flags, base } : flags);

const NOBODY = { agent: NO_AGENT, roles: {}, fallback: [] } as const;

export async function definitionOf(c: Context, workflow: string, root: string): Promise<Definition> {
	const places = workflowPlaces({ root, env: c.env, home: homedir() });
	const found = findWorkflow(workflow, c.cwd, places);
	if (!found.ok) throw new CliError(found.message);
	const loaded = await loadDefinition(found.found.file, c.services.names);
	if (!loaded.ok) throw new CliError(`the workflow ${workflow} cannot be used:\n${loaded.problems.map(formatProblem).join("\n")}`);
	for (const warning of loaded.warnings) c.err(`pawl: ${formatProblem(warning)}\n`);
	return loaded.definition;
}

type InputRead = Pick<Prepared, "mode" | "stories" | "title" | "input" | "fields" | "exclude" | "standing" | "own" | "begun" | "commands">;
const PLAIN = { fields: {}, exclude: [], standing: null, own: [], begun: false, commands: {} } as const;

async function readInput(
	c: Context,
	repository: Repository,
	definition: Definition,
	given: string | undefined,
	flags: RunFlags & { readonly resume: boolean },
): Promise<InputRead> {
	const read = flags.prd === undefined ? await readByName(c, repository, definition, given, flags) : null;
	if (read !== null) return read;
	const wanted = flags.prd === undefined ? "request" : "prd";
	const readers = wanted === "prd" ? ["prd"] : ["request", "task"];
	const mode = Object.keys(definition.inputs).find((name) => readers.includes(definition.inputs[name]?.reader ?? ""));
	if (mode === undefined) throw new CliError(`the workflow ${definition.name} takes no ${wanted === "prd" ? "--prd" : "request"}`);
	if (flags.prd !== undefined) {
		if (given !== undefined) throw new CliError("give a request or --prd, not both");
		return { mode, ...readPrdFile(resolve(c.cwd, flags.prd), flags.prd), ...PLAIN };
	}
	if (given === undefined)
		throw new CliError(`what is to be done? pawl run ${definition.name} "REQUEST"${definition.inputs["prd"] ? ", or --prd FILE" : ""}`);
	const request = readRequest(given);
	if (!request.ok) throw new CliError(request.problems.map((p) => p.message).join("\n"));
	// A task has no story of its own: its first step makes them.
	const stories = definition.inputs[mode]?.reader === "task" ? [] : [request.story];
	return { mode, stories, title: request.story.title, input: { request: given }, ...PLAIN };
}

/** The first input mode whose reader takes it. */
async function readByName(
	c: Context,
	repository: Repository,
	definition: Definition,
	text: string | undefined,
	flags: RunFlags & { readonly resume: boolean },
): Promise<InputRead | null> {
	for (const [mode, { reader, workspace }] of Object.entries(definition.inputs)) {
		const own = Object.hasOwn(c.services.readers, reader) ? c.services.readers[reader] : undefined;
		// Before anybody looks: what another run is at is neither dirt nor left over.
		if (own !== undefined && workspace === "tree") holdTree(repository);
		const read = await own?.({ text, root: repository.root, tree: repository.tree().path, cwd: c.cwd, flags, resume: flags.resume });
		if (!read) continue;
		if (!read.ok) throw new CliError(read.problems.join("\n"));
		const { ok: _, ...rest } = read;
		return { mode, ...PLAIN, ...rest };
	}
	return null;
}

export function readPrdFile(path: string, name: string): Pick<Prepared, "stories" | "title" | "input"> {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		throw new CliError(
			`${name} cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (error as Error).message}`,
		);
	}
	const read = readPrd(text);
	if (!read.ok) throw new CliError(read.problems.map((p) => `${name}:${p.line}:${p.column}: ${p.message}`).join("\n"));
	if (read.prd.stories.length === 0) throw new CliError(`${name} has no story`);
	return { stories: read.prd.stories, title: read.prd.name || name, input: { prd: path } };
}

async function baseOf(repository: Repository, config: Config, flags: RunFlags): Promise<string> {
	const named = flags.base ?? config.base;
	const base = named ?? repository.branch;
	if (base === null) throw new CliError("HEAD is detached: check out a branch first, or name one with --base");
	if (!(await repository.hasBranch(base))) throw new CliError(`there is no branch ${base}`);
	return base;
}

/** Work in the tree lands on the branch that is checked out, whatever else is configured. */
function treeBranch(repository: Repository, base: string | undefined): string {
	if (repository.branch === null) throw new CliError("HEAD is detached: check out a branch first, the work is committed there");
	if (base !== undefined && base !== repository.branch)
		throw new CliError(`this works in the current tree, which is on ${repository.branch}: check out ${base} first, or leave --base out`);
	return repository.branch;
}

/** What lies in the tree is committed with the work, and put back with it. */
function refuseSharedInTree(c: Context, repository: Repository, flags: RunFlags): void {
	if (flags.sharedDir === undefined) return;
	const inside = relative(repository.tree().path, resolve(c.cwd, flags.sharedDir));
	if (inside === ".." || inside.startsWith("../") || isAbsolute(inside) || inside.startsWith(".pawl/")) return;
	throw new CliError(
		`--shared-dir ${flags.sharedDir} lies in the tree that this run works in, so its files would end up in commits: choose a folder outside`,
	);
}

export async function refuseDirty(repository: Repository, exclude: readonly string[], own: readonly string[] = []): Promise<void> {
	const isOwn = (path: string): boolean =>
		own.some((folder) => path.startsWith(`${folder}/`)) ||
		exclude.some((pattern) => matchesGlob(`/${path}`, pattern.endsWith("/") ? `${pattern}**` : pattern));
	const dirty = (await repository.dirty()).filter((path) => !isOwn(path));
	if (dirty.length > 0) {
		const shown = dirty.slice(0, 5).join(", ") + (dirty.length > 5 ? ` and ${dirty.length - 5} more` : "");
		throw new CliError(
			`the working tree is not clean (uncommitted: ${shown}); commit or stash it first, because a failed step puts the tree back`,
		);
	}
	holdTree(repository);
}

/** Two runs in one tree would take each other's changes for their own. */
export function holdTree(repository: Repository): void {
	if (!repository.holdTree()) throw new CliError("another run works in this tree at the moment; wait for it, or use another worktree");
}

async function agents(
	c: Context,
	config: Config,
	root: string,
	definition: Definition,
	flags: RunFlags,
	commands: Readonly<Record<string, string>>,
): Promise<Pick<Prepared, "agent" | "roles" | "fallback">> {
	const name =
		flags.agent ?? (flags.agentCommand === undefined ? (flags.script === undefined ? (config.agent ?? "claude") : "scripted") : "command");
	const script = flags.script === undefined ? null : resolve(c.cwd, flags.script);
	// The flags are about the run's own agent; another one of pawl.yml keeps what it says there.
	const about = (agent: string, own: string | null | undefined): boolean => agent === name || (own ?? null) === null;
	const choice = (agent: string, model: string | null): AgentChoice => ({
		agent,
		command: about(agent, config.agents[agent]?.command) ? (flags.agentCommand ?? null) : null,
		script: about(agent, config.agents[agent]?.script) ? script : null,
		model,
	});
	const named = flags.agent !== undefined || flags.agentCommand !== undefined || flags.script !== undefined;
	const byCommand = (command: string): AgentChoice => ({ agent: "command", command, script: null, model: null });
	const [first] = named ? [] : Object.values(commands);
	const agent = first === undefined ? choice(name, flags.model ?? null) : byCommand(first);
	const roles: Record<string, AgentChoice> = {};
	for (const role of Object.keys(definition.roles)) {
		const flag = flags.role[role];
		const own = config.roles[role];
		const command = named ? undefined : commands[role];
		if (flag) roles[role] = choice(flag.agent, flag.model);
		else if (command !== undefined) roles[role] = byCommand(command);
		else if (own) roles[role] = choice(own.agent ?? name, own.model ?? flags.model ?? null);
		else if (definition.roles[role]?.model !== undefined && flags.model === undefined)
			roles[role] = choice(name, definition.roles[role]?.model ?? null);
	}
	const fallback = (flags.fallback.length > 0 ? flags.fallback : config.fallback).map((one) => choice(one, null));
	const problems = new Set<string>();
	for (const one of [agent, ...Object.values(roles), ...fallback]) {
		const made = await c.services.makeAgent(one, config, root);
		if ("problem" in made) problems.add(made.problem);
	}
	if (problems.size > 0) throw new CliError([...problems].join("\n"));
	return { agent, roles, fallback };
}

export function newRunId(at: number): string {
	const stamp = new Date(at).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
	return `${stamp}-${randomInt(36 ** 4)
		.toString(36)
		.padStart(4, "0")}`;
}

export function createInput(
	p: Prepared,
	id: string,
	at: number,
	slots: readonly number[],
	started: StartedWith,
	agents: number = slots.length,
): Extract<Input, { type: "create_run" }> {
	const { flags, config } = p;
	const cost = flags.maxCost ?? config.limits.costUsd;
	const time = flags.maxTime ?? config.limits.timeMs;
	return {
		type: "create_run",
		at,
		id,
		title: p.title,
		definition: p.definition,
		options: {
			mode: p.mode,
			agents,
			slots,
			base: p.base,
			yes: flags.yes ?? false,
			maxWaitMs: flags.maxWait ?? null,
			timeouts: { ...config.timeouts, ...flags.timeout },
			budgets: {
				...(cost === null ? {} : { cost }),
				...(time === null ? {} : { time }),
				...(flags.maxIterations !== undefined && Object.hasOwn(p.definition.budgets, "iterations")
					? { iterations: flags.maxIterations }
					: {}),
			},
			shell: toShell(started),
		},
		input: p.input,
		fields: { ...p.definition.fields, ...p.fields },
		stories: p.stories,
	};
}
