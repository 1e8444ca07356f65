// Adopts what a file says about a run, before its engine starts. It ends attempts that the journal still has as running and
// drops pending effects: both belong to the state that the file replaces.
import type { Adopted } from "../core/input.ts";
import { runningAttempts } from "../core/query.ts";
import { sweep } from "../process.ts";
import { markOf } from "./attempt/mark.ts";
import type { Run } from "./run.ts";

/** The caller holds the run's lease. */
export async function adopt(run: Run, at: number, adopted: Adopted): Promise<void> {
	await Promise.all(
		runningAttempts(run.state).map((r) => sweep(markOf(run.id, { scope: r.scope, step: r.step.id, attempt: r.attempt.number }))),
	);
	const pending = await run.store.pending(run.id);
	await run.feed({ type: "adopt", at, ...adopted }, { done: pending.map((effect) => effect.seq) });
}
