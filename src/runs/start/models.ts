// Which agent and model each step of a workflow would get, and which place says so. Starts nothing.
import { tiersOf } from "../../config/complete.ts";
import type { TierModels } from "../../core/assign/assignment.ts";
import type { RunsContext } from "../context.ts";
import { openRepository, userConfigFile } from "../repository.ts";
import { type AssignedWork, assignAgents, effortless } from "./agents.ts";
import { definitionOf } from "./definition.ts";
import { unknownNames } from "./known-names.ts";
import { checkOptions, type StartOptions } from "./start-options.ts";

export interface ModelsView {
	readonly workflow: string;
	readonly steps: readonly AssignedWork[];
	/** Agent → what the tiers stand for; agents without any are left out. */
	readonly tiers: Readonly<Record<string, TierModels>>;
	/** The user's own pawl.yml, whether or not it exists. */
	readonly user_file: string;
	readonly warnings: readonly string[];
}

export async function modelsOf(c: RunsContext, workflow: string, options: StartOptions): Promise<ModelsView> {
	const { repository, config } = await openRepository(c);
	try {
		const definition = await definitionOf(c, workflow, repository.root);
		checkOptions(options, definition);
		const { works } = assignAgents(c, config, definition, options, {});
		const steps = works.map((work): AssignedWork => {
			const own = config.agents[work.agent];
			const from = `agents.${work.agent}`;
			return {
				...work,
				model: work.model ?? own?.model ?? null,
				effort: work.effort ?? own?.effort ?? null,
				from: {
					...work.from,
					...(work.model === null && own?.model ? { model: from } : {}),
					...(work.effort === null && own?.effort ? { effort: from } : {}),
				},
			};
		});
		const agents = [...new Set(steps.map(({ agent }) => agent))];
		const tiers = agents.map((agent) => [agent, tiersOf(config, agent)] as const).filter(([, of]) => Object.keys(of).length > 0);
		const known = (await c.services.knownAgents()).filter((info) => info.effortless).map(({ name }) => name);
		const ignored = agents.filter(
			(agent) => known.includes(config.agents[agent]?.type ?? agent) && steps.some((step) => step.agent === agent && step.effort !== null),
		);
		const unknown = await unknownNames(c, config, repository.root, [definition]);
		return {
			workflow: definition.name,
			steps,
			tiers: Object.fromEntries(tiers),
			user_file: await userConfigFile(c),
			warnings: [...unknown.map(({ text }) => text), ...ignored.map(effortless)],
		};
	} finally {
		repository.freeTree();
		repository.dropSettings();
	}
}
