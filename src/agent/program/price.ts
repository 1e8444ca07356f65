// What an attempt cost: as the agent reported it, else by the price table in pawl.yml, else unknown.
import type { AgentDetails } from "../../agent.ts";
import type { Usage } from "../../core/model.ts";

/** US dollars per million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	/** For input from a cache; defaults to the price of other input. */
	readonly cached?: number;
}

export interface Priced {
	readonly usage: Usage;
	readonly costFrom: AgentDetails["costFrom"];
}

export function priced(usage: Usage, cachedTokens: number | null, prices: Prices | null): Priced {
	if (usage.costUsd !== null) return { usage: { ...usage, costUsd: rounded(usage.costUsd) }, costFrom: "reported" };
	const { inputTokens, outputTokens } = usage;
	// With only one of the two counts, part of the cost would look like all of it.
	if (prices === null || inputTokens === null || outputTokens === null) return { usage, costFrom: "unknown" };
	const cached = Math.min(cachedTokens ?? 0, inputTokens);
	const million = (inputTokens - cached) * prices.input + cached * (prices.cached ?? prices.input) + outputTokens * prices.output;
	return { usage: { ...usage, costUsd: rounded(million / 1e6) }, costFrom: "price table" };
}

/** Adding up fractions of a cent leaves rounding noise. */
const rounded = (dollars: number): number => Number(dollars.toFixed(9));
