// What an attempt cost: as the agent reported it, else by the price table of pawl.yml, else unknown.
import type { AgentDetails } from "../../agent.ts";
import type { Usage } from "../../core/model.ts";

/** US dollars for a million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	/** For input from a cache; without it, as other input. */
	readonly cached?: number;
}

export interface Priced {
	readonly usage: Usage;
	readonly costFrom: AgentDetails["costFrom"];
}

export function priced(usage: Usage, cachedTokens: number | null, prices: Prices | null): Priced {
	if (usage.costUsd !== null) return { usage: { ...usage, costUsd: rounded(usage.costUsd) }, costFrom: "reported" };
	const { inputTokens, outputTokens } = usage;
	// Half of the tokens would make half of the cost look like all of it.
	if (prices === null || inputTokens === null || outputTokens === null) return { usage, costFrom: "unknown" };
	const cached = Math.min(cachedTokens ?? 0, inputTokens);
	const million = (inputTokens - cached) * prices.input + cached * (prices.cached ?? prices.input) + outputTokens * prices.output;
	return { usage: { ...usage, costUsd: rounded(million / 1e6) }, costFrom: "price table" };
}

/** Sums of parts of a cent grow tails. */
const rounded = (dollars: number): number => Number(dollars.toFixed(9));
