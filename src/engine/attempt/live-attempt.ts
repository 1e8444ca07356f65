// A running attempt: everything that its stages share, no matter who runs the session.

import { placeEnv } from "../../agent.ts";
import type { StepType } from "../../core/definition.ts";
import type { Effect } from "../../core/effect.ts";
import type { Outcome } from "../../core/input.ts";
import type { RunState, Step } from "../../core/model.ts";
import { hasStoryTrees, own } from "../../core/query.ts";
import type { Keeper } from "../../format.ts";
import type { Point, Workspace } from "../../workspace.ts";
import type { ChosenAgent, EngineParts } from "../parts.ts";
import type { RemoteWait } from "../remote-away.ts";
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
	/** The state of the run when the attempt was prepared. */
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly type: StepType;
	readonly attempt: number;
	readonly role: string;
	readonly workspace: Workspace;
	/** The state of the workspace when the attempt began. */
	readonly point: Point;
	/** Set in the environment of every process that the attempt starts. */
	readonly mark: string;
	/** What the step's keeper has to know when the attempt ends. Plain data, as another process may end it. */
	readonly memory: unknown;
	readonly signal: AbortSignal;
	/** Who runs the session; absent if that is not this process. */
	readonly agent?: ChosenAgent | undefined;
	/** For a member of a gate: its seat among the others. */
	readonly seat?: Seat | undefined;
}

/** An outcome with nothing in it, to start from. */
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

/** A story that works in the run's own worktree has the run's slot number. */
const slotOf = (state: RunState, slot: number | null): number => (hasStoryTrees(state) ? slot : null) ?? state.options.slots[0] ?? 1;

/** The environment of the session, of its checks and of everything else that the attempt starts. */
export function environmentOf(
	a: Pick<LiveAttempt, "parts" | "state" | "scope" | "step" | "type" | "attempt" | "role">,
): Record<string, string> {
	const story = a.state.stories.find((s) => s.id === a.scope);
	return {
		...a.parts.env,
		PAWL_RUN_ID: a.state.id,
		PAWL_STORY_ID: story?.id ?? "",
		// A copy of a step that was interrupted keeps the name of that step, as agents and files know it by that name.
		PAWL_STEP_ID: a.state.definition.ids === "named" ? a.type.name : a.step.id,
		PAWL_STEP_TYPE: a.type.name,
		PAWL_ROLE: a.role,
		PAWL_ATTEMPT: String(a.attempt),
		...a.parts.sessionEnv?.(a.state),
		...placeEnv(a.parts.sharedDir, slotOf(a.state, story?.slot ?? null)),
	};
}

/** A person who looks at the run sees why an attempt does not go on. */
export const waitOf = ({ parts: { clock }, run }: Tools, { scope, step, attempt }: AttemptId, signal: AbortSignal): RemoteWait => ({
	clock,
	signal,
	onWait: (text) => run.feed({ type: "remark", at: clock.now(), scope, step, attempt, text }),
});
