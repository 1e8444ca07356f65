// Who drives a run, and who works in the user's tree: at most one at a time.
import { RUN_SCOPE, type RunStatus } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { Lease, Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { Refusal } from "./refusal.ts";
import { unserved } from "./serving.ts";
import { isShared } from "./shared-files.ts";

/** How long a lease lasts without a sign of life, if the store cannot see that its holder died. */
const LEASE_MS = 180_000;

/** The right to drive a run, until it is released or the process ends; null while another process has it. */
export async function hold(store: Store, run: string): Promise<Lease | null> {
	return store.lease(run, RUN_SCOPE, LEASE_MS);
}

/** Whether some process drives the run now. Needs a writable store. */
export async function isLive(store: Store, run: string): Promise<boolean> {
	const lock = await hold(store, run);
	await lock?.release();
	return lock === null;
}

/** Whether anything moves the run on; also true of a run whose agents fetch their steps, or that a worker will take up. For display only: it may change at any moment. */
export async function isDriven(store: Store, run: string, status: RunStatus): Promise<boolean> {
	if (status !== "running") return false;
	if ((await store.holder(run)) !== null) return true;
	const [first] = await store.events(run, 0, 1);
	if (first?.event !== "run_created") return false;
	if (isShared(store)) return (await unserved(store, { id: run, status, options: first.options })) === null;
	return startedWith(first).pull;
}

/** Two runs in one tree would each take the other's changes for its own. */
export function holdTree(repository: Repository, run?: string): void {
	if (!repository.holdTree(run))
		throw new Refusal("refused", "another run works in this tree at the moment; wait for it, or use another worktree");
}
