// What persons ask of a run in the core layer, and control files that anybody may write.

import { lacksStories } from "../../src/core/decide/without-report.ts";
import type { Input } from "../../src/core/input.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../src/core/model.ts";
import { grammarOf, waitingSteps } from "../../src/core/query.ts";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import type { Luck } from "./luck.ts";

export const SOMEBODY = { user: "somebody", how: "simulation" };

/** Anything that a person can ask for, sensible or not. `n` makes texts and ids unique. */
export function somePerson(state: RunState, luck: Luck, at: number, n: number): Input {
	const by = SOMEBODY;
	const waiting = luck.some(waitingSteps(state));
	const scope = luck.some([RUN_SCOPE, ...state.stories.map((story) => story.id)]) ?? RUN_SCOPE;
	const steps = (scope === RUN_SCOPE ? state.root : state.stories.find((story) => story.id === scope)?.scope)?.steps ?? [];
	switch (luck.between(1, 16)) {
		case 1:
		case 2:
			return { type: "stop", at, by, how: luck.pick(["pause", "pause", "interrupt", "cancel"]) };
		case 3:
		case 4:
		case 5:
			return { type: "resume", at, by };
		case 6:
		case 7:
		case 8:
			return {
				...{ type: "decide", at, by, id: `decision-${n}` },
				scope: waiting?.scope ?? null,
				step: waiting?.step.id ?? null,
				...(waiting?.step.question && luck.happens(0.7) ? { ask: waiting.step.question.version - (luck.happens(0.2) ? 1 : 0) } : {}),
				verdict: luck.pick(["approve", "approve", "reject", "retry", "answer"]),
				reason: luck.pick(["", "because"]),
			};
		case 9:
		case 10:
			return { type: "retry_story", at, by, id: `retry-${n}`, story: luck.happens(0.5) ? null : scope };
		case 11:
			return {
				type: "extend",
				at,
				by,
				budgets: { cost: luck.between(1, 60), rework: luck.between(1, 9) },
				iterations: luck.between(1, 20),
				allowUnknownCost: luck.happens(0.3),
			};
		case 12:
			return luck.happens(0.5) ? { type: "wake", at, by } : { type: "steer", at, by, text: `mind ${n}` };
		case 13:
			return { type: "skip_step", at, by, id: `skip-${n}`, scope, step: luck.some(steps)?.id ?? "step-001", reason: "not needed" };
		case 14: {
			if (!state.definition.steps.some((step) => state.definition.types[step.type]?.each)) return { type: "resume", at, by };
			const added = storyOf(`NEW-${n}`, { dependsOn: luck.happens(0.3) ? [luck.some(state.stories)?.id ?? "US-1"] : [] });
			return {
				type: "add_stories",
				at,
				stories: [added],
				changed: state.stories.slice(0, 1).map(({ id }) => storyOf(id, { title: "changed" })),
			};
		}
		case 15:
			return {
				type: "call",
				at,
				by,
				step: luck.some(Object.keys(state.definition.types)) ?? "",
				scope: luck.happens(0.5) ? null : scope,
				reason: "now",
			};
		default:
			return {
				...{ type: "message", at, inbox: "run-folder", id: `message-${luck.happens(0.2) ? n - 1 : n}` },
				message: {
					text: "a message",
					hold: luck.happens(0.2),
					signals: luck.happens(0.3) ? ["stop"] : [],
					now: luck.happens(0.3),
					skip: luck.between(0, 1),
					add: luck.happens(0.3) ? { max_iterations: 2 } : {},
				},
			};
	}
}

/** What a person does who wants the run to go on, by what it says; null if there is nothing to do. */
export function helpfulPerson(state: RunState, at: number, n: number): Input[] {
	const by = SOMEBODY;
	switch (state.status) {
		case "waiting":
			return waitingSteps(state).map(({ scope, step }) => ({
				...{ type: "decide" as const, at, by, id: `help-${n}-${scope}-${step.id}`, scope, step: step.id },
				...(step.question ? { ask: step.question.version } : {}),
				...(isPointless(state, step) ? { verdict: "reject" as const, reason: "again" } : { verdict: "approve" as const, reason: "fine" }),
			}));
		case "stopped": {
			// Of a count a little: it may be spent on a check that fails again and again, and nobody mends what it checks.
			const more = (name: string, most: number): number => (state.definition.budgets[name]?.unit === "count" ? most + 5 : most * 2 + 100);
			const budgets = Object.fromEntries(
				Object.entries(state.budgets).map(([name, { limit, spent }]) => [name, more(name, Math.max(limit, spent))]),
			);
			return [
				{ type: "extend", at, by, budgets, iterations: 1000, allowUnknownCost: true },
				{ type: "resume", at, by },
			];
		}
		case "paused":
		case "limited":
			return [{ type: "resume", at, by }];
		default:
			return [];
	}
}

/** The question says that the run fails if it is approved. */
const isPointless = (state: RunState, step: Step): boolean =>
	lacksStories(state, grammarOf(state.definition, step, state.definition.types[step.type]?.role ?? ""));
