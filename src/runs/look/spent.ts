// What agent sessions cost, added up from the journal: by run, story or step. Sessions that did not report their cost are counted separately;
// unknown is never shown as zero.
import type { Event } from "../../core/event.ts";
import { addUsage } from "../../core/fold/apply.ts";
import type { RunState, Usage } from "../../core/model.ts";
import { findStep, typeOf } from "../../core/query.ts";
import { usd } from "./json-values.ts";

export interface Spent extends Usage {
	readonly sessions: number;
	/** Sessions whose cost is unknown. */
	readonly unknown: number;
}

export const NOTHING_SPENT: Spent = { costUsd: null, inputTokens: null, outputTokens: null, sessions: 0, unknown: 0 };

/** Sums by a key made of scope, step, step type and attempt; null leaves a session out. */
export function spentBy(
	events: readonly Event[],
	state: RunState,
	key: (scope: string, step: string, type: string, attempt: number) => string | null,
): Map<string, Spent> {
	const sums = new Map<string, Spent>();
	for (const event of events) {
		if (event.event !== "usage_recorded") continue;
		const step = findStep(state, event.scope, event.step);
		const type = step && typeOf(state, step);
		// The engine does actions and commands itself: they are not sessions and cost nothing.
		if (type?.kind === "action" || type?.kind === "command") continue;
		const name = key(event.scope, event.step, step?.type ?? "unknown", event.attempt);
		if (name !== null) sums.set(name, plus(sums.get(name) ?? NOTHING_SPENT, event.usage));
	}
	return sums;
}

const plus = (sum: Spent, usage: Usage): Spent => ({
	...addUsage(sum, usage),
	sessions: sum.sessions + 1,
	unknown: sum.unknown + (usage.costUsd === null ? 1 : 0),
});

export function spentInAll(events: readonly Event[], state: RunState): Spent {
	return spentBy(events, state, () => "all").get("all") ?? NOTHING_SPENT;
}

export const spentJson = (spent: Spent) => ({
	cost_usd: usd(spent.costUsd),
	input_tokens: spent.inputTokens,
	output_tokens: spent.outputTokens,
	sessions: spent.sessions,
	unknown_cost_sessions: spent.unknown,
});
