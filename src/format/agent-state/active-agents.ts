// Who works on what: the agents that run, those that wait for a limit or a person, and those whose step a person was asked about.
import { RUN_SCOPE, type RunState, type Scope, type Step, type Story, type Time } from "../../core/model.ts";
import { isOver, runningAttempts, typeOf } from "../../core/query.ts";
import type { AgentState } from "./document.ts";
import { iso } from "./values.ts";
import { AGENT_TYPES } from "./words.ts";

/** The task of an agent that works on all of them. */
export const ALL_TASKS = "all";

type Agent = AgentState["active_agents"][number];

/** `iterationOf`: the one that runs, or the last one that ran. */
export function activeAgents(state: RunState, at: Time, iterationOf: (story: Story, state: RunState) => number): Agent[] {
	const running = runningAttempts(state).flatMap(({ scope, step, attempt }) =>
		entry(scope, step, attempt.role, "in_progress", attempt.startedAt),
	);
	return [...running, ...standing()];

	function entry(scope: string, step: Step, role: string | undefined, status: Agent["status"], started: Time): Agent[] {
		const type = AGENT_TYPES.find((one) => one === role);
		if (type === undefined) return [];
		const story = state.stories.find((s) => s.id === scope);
		const iteration = story ? iterationOf(story, state) : roundOf(state, step.type);
		return [{ type, task: scope === RUN_SCOPE ? ALL_TASKS : scope, started: iso(started), iteration, status }];
	}

	/** Agents that would run if nobody had to be waited for. */
	function standing(): Agent[] {
		if (isOver(state.status) || state.status === "stopped") return [];
		const scopes = [state.root, ...state.stories.filter((s) => s.status === "in_progress").map((s) => s.scope)];
		return scopes.flatMap((scope) => {
			const step = stoodStill(scope);
			if (step === undefined) return [];
			const status = step.status === "waiting" ? "blocked" : "waiting";
			return entry(scope.id, step, typeOf(state, step)?.role, status, step.startedAt ?? at);
		});
	}

	/** The next step of the scope, if it is asked about, waits for a limit, or was begun before the run was paused. */
	function stoodStill({ steps }: Scope): Step | undefined {
		if (steps.some((s) => s.running.length > 0)) return undefined;
		const next = steps.find((s) => s.status === "pending" || s.status === "waiting" || s.status === "in_progress");
		if (next === undefined || typeOf(state, next)?.kind !== "agent") return undefined;
		if (next.status === "waiting") return next;
		const held = state.status === "paused" && (next.attempt > 0 || next.origin !== next.id);
		return next.status === "pending" && ((next.notBefore ?? 0) > at || held) ? next : undefined;
	}
}

/** How often steps of this type have begun. */
const roundOf = (state: RunState, type: string): number =>
	state.root.steps.filter((s) => s.type === type).reduce((sum, s) => sum + s.attempt, 0);
