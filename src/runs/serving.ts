// Whether anybody works on a run that machines share, or would.
import { whyUnserved } from "../core/assign/labels.ts";
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { Store } from "../store.ts";
import { isShared } from "./shared-files.ts";

/** Why no worker works on a run that should go on, and what to do; null if one does or may, or if no workers are needed. */
export async function unserved(store: Store, { id, status, options }: Pick<RunState, "id" | "status" | "options">): Promise<string | null> {
	if (!isShared(store) || status !== "running" || (await store.holder(id)) !== null) return null;
	return whyUnserved(startedWith({ options }).requires, await store.workers.list());
}
