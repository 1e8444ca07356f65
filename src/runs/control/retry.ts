// A person's decision to try again: failed stories continue from the step that failed; a step that was escalated to a person runs again.
import { randomUUID } from "node:crypto";
import type { RunState } from "../../core/model.ts";
import { failedStep, waitingSteps } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import { decisionOn } from "../change/decide.ts";
import { type Delivered, deliverAll, type PersonInput, refuseUncounted } from "../change/deliver.ts";
import { inputsOfList } from "../change/story-changes.ts";
import type { RunsContext } from "../context.ts";
import { drive } from "../drive/drive.ts";
import { type EndedRun, endedRun } from "../drive/ended.ts";
import type { RunObserver } from "../drive/observer.ts";
import { isLive } from "../hold.ts";
import { current, findRun } from "../open.ts";
import { personFor } from "../person.ts";
import { isPulled, withRuns } from "../pull/open-pulled.ts";
import { recoveryText } from "../recovery.ts";
import { Refusal } from "../refusal.ts";

export type Retried =
	/** Another process drives the run and continues it. */
	{ readonly how: "delivered"; readonly delivered: Delivered } | { readonly how: "driven"; readonly ended: EndedRun | null };

export interface WhatToRetry {
	readonly run: string | undefined;
	/** Only this story. */
	readonly story: string | undefined;
	/** Only the step that asks this question: the version of its event. */
	readonly ask?: number | undefined;
}

/** Records the decision and drives nothing: for a front end that lets another process continue the run. */
export function recordRetry(c: RunsContext, what: WhatToRetry): Promise<Delivered> {
	return withRuns(c, async ({ store, repository }) => {
		const state = await current(store, (await findRun(c, repository, store, what.run, "worktree")).id);
		return record(c, store, state, { ...retryOf(state, what, c.now()), by: personFor(c, state) });
	});
}

async function record(c: RunsContext, store: Store, state: RunState, input: PersonInput): Promise<Delivered> {
	// Agents may claim the step at once, so what has changed in its list is taken up first.
	const list = isPulled(state) ? await inputsOfList(c, state) : [];
	const delivered = await deliverAll(c, store, state, [...list, input]);
	await refuseUncounted(store, state.id, input);
	return delivered;
}

export function retry(c: RunsContext, { run: name, story }: WhatToRetry, observer: RunObserver): Promise<Retried> {
	return withRuns(c, async (runs): Promise<Retried> => {
		const { store, repository } = runs;
		const { id: run } = await findRun(c, repository, store, name, "worktree");
		const state = await current(store, run);
		const by = personFor(c, state);
		const input = { ...retryOf(state, { story }, c.now()), by };
		if ((await isLive(store, run)) || isPulled(state)) return { how: "delivered", delivered: await record(c, store, state, input) };
		const first = [...(await inputsOfList(c, state)), input, { type: "advance", at: c.now() } as const];
		return { how: "driven", ended: await endedRun(repository, store, await drive(c, { ...runs, run, first }, observer)) };
	});
}

function retryOf(state: RunState, { story: id, ask }: Pick<WhatToRetry, "story" | "ask">, at: number): PersonInput {
	if (state.definition.resume === "never")
		throw new Refusal(
			"refused",
			`a run of the workflow ${state.definition.name} cannot continue: ${recoveryText(state) ?? "start it again"}`,
		);
	const stories = state.stories.filter((s) => id === undefined || s.id === id);
	if (id !== undefined && stories.length === 0)
		throw new Refusal("not_found", `run ${state.id} has no story ${id}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`);
	if (ask === undefined && stories.some((s) => s.status === "failed"))
		return { type: "retry_story", at, id: randomUUID(), story: id ?? null };
	const [waiting] = waitingSteps(state).filter(
		({ scope, step }) =>
			(id === undefined || scope === id) &&
			(ask === undefined || step.question?.version === ask) &&
			state.definition.types[step.type]?.kind !== "approval",
	);
	if (waiting) return decisionOn(waiting, at, "retry", "");
	if (ask !== undefined) throw new Refusal("conflict", `that question of run ${state.id} is not asked any more`);
	if (id !== undefined)
		throw new Refusal(
			"refused",
			`${id} is ${stories[0]?.status ?? "unknown"}${stories[0]?.error ? ` (${stories[0].error})` : ""}; only a failed story can be retried`,
		);
	if (state.status === "failed" && (failedStep(state) !== undefined || (state.lost ?? []).length > 0))
		return { type: "retry_story", at, id: randomUUID(), story: null };
	throw new Refusal("refused", `no story of run ${state.id} has failed; the run is ${state.status}`);
}
