// The status of a run: the run, its stories and its steps, who drives it, and which inputs still wait in its inbox.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { claimHandle, isOver, runningAttempts } from "../../core/query.ts";
import { recordedByHeading } from "../../core/recorded.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { putAside } from "../run-files.ts";
import { unserved } from "../serving.ts";
import { type Delivery, deliveryOf, keptRefs, putBackIn } from "./delivery.ts";
import { iso } from "./json-values.ts";
import { type Advice, adviceFor } from "./next.ts";
import { type MergingView, mergingView } from "./now.ts";
import { type RunView, runView } from "./run-view.ts";

export interface UnclaimedStep {
	readonly story: string | null;
	readonly step: string;
	readonly agent: string;
}

export type StatusView = RunView & {
	readonly driven: boolean;
	/** The process that drives it now; null: none does. */
	readonly driver: { readonly who: string; readonly since: string | null } | null;
	/** Why no worker works on it, where machines share it, and what to do; null: one does or will, or none is needed. */
	readonly unserved: string | null;
	/** When something of it last gave a sign of life: its driver, its journal, or the output of a running session. */
	readonly last_sign_at: string | null;
	/** What the work went on in spite of, and what a new plan left out: texts by heading. */
	readonly not_settled: Readonly<Record<string, readonly string[]>>;
	/** What a run that is over has delivered; null before that. */
	readonly delivery: Delivery | null;
	/** Files that were put aside as no part of the work, below `files`. */
	readonly put_aside: readonly string[];
	/** Where branches, tags and stashes of sessions are kept that were taken away again; null: nowhere. */
	readonly kept_refs: string | null;
	/** What sessions changed that they may not, and that was put back. */
	readonly put_back: readonly string[];
	/** The types of the inputs that wait in the run's inbox. */
	readonly recorded: readonly string[];
	/** Steps that wait for their agent to claim them. */
	readonly unclaimed: readonly UnclaimedStep[];
	/** Stories on their way to base, in the order of their turns. */
	readonly merging: readonly MergingView[];
	/** What a person can do now. */
	readonly advice: readonly Advice[];
};

/** `story`: the only one that is shown. */
export function statusOf(c: RunsContext, run: string | undefined, story?: string): Promise<StatusView> {
	return lookAt(c, run, async (open) => {
		const view = await statusIn(open, c.now());
		const stories = story === undefined ? view.stories : view.stories.filter(({ id }) => id === story);
		if (story === undefined || stories.length > 0) return { ...view, stories };
		const known = view.stories.map(({ id }) => id).join(", ") || "none";
		throw new Refusal("not_found", `run ${view.run} has no story ${story}; there are ${known}`);
	});
}

export async function statusIn({ state, events, store, repository }: OpenRun, at: number): Promise<StatusView> {
	const recorded = (await store.inbox(state.id)).map(({ input }) => input.type);
	const why = await unserved(store, state);
	const driven = await isDriven(store, state.id, state.status);
	const unclaimed = await unclaimedSteps(store, state);
	const holder = await store.holder(state.id);
	return {
		...runView(state, events, at),
		driven,
		driver: holder === null ? null : { who: holder.who, since: iso(holder.since) },
		unserved: why,
		last_sign_at: iso(lastSign(state, events, await store.seenAt(state.id))),
		not_settled: Object.fromEntries(recordedByHeading(state)),
		// Asked for again at every change, so git is not asked while there are changes.
		delivery: isOver(state.status) ? await deliveryOf(repository, events, state) : null,
		put_aside: putAside(startedWith(state).sharedDir),
		kept_refs: keptRefs(events),
		put_back: putBackIn(events),
		recorded,
		unclaimed,
		merging: mergingView(state),
		advice: await adviceIn(store, state, driven || why !== null),
	};
}

export async function adviceIn(store: Store, state: RunState, driven: boolean): Promise<Advice[]> {
	return adviceFor(state, driven, isOver(state.status) && (await store.pending(state.id)).length > 0);
}

function lastSign(state: RunState, events: readonly Event[], seenAt: number | null): number {
	const { sharedDir } = startedWith(state);
	const outputs = runningAttempts(state).flatMap(({ step }) => {
		const time = step.log === null ? undefined : statSync(join(sharedDir, step.log), { throwIfNoEntry: false })?.mtimeMs;
		return time === undefined ? [] : [time];
	});
	return Math.max(events.at(-1)?.at ?? state.createdAt, isOver(state.status) ? 0 : (seenAt ?? 0), ...outputs);
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
