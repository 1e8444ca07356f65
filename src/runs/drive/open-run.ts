// Opens a run for whoever is about to drive it: with the run's lease, in the right tree, and with what a person changed in its files.
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import { adopt } from "../../engine/adopt.ts";
import { type Opened, Run } from "../../engine/run.ts";
import type { Lease, Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { hold, holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import { runStorage } from "../run-storage.ts";
import { takeAgain } from "../taken.ts";
import type { DriveSetup } from "./parts.ts";

export interface RunToOpen extends DriveSetup {
	readonly store: Store;
	readonly run: string;
}

/** The right to drive the run. */
export async function leaseOf({ store, run }: RunToOpen): Promise<Lease> {
	const lease = await hold(store, run);
	if (lease === null) throw new Refusal("refused", `run ${run} is already being run by another pawl; pawl status ${run} shows it`);
	return lease;
}

/** Needs the run's lease. Adopts a file of the run that somebody changed, if its format allows that. */
export async function openRun(c: RunsContext, d: RunToOpen, lease: Lease): Promise<Opened> {
	const storage = runStorage(c, d.store);
	const opened = await Run.open(storage, d.run, lease);
	if (opened === null) throw new Refusal("not_found", `there is no run ${d.run}`);
	const { state } = opened.run;
	const { exclude, sharedDir } = startedWith(state);
	checkTree(d, state);
	await d.repository.exclude(exclude);
	const changed = await c.services.changedByHand(sharedDir, d.repository.root, opened.events);
	if (changed === null) return opened;
	if ("problem" in changed) throw new Refusal("refused", changed.problem);
	const taken = await takeAgain(c, d.store, state, [{ type: "adopt", at: c.now(), ...changed.adopted }]);
	await adopt(opened.run, c.now(), changed.adopted);
	await taken?.release();
	c.warn(`continuing from ${changed.file}, which ${changed.how ?? "somebody changed"}`);
	return (await Run.open(storage, d.run, lease)) ?? opened;
}

/** A run in the user's tree may roll the tree back, so it runs only on its own branch, and alone. */
export function checkTree(d: Pick<RunToOpen, "run" | "repository">, state: RunState): void {
	if (state.definition.inputs[state.options.mode]?.workspace !== "tree") return;
	const { base } = state.options;
	if (base !== null && d.repository.branch !== base)
		throw new Refusal(
			"refused",
			`run ${d.run} works on the branch ${base}, and ${d.repository.branch ?? "no branch"} is checked out: switch to ${base} first, or go to the worktree that has it`,
		);
	holdTree(d.repository, d.run);
}
