// The status of a run: the run, its stories and its steps, who drives it, and which inputs still wait in its inbox.

import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { claimHandle, isOver, runningAttempts } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { type Advice, adviceFor } from "./next.ts";
import { type RunView, runView } from "./run-view.ts";

export interface UnclaimedStep {
	readonly story: string | null;
	readonly step: string;
	readonly agent: string;
}

export type StatusView = RunView & {
	readonly driven: boolean;
	/** The types of the inputs that wait in the run's inbox. */
	readonly recorded: readonly string[];
	/** Steps that wait for their agent to claim them. */
	readonly unclaimed: readonly UnclaimedStep[];
	/** What a person can do now. */
	readonly advice: readonly Advice[];
};

export function statusOf(c: RunsContext, run: string | undefined): Promise<StatusView> {
	return lookAt(c, run, (open) => statusIn(open, c.now()));
}

export async function statusIn({ state, events, store }: OpenRun, at: number): Promise<StatusView> {
	const recorded = (await store.inbox(state.id)).map(({ input }) => input.type);
	const driven = await isDriven(store, state.id, state.status);
	const unclaimed = await unclaimedSteps(store, state);
	return { ...runView(state, events, at), driven, recorded, unclaimed, advice: adviceFor(state, driven) };
}

/** Steps of a run whose agents come by themselves, and nobody came yet. */
async function unclaimedSteps(store: Store, state: RunState): Promise<UnclaimedStep[]> {
	if (!startedWith(state).pull || isOver(state.status)) return [];
	const held = new Set((await store.claims(state.id)).map(({ handle }) => handle));
	return runningAttempts(state).flatMap(({ scope, step, attempt }) => {
		const agent = attempt.role;
		const free = agent !== "" && !held.has(claimHandle(state.id, scope, step.id, attempt.number));
		return free ? [{ story: scope === RUN_SCOPE ? null : scope, step: step.id, agent }] : [];
	});
}
