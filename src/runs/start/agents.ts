// Chooses the agents: of the run, of each role and step type, and the fallbacks for usage limits. Each of them has to be installed, unless the run is
// only shown.
import { resolve } from "node:path";
import { tiersOf } from "../../config/complete.ts";
import type { Config } from "../../config.ts";
import type { Assignment, Layer } from "../../core/assign/assignment.ts";
import { type WorkKind, worksOf } from "../../core/assign/works.ts";
import type { Definition } from "../../core/definition.ts";
import { type AgentSpec, everySpec, programOf, type StartedWith } from "../../core/started-with.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { assigner, FLAG, layersOf, namedAgent, OF_INPUT } from "./layers.ts";
import type { StartOptions } from "./start-options.ts";

export interface ChosenAgents extends Pick<StartedWith, "agent" | "roles" | "steps" | "fallback"> {
	/** Who does what, and who said so. */
	readonly works: readonly AssignedWork[];
}

export interface AssignedWork extends WorkKind, Assignment {}

/** The options that choose the agent of a run, or of one session. */
export type AgentChoice = Pick<StartOptions, "agent" | "agentCommand" | "script" | "model">;

/** The agent of a single session, chosen as a run's own agent is. */
export function ownAgent(c: RunsContext, config: Config, options: AgentChoice): AgentSpec {
	const { model } = options;
	const agent = namedAgent(options);
	const all = { ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }) };
	const flags: Layer = { from: FLAG, all };
	return specMaker(c, config, options, {})(assigner(config, [flags, ...config.layers])({ type: null, role: null }), "");
}

/** Who does what in a run with these options; starts and checks nothing. */
export function assignAgents(
	c: RunsContext,
	config: Config,
	definition: Definition,
	options: StartOptions,
	commands: Readonly<Record<string, string>>,
): ChosenAgents {
	const assigned = assigner(config, layersOf(config, definition, options, commands));
	const spec = specMaker(c, config, options, commands);
	const agent = spec(assigned({ type: null, role: null }), "");
	const roles: Record<string, AgentSpec> = {};
	for (const role of Object.keys(definition.roles)) {
		const own = spec(assigned({ type: null, role }), role);
		if (!isSame(own, agent)) roles[role] = own;
	}
	const works = worksOf(definition).map((work) => ({ ...work, ...assigned(work) }));
	const steps: Record<string, Record<string, AgentSpec>> = {};
	for (const work of works) {
		const own = spec(work, work.role);
		if (!isSame(own, roles[work.role] ?? agent)) steps[work.type] = { ...steps[work.type], [work.role]: own };
	}
	const names = options.fallback !== undefined && options.fallback.length > 0 ? options.fallback : config.fallback;
	const fallback = names.map((name) => ({ ...spec(bare(name), ""), ...tiersJson(config, name) }));
	return { agent, roles, steps, fallback, works };
}

const bare = (agent: string): Assignment => ({
	agent,
	model: null,
	effort: null,
	tier: null,
	from: { agent: null, model: null, effort: null },
});

function tiersJson(config: Config, agent: string): Pick<AgentSpec, "tiers"> {
	const tiers = tiersOf(config, agent);
	return Object.keys(tiers).length > 0 ? { tiers } : {};
}

const isSame = (a: AgentSpec, b: AgentSpec): boolean => JSON.stringify(a) === JSON.stringify(b);

function specMaker(
	c: RunsContext,
	config: Config,
	options: AgentChoice,
	commands: Readonly<Record<string, string>>,
): (assigned: Assignment, role: string) => AgentSpec {
	const run = namedAgent(options) ?? config.agent ?? "claude";
	const script = options.script === undefined ? null : resolve(c.cwd, options.script);
	const [first = null] = Object.values(commands);
	// Options apply to the run's own agent; other agents keep what pawl.yml says about them.
	const about = (agent: string, own: string | null | undefined): boolean => agent === run || (own ?? null) === null;
	return ({ agent, model, effort, tier, from }, role) => {
		const byInput = from.agent === OF_INPUT;
		return {
			agent,
			command: byInput ? (commands[role] ?? first) : about(agent, config.agents[agent]?.command) ? (options.agentCommand ?? null) : null,
			script: !byInput && about(agent, config.agents[agent]?.script) ? script : null,
			model,
			...(effort === null ? {} : { effort }),
			...(tier === null ? {} : { tier }),
		};
	};
}

/** In a run whose steps agents fetch nobody knows which agent comes: only the models that it is told. */
export function toldOnly({ roles, steps, works }: ChosenAgents): Omit<ChosenAgents, "agent" | "fallback"> {
	const told = (spec: AgentSpec): AgentSpec => ({ ...spec, agent: "", command: null, script: null });
	const all = (specs: Readonly<Record<string, AgentSpec>>) =>
		Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, told(spec)]));
	return { roles: all(roles), steps: Object.fromEntries(Object.entries(steps).map(([type, own]) => [type, all(own)])), works };
}

export async function chooseAgents(
	c: RunsContext,
	config: Config,
	root: string,
	chosen: ChosenAgents,
	options: StartOptions,
	dry: boolean,
): Promise<ChosenAgents> {
	const all = everySpec(chosen);
	const problems = new Set<string>();
	const ignored = new Set<string>();
	const limited = (options.maxCost ?? config.limits.costUsd) !== null && !options.allowUnknownCost;
	for (const one of all.filter((spec, i) => all.findIndex((other) => isSame(programOf(spec), programOf(other))) === i)) {
		const made = await c.services.makeAgent(programOf(one), config, root);
		if ("problem" in made) problems.add(made.problem);
		else if (limited && made.agent.unpriced) problems.add(unpriced(one.agent));
		else if (made.agent.effortless && (made.effort ?? all.find((spec) => spec.agent === one.agent && spec.effort)) !== undefined)
			ignored.add(one.agent);
	}
	// Agents would take it for one of their own options.
	for (const { agent, model, effort } of all)
		for (const [what, name] of Object.entries({ model, effort }))
			if (name?.startsWith("-")) problems.add(`${JSON.stringify(name)} is no name of a ${what} (for ${agent})`);
	// What is only shown needs no agent.
	if (dry) for (const problem of problems) c.warn(`a run would be refused: ${problem}`);
	else if (problems.size > 0) throw new Refusal("invalid", [...problems].join("\n"));
	for (const name of ignored) c.warn(effortless(name));
	await warnOfLogins(c, config, new Set(all.map((one) => one.agent)));
	return chosen;
}

export const effortless = (agent: string): string => `${agent} has no option for effort: it uses its own, whatever \`effort\` says`;

/** Warns before the first session, which would otherwise fail without a login. Only if there is no sign of a login at all, because a
 * login may be where pawl does not look. */
async function warnOfLogins(c: RunsContext, config: Config, names: ReadonlySet<string>): Promise<void> {
	const types = new Set([...names].map((name) => config.agents[name]?.type ?? name));
	for (const info of await c.services.knownAgents())
		if (types.has(info.name) && info.loggedIn(c.env) === null) c.warn(`nothing says that you are logged in to ${info.name}; ${info.login}`);
}

const unpriced = (agent: string): string =>
	`the cost limit cannot be kept: ${agent} does not say what its sessions cost. Set its \`prices\` in pawl.yml (agents: {${agent}: {prices: {input: …, output: …}}}), or start with --allow-unknown-cost`;
