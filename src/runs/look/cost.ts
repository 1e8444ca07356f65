// What a run cost, by story, step type, agent and model.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { type AgentSpec, startedWith } from "../../core/started-with.ts";
import type { RunsContext } from "../context.ts";
import { lookAt } from "../open.ts";
import { usd } from "./json-values.ts";
import { type Spent, spentBy, spentInAll, spentJson } from "./spent.ts";

export type CostView = ReturnType<typeof costView>;

export function costOf(c: RunsContext, run: string | undefined): Promise<CostView> {
	return lookAt(c, run, ({ state, events }) => costView(state, events));
}

/** Which agent the role of an attempt has. */
function agentsOf(state: RunState, events: readonly Event[]): (scope: string, step: string, attempt: number) => AgentSpec {
	const { agent, roles } = startedWith(state);
	const roleOf = new Map(
		events.flatMap((event) =>
			event.event === "step_started" ? [[`${event.scope} ${event.step} ${event.attempt}`, event.role] as const] : [],
		),
	);
	return (scope, step, attempt) => roles[roleOf.get(`${scope} ${step} ${attempt}`) ?? ""] ?? agent;
}

export function costView(state: RunState, events: readonly Event[]) {
	const rows = (sums: Map<string, Spent>) => [...sums].map(([name, spent]) => ({ name, ...spentJson(spent) }));
	const all = spentInAll(events, state);
	const who = agentsOf(state, events);
	const completed = state.stories.filter((s) => s.status === "completed" && s.claimedAt !== null).length;
	return {
		run: state.id,
		...spentJson(all),
		completed_stories: completed,
		cost_per_completed_story_usd: completed === 0 || all.costUsd === null ? null : usd(all.costUsd / completed),
		by_story: rows(spentBy(events, state, (scope) => (scope === RUN_SCOPE ? "run" : scope))),
		by_step_type: rows(spentBy(events, state, (_scope, _step, type) => type)),
		// As the run was started: a fallback may have stood in.
		by_agent: rows(
			spentBy(events, state, (scope, step, _type, attempt) => who(scope, step, attempt).agent || "agents that fetch their steps"),
		),
		by_model: rows(
			spentBy(events, state, (scope, step, _type, attempt) => {
				const { agent, model } = who(scope, step, attempt);
				return model ?? `${agent || "unknown agent"}, its default`;
			}),
		),
	};
}
