// What `pawl init` finds in a repository and on this machine. Looks only: starts agents to ask for their version, and writes nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE } from "../../config.ts";
import type { FoundInput } from "../../format.ts";
import { detectChecks } from "../../toolchain/checks.ts";
import { detectSetup } from "../../toolchain/setup.ts";
import type { RunsContext } from "../context.ts";
import { type FoundAgent, findAgent } from "../doctor/machine.ts";
import { Refusal } from "../refusal.ts";
import { configOf, findRepository } from "../repository.ts";

export interface RepositoryFacts {
	readonly root: string;
	/** Those that are installed, in the order in which pawl knows them. */
	readonly agents: readonly FoundAgent[];
	/** The agent that the user's own pawl.yml names for all repositories. */
	readonly ownAgent: string | null;
	readonly lint: string | null;
	readonly test: string | null;
	/** The files that these two were found in; empty if there are none. */
	readonly checksFrom: string;
	readonly setup: string | null;
	readonly setupFrom: string;
	/** What lies here that a run could start with. */
	readonly inputs: readonly FoundInput[];
}

/** Refuses a repository that has a pawl.yml. */
export async function lookAround(c: RunsContext): Promise<RepositoryFacts> {
	const repository = await findRepository(c);
	const { root } = repository;
	const file = join(root, CONFIG_FILE);
	if (existsSync(file)) throw alreadyThere(file);
	const known = await c.services.knownAgents();
	const [agents, config, inputs] = await Promise.all([
		Promise.all(known.map((info) => findAgent(info, c.env))),
		configOf(c, root),
		c.services.inputsIn(repository.tree().path),
	]);
	const { lint = null, test = null, from: checksFrom } = detectChecks(root);
	const setup = detectSetup(root);
	return {
		root,
		agents: agents.filter(({ path }) => path !== null),
		ownAgent: config.agent,
		lint,
		test,
		checksFrom,
		setup: setup?.command ?? null,
		setupFrom: setup?.from ?? "",
		inputs,
	};
}

export const alreadyThere = (file: string): Refusal => new Refusal("refused", `${file} is there already; it was left as it is`);
