// Which places say who does a step, nearest first: flags, the commands of the input, pawl.yml, the user's own pawl.yml, the workflow.

import { tiersOf } from "../../config/complete.ts";
import type { Config } from "../../config.ts";
import { type Assignment, assign, type Layer, type Wish, type Work } from "../../core/assign/assignment.ts";
import { sessionTypes, workflowLayer } from "../../core/assign/works.ts";
import type { Definition } from "../../core/definition.ts";
import type { StartOptions } from "./start-options.ts";

export const FLAG = "flag";
export const OF_INPUT = "input";

/** The agent that flags name for the whole run, if they do. */
export const namedAgent = ({ agent, agentCommand, script }: Pick<StartOptions, "agent" | "agentCommand" | "script">): string | undefined =>
	agent ?? (agentCommand === undefined ? (script === undefined ? undefined : "scripted") : "command");

/** `commands`: those that the input names, by role. */
export function layersOf(
	config: Config,
	definition: Definition,
	options: StartOptions,
	commands: Readonly<Record<string, string>> = {},
): readonly Layer[] {
	return [flagLayer(options, definition), ...inputLayer(options, commands), ...config.layers, workflowLayer(definition)];
}

export const assigner =
	(config: Config, layers: readonly Layer[]): ((work: Work) => Assignment) =>
	(work) =>
		assign(work, layers, (agent) => tiersOf(config, agent));

function flagLayer(options: StartOptions, definition: Definition): Layer {
	const { model, effort, only = {}, role = {} } = options;
	const agent = namedAgent(options);
	const types = sessionTypes(definition);
	const byRole = Object.entries(role).map(([name, { agent, model }]): [string, Wish] => [
		name,
		model === null ? { agent } : { agent, model },
	]);
	// A name that is both is the step type, which wins in any case.
	const [steps, others] = [true, false].map((isType) => Object.entries(only).filter(([name]) => types.includes(name) === isType));
	const roles = new Map(byRole);
	for (const [name, wish] of others ?? []) roles.set(name, { ...roles.get(name), ...wish });
	return {
		from: FLAG,
		all: {
			...(agent === undefined ? {} : { agent }),
			...(model === undefined ? {} : { model }),
			...(effort === undefined ? {} : { effort }),
		},
		roles: Object.fromEntries(roles),
		steps: Object.fromEntries(steps ?? []),
	};
}

/** Commands of the input count unless a flag names an agent. */
function inputLayer(options: StartOptions, commands: Readonly<Record<string, string>>): Layer[] {
	const roles = Object.keys(commands);
	if (roles.length === 0 || namedAgent(options) !== undefined) return [];
	const command = { agent: "command" };
	return [{ from: OF_INPUT, all: command, roles: Object.fromEntries(roles.map((role) => [role, command])) }];
}
