// Chooses the agents: of the run, of each role, and the fallbacks for usage limits. Each of them has to be installed, unless the run is only
// shown.
import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import type { Definition } from "../../core/definition.ts";
import type { AgentSpec } from "../../core/started-with.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";

export interface ChosenAgents {
	readonly agent: AgentSpec;
	readonly roles: Readonly<Record<string, AgentSpec>>;
	readonly fallback: readonly AgentSpec[];
}

/** The options that choose the agent of a run, or of one session. */
export type AgentChoice = Pick<StartOptions, "agent" | "agentCommand" | "script" | "model">;

const nameOf = (config: Config, { agent, agentCommand, script }: AgentChoice): string =>
	agent ?? (agentCommand === undefined ? (script === undefined ? (config.agent ?? "claude") : "scripted") : "command");

/** The agent of a single session, chosen as a run's own agent is. */
export const ownAgent = (c: RunsContext, config: Config, options: AgentChoice): AgentSpec => ({
	agent: nameOf(config, options),
	command: options.agentCommand ?? null,
	script: options.script === undefined ? null : resolve(c.cwd, options.script),
	model: options.model ?? null,
});

export async function chooseAgents(
	c: RunsContext,
	config: Config,
	root: string,
	definition: Definition,
	options: StartOptions,
	commands: Readonly<Record<string, string>>,
	dry: boolean,
): Promise<ChosenAgents> {
	const name = nameOf(config, options);
	const script = options.script === undefined ? null : resolve(c.cwd, options.script);
	// Options apply to the run's own agent; other agents keep what pawl.yml says about them.
	const about = (agent: string, own: string | null | undefined): boolean => agent === name || (own ?? null) === null;
	const spec = (agent: string, model: string | null): AgentSpec => ({
		agent,
		command: about(agent, config.agents[agent]?.command) ? (options.agentCommand ?? null) : null,
		script: about(agent, config.agents[agent]?.script) ? script : null,
		model,
	});
	const named = options.agent !== undefined || options.agentCommand !== undefined || options.script !== undefined;
	const byCommand = (command: string): AgentSpec => ({ agent: "command", command, script: null, model: null });
	const [first] = named ? [] : Object.values(commands);
	const agent = first === undefined ? spec(name, options.model ?? null) : byCommand(first);
	const roles: Record<string, AgentSpec> = {};
	for (const role of Object.keys(definition.roles)) {
		const flag = options.role?.[role];
		const own = config.roles[role];
		const command = named ? undefined : commands[role];
		if (flag) roles[role] = spec(flag.agent, flag.model);
		else if (command !== undefined) roles[role] = byCommand(command);
		else if (own) roles[role] = spec(own.agent ?? name, own.model ?? options.model ?? null);
		else if (definition.roles[role]?.model !== undefined && options.model === undefined)
			roles[role] = spec(name, definition.roles[role]?.model ?? null);
	}
	const fallback = (options.fallback !== undefined && options.fallback.length > 0 ? options.fallback : config.fallback).map((one) =>
		spec(one, null),
	);
	const problems = new Set<string>();
	const limited = (options.maxCost ?? config.limits.costUsd) !== null && !options.allowUnknownCost;
	for (const one of [agent, ...Object.values(roles), ...fallback]) {
		const made = await c.services.makeAgent(one, config, root);
		if ("problem" in made) problems.add(made.problem);
		else if (limited && made.agent.unpriced) problems.add(unpriced(one.agent));
	}
	// What is only shown needs no agent.
	if (dry) for (const problem of problems) c.warn(`a run would be refused: ${problem}`);
	else if (problems.size > 0) throw new Refusal("invalid", [...problems].join("\n"));
	await warnOfLogins(c, config, new Set([agent, ...Object.values(roles), ...fallback].map((one) => one.agent)));
	return { agent, roles, fallback };
}

/** Warns before the first session, which would otherwise fail without a login. Only if there is no sign of a login at all, because a
 * login may be where pawl does not look. */
async function warnOfLogins(c: RunsContext, config: Config, names: ReadonlySet<string>): Promise<void> {
	const types = new Set([...names].map((name) => config.agents[name]?.type ?? name));
	for (const info of await c.services.knownAgents())
		if (types.has(info.name) && info.loggedIn(c.env) === null) c.warn(`nothing says that you are logged in to ${info.name}; ${info.login}`);
}

const unpriced = (agent: string): string =>
	`the cost limit cannot be kept: ${agent} does not say what its sessions cost. Set its \`prices\` in pawl.yml (agents: {${agent}: {prices: {input: …, output: …}}}), or start with --allow-unknown-cost`;
