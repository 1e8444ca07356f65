// What a run cost, by story, step type, agent, model and tier.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import type { RunsContext } from "../context.ts";
import { lookAt } from "../open.ts";
import { usd } from "./json-values.ts";
import { type Spent, spentBy, spentInAll, spentJson } from "./spent.ts";
import { attemptKey, NOBODY, whoDidWhat } from "./who-did.ts";

export type CostView = ReturnType<typeof costView>;

export function costOf(c: RunsContext, run: string | undefined): Promise<CostView> {
	return lookAt(c, run, ({ state, events }) => costView(state, events));
}

export function costView(state: RunState, events: readonly Event[]) {
	const rows = (sums: Map<string, Spent>) => [...sums].map(([name, spent]) => ({ name, ...spentJson(spent) }));
	const all = spentInAll(events, state);
	const whoDid = whoDidWhat(state, events);
	const who = (scope: string, step: string, attempt: number) => whoDid.get(attemptKey(scope, step, attempt)) ?? NOBODY;
	const completed = state.stories.filter((s) => s.status === "completed" && s.claimedAt !== null).length;
	return {
		run: state.id,
		...spentJson(all),
		completed_stories: completed,
		cost_per_completed_story_usd: completed === 0 || all.costUsd === null ? null : usd(all.costUsd / completed),
		by_story: rows(spentBy(events, state, (scope) => (scope === RUN_SCOPE ? "run" : scope))),
		by_step_type: rows(spentBy(events, state, (_scope, _step, type) => type)),
		by_agent: rows(
			spentBy(events, state, (scope, step, _type, attempt) => who(scope, step, attempt).agent ?? "agents that fetch their steps"),
		),
		by_model: rows(
			spentBy(events, state, (scope, step, _type, attempt) => {
				const { agent, model } = who(scope, step, attempt);
				return model ?? `${agent ?? "unknown agent"}, its default`;
			}),
		),
		/** Without sessions for which nobody asked for a tier. */
		by_tier: rows(spentBy(events, state, (scope, step, _type, attempt) => who(scope, step, attempt).tier)),
	};
}
