// Keeps stories of other runs: a story's branch and worktree are named after the story, so two unfinished runs of a repository
// never work on a story of the same name in worktrees. Runs are created one after the other, so that two starts cannot both find it free.
import { setTimeout as sleep } from "node:timers/promises";
import { fold } from "../../core/fold/apply.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { Prepared } from "./prepare.ts";

const WAIT_MS = 30_000;
const RETRY_MS = 20;
/** No run has this id: ids of runs begin with a date. */
const STARTING = "starting";

/** One start at a time in a repository. */
export async function oneStartAtATime<T>(c: RunsContext, store: Store, work: () => Promise<T>): Promise<T> {
	for (const end = c.now() + WAIT_MS; ; await sleep(RETRY_MS)) {
		const lease = await store.lease(STARTING, RUN_SCOPE, WAIT_MS);
		if (lease !== null)
			try {
				return await work();
			} finally {
				await lease.release();
			}
		if (c.now() > end) throw new Refusal("unavailable", "another pawl has been starting a run in this repository for 30 s; try again");
	}
}

/** Before anything is written. */
export async function refuseTakenStories(store: Store, p: Prepared): Promise<void> {
	if (p.definition.inputs[p.mode]?.workspace !== "worktree") return;
	const wanted = new Set(p.stories.filter((story) => !story.passes).map((story) => story.id));
	for (const run of await store.runs()) {
		if (isOver(run.status)) continue;
		const state = fold(await store.events(run.id));
		const both = state === null ? [] : atWork(state).filter((id) => wanted.has(id));
		if (both.length > 0)
			throw new Refusal(
				"refused",
				`run ${run.id} has ${both.join(", ")} at work in a worktree of that name, and it is ${run.status}: let it end (pawl status ${run.id}, pawl resume ${run.id}, pawl cancel ${run.id}), or rename the stor${both.length === 1 ? "y" : "ies"}`,
			);
	}
}

function atWork(state: RunState): string[] {
	if (state.definition.inputs[state.options.mode]?.workspace !== "worktree") return [];
	return state.stories.filter((story) => story.status !== "completed").map((story) => story.id);
}
