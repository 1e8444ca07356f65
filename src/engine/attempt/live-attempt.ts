// An attempt that is under way: everything that its parts need to know about it, whoever runs its session.

import { placeEnv } from "../../agent.ts";
import type { StepType } from "../../core/definition.ts";
import type { Effect } from "../../core/effect.ts";
import type { Outcome } from "../../core/input.ts";
import type { RunState, Step } from "../../core/model.ts";
import { hasStoryTrees, own } from "../../core/query.ts";
import type { Keeper } from "../../format.ts";
import type { Point, Workspace } from "../../workspace.ts";
import type { EngineParts } from "../parts.ts";
import type { Tools } from "../tools.ts";
import type { Seat } from "./round.ts";

export type StartAttempt = Extract<Effect, { effect: "start_attempt" }>;

/** Which attempt is meant; its numbers are all that another process needs to find it. */
export interface AttemptId {
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
}

export interface LiveAttempt {
	readonly parts: EngineParts;
	readonly tools: Tools;
	/** The run when the attempt was prepared. */
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly type: StepType;
	readonly attempt: number;
	readonly role: string;
	readonly workspace: Workspace;
	/** How the workspace was when the attempt began. */
	readonly point: Point;
	/** In the environment of everything that the attempt starts. */
	readonly mark: string;
	/** What the keeper of the step wants to know again when the attempt ends. Plain data: the end may come in another process. */
	readonly memory: unknown;
	readonly signal: AbortSignal;
	/** A member of a gate: its place among the others. */
	readonly seat?: Seat | undefined;
}

/** What an outcome is where there is nothing to say. */
export const NOTHING: Omit<Outcome, "signal"> = {
	error: null,
	notes: null,
	fields: {},
	findings: [],
	stories: null,
	usage: { costUsd: null, inputTokens: null, outputTokens: null },
	edits: null,
	checks: [],
	changed: false,
	retryAt: null,
};

export const STEP_IS_GONE: Outcome = { ...NOTHING, signal: "agent_error", error: "the step is gone" };

export const keeperOf = (a: Pick<LiveAttempt, "parts" | "type">): Keeper | undefined => own(a.parts.keepers ?? {}, a.type.keeper ?? "");

/** A story that works in the run's own place has the run's number. */
const slotOf = (state: RunState, slot: number | null): number => (hasStoryTrees(state) ? slot : null) ?? state.options.slots[0] ?? 1;

/** The environment of the session, of its checks and of whatever else belongs to the attempt. */
export function environmentOf(
	a: Pick<LiveAttempt, "parts" | "state" | "scope" | "step" | "type" | "attempt" | "role">,
): Record<string, string> {
	const story = a.state.stories.find((s) => s.id === a.scope);
	return {
		...a.parts.env,
		PAWL_RUN_ID: a.state.id,
		PAWL_STORY_ID: story?.id ?? "",
		// A copy of a step that was cut off is still that step to whoever knows it by its name.
		PAWL_STEP_ID: a.state.definition.ids === "named" ? a.type.name : a.step.id,
		PAWL_STEP_TYPE: a.type.name,
		PAWL_ROLE: a.role,
		PAWL_ATTEMPT: String(a.attempt),
		...a.parts.sessionEnv?.(a.state),
		...placeEnv(a.parts.sharedDir, slotOf(a.state, story?.slot ?? null)),
	};
}
