// What a run of a workflow is started with if a person names nothing: pawl.yml first, then the workflow. For forms and help.
import type { Config } from "../../config.ts";
import type { Definition } from "../../core/definition.ts";
import { formatDuration } from "../../core/duration.ts";

export interface DefaultOptions {
	readonly agents: number;
	readonly agent: string;
	/** null: the agent's own default. */
	readonly model: string | null;
	/** null: no branch is checked out. */
	readonly base: string | null;
	/** US dollars; null: no limit. */
	readonly max_cost: number | null;
	/** As it is typed: 2h. */
	readonly max_time: string | null;
	/** null: no limit, or what the input says. */
	readonly max_iterations: number | null;
}

/** `config` null: there is no pawl.yml that can be read. `branch`: the one that is checked out. */
export function defaultOptions({ budgets, types }: Definition, config: Config | null, branch: string | null): DefaultOptions {
	const agent = config?.agent ?? "claude";
	const time = config?.limits.timeMs ?? budgets["time"]?.limit ?? null;
	const [loop] = Object.values(types).flatMap((type) => (type.loop === undefined ? [] : [Number(type.loop.max)]));
	const iterations = budgets["iterations"]?.limit ?? loop;
	return {
		agents: config?.parallel ?? 1,
		agent,
		model: config?.agents[agent]?.model ?? null,
		base: config?.base ?? branch,
		max_cost: config?.limits.costUsd ?? budgets["cost"]?.limit ?? null,
		max_time: time === null ? null : formatDuration(time),
		max_iterations: iterations === undefined || Number.isNaN(iterations) ? null : iterations,
	};
}
