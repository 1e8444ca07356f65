// Turns options into a run that could start: reads and checks everything, and writes or starts nothing before all of it is known
// to be good.
import type { Config } from "../../config.ts";
import { whyNotShared } from "../../core/assign/shareable.ts";
import type { Definition } from "../../core/definition.ts";
import type { SandboxSettings } from "../../core/sandbox/sandbox.ts";
import { NO_AGENT } from "../../core/started-with.ts";
import { withPullRequest } from "../../definition/pull-request.ts";
import { checksOfRun } from "../../toolchain/checks.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { collectSooner } from "../drive/collect-sooner.ts";
import { writtenFiles } from "../drive/written-files.ts";
import { reachForge } from "../forge.ts";
import { holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import { openRepository } from "../repository.ts";
import { refuseNoSandbox, wantedSandbox } from "../sandbox.ts";
import { assignAgents, type ChosenAgents, chooseAgents, toldOnly } from "./agents.ts";
import { definitionOf } from "./definition.ts";
import { unknownNames } from "./known-names.ts";
import { refuseNoForge, targetOf } from "./pull-request.ts";
import { type InputRead, readInput } from "./read-input.ts";
import { checkOptions, type StartOptions } from "./start-options.ts";
import { baseOf, isLeftOnRunBranch, refuseDirty, refuseOtherBranch, refuseSharedInTree, treeBranch } from "./tree.ts";

export interface Prepared extends InputRead, ChosenAgents {
	readonly repository: Repository;
	readonly config: Config;
	readonly definition: Definition;
	readonly base: string;
	/** With `--pr`, where the work is on another branch than this one: the branch that the pull request goes into. */
	readonly target: string | null;
	/** The checks that decide whether the run delivers its work. */
	readonly checks: Readonly<Record<string, string>>;
	readonly options: StartOptions;
	/** What its agents, checks and setup run in. */
	readonly sandbox: SandboxSettings | null;
}

export interface PrepareHow {
	/** pawl will start the agents, so they have to be installed (the default). */
	readonly starts?: boolean;
	/** No input is given: the run adopts the state in the tree. */
	readonly resume?: boolean;
	/** The run is only shown: agents that are missing are warned of. */
	readonly dry?: boolean;
}

/** The user's tree is held for the run until it has been started (`givingBackTree`). */
export async function prepare(
	c: RunsContext,
	workflow: string,
	given: string | undefined,
	options: StartOptions,
	{ starts = true, resume = false, dry = false }: PrepareHow = {},
): Promise<Prepared> {
	if (starts && !dry) collectSooner();
	const { repository, config } = await openRepository(c);
	try {
		return await prepareIn(c, { repository, config }, workflow, given, options, { starts, resume, dry });
	} catch (error) {
		repository.freeTree();
		throw error;
	}
}

/** Uses a prepared run. A process that continues afterwards must not keep other runs out of the tree. */
export async function givingBackTree<T>({ repository }: Prepared, work: () => T | Promise<T>): Promise<T> {
	try {
		return await work();
	} finally {
		repository.freeTree();
		repository.dropSettings();
	}
}

async function prepareIn(
	c: RunsContext,
	{ repository, config }: Pick<Prepared, "repository" | "config">,
	workflow: string,
	given: string | undefined,
	options: StartOptions,
	{ starts, resume, dry }: Required<PrepareHow>,
): Promise<Prepared> {
	const definition = wanted(await definitionOf(c, workflow, repository.root), options);
	checkOptions(options, definition);
	const sandbox = wantedSandbox(config, options.sandbox);
	await refuseNoSandbox(c, sandbox).catch(dry ? toldInstead(c) : undefined);
	await checkNames(c, config, repository.root, definition);
	const read = await readInput(c, repository, definition, {
		text: given,
		options: withBase(options, config),
		defaults: config.flags,
		resume,
		forge: () => reachForge(c, repository, config, options.base ?? config.base ?? undefined),
	});
	const { mode, input, exclude, own, begun, commands } = read;
	const inTree = definition.inputs[mode]?.workspace === "tree";
	if (c.db !== undefined) refuseUnshareable(definition, mode, starts, options);
	const base = inTree
		? treeBranch(repository, input["base_branch"] === undefined && !options.pr ? options.base : undefined)
		: await baseOf(repository, config, options);
	if (inTree) await refuseOtherBranch(repository, read.branch);
	if (inTree) refuseSharedInTree(c, repository, options);
	if (inTree && begun) holdTree(repository);
	else if (inTree)
		await refuseDirty(repository, exclude, own, await writtenFiles(c, repository.root)).catch(dry ? toldInstead(c) : undefined);
	const into = options.pr ? await targetOf(repository, config, options, input["base_branch"]) : null;
	if (into !== null && into === read.branch)
		throw new Refusal("invalid", `--pr: the work belongs on ${into}: name the branch that the pull request goes into with --base`);
	// There an earlier run may be continued; a new one is refused when it is about to be made.
	const left = isLeftOnRunBranch(repository, options, { inTree, target: into });
	if (into !== null && !dry && !left) await refuseNoForge(c, repository, config, into);
	const target = definition.inputs[mode]?.workspace === "branch" ? null : into;
	if (options.comment && read.deliveredBy.length === 0)
		throw new Refusal("invalid", "--comment: the run has no issue to comment on: give it one with --issue or --issues");
	if (await repository.anonymous()) c.warn(ANONYMOUS);
	const assigned = assignAgents(c, config, definition, options, commands);
	const chosen = starts ? await chooseAgents(c, config, repository.root, assigned, options, dry) : { ...NOBODY, ...toldOnly(assigned) };
	const known = checksOfRun(config.checks, repository.root);
	refuseUnknownCommands(definition, known);
	const checks = options.checks === false ? {} : known;
	return { ...read, repository, config, definition, base, target, ...chosen, checks, options, sandbox };
}

/** A run that is only looked at is not refused for what can be put right before it is started. */
const toldInstead =
	(c: RunsContext) =>
	(error: unknown): void => {
		if (!(error instanceof Refusal)) throw error;
		c.warn(`a run would be refused: ${error.message}`);
	};

/** Workers have their own clones: what happens in the user's own tree, or on one branch step by step, stays on one machine. */
function refuseUnshareable(definition: Definition, mode: string, starts: boolean, { sharedDir }: StartOptions): void {
	const refuse = (why: string): never => {
		throw new Refusal("invalid", `${why}: leave out --db (or PAWL_DB) to run it on this machine`);
	};
	if (!starts) refuse("steps of a run in a database that machines share cannot be claimed");
	if (sharedDir !== undefined) refuse("--shared-dir: each machine has the files of such a run below its own .pawl/runs/");
	const why = whyNotShared(definition, mode);
	if (why !== null) refuse(why);
}

/** The workflow as these options want it. */
function wanted(definition: Definition, { pr }: StartOptions): Definition {
	const asked = pr ? withPullRequest(definition) : definition;
	if ("problem" in asked) throw new Refusal("invalid", `--pr: ${asked.problem}`);
	return asked;
}

/** A step that is a check of the repository: without it, the sessions before that step would be paid for nothing. */
function refuseUnknownCommands({ name, types }: Definition, known: Readonly<Record<string, string>>): void {
	const missing = Object.values(types).filter(({ command }) => command !== undefined && !Object.hasOwn(known, command));
	const [first] = missing;
	if (!first) return;
	throw new Refusal(
		"invalid",
		`the step ${first.name} of ${name} runs the check ${first.command}, which this repository does not have: add it to pawl.yml, as\nchecks:\n  ${first.command}: COMMAND`,
	);
}

async function checkNames(c: RunsContext, config: Config, root: string, definition: Definition): Promise<void> {
	const unknown = await unknownNames(c, config, root, [definition]);
	const typos = unknown.filter(({ typo }) => typo);
	if (typos.length > 0) throw new Refusal("invalid", typos.map(({ text }) => text).join("\n"));
	for (const { text } of unknown) c.warn(text);
}

const withBase = (options: StartOptions, { base }: Config): StartOptions =>
	options.base === undefined && base !== null ? { ...options, base } : options;

const ANONYMOUS =
	'git does not know who you are: commits of agents fail, and pawl commits as "pawl". Say it once: git config --global user.name "YOUR NAME" && git config --global user.email YOU@EXAMPLE.COM';

const NOBODY = { agent: NO_AGENT, fallback: [] } as const;
