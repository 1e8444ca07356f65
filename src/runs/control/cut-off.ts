// A run that was killed and whose workflow cannot continue leaves its checkout to a person. What its sessions started ends, and the locks of a git
// that died with them go: the commands that the person is advised would fail because of them.
import type { RunState } from "../../core/model.ts";
import { runningAttempts, workspaceOf } from "../../core/query.ts";
import { markOf } from "../../engine/attempt/mark.ts";
import { sweep } from "../../process.ts";
import type { Store } from "../../store.ts";
import type { Repository } from "../../workspace.ts";
import { isLive } from "../hold.ts";

export async function leaveToPerson(repository: Repository, store: Store, state: RunState): Promise<void> {
	if (state.status !== "running" || workspaceOf(state) !== "tree" || repository.branch !== state.options.base) return;
	if (await isLive(store, state.id)) return;
	for (const { scope, step, attempt } of runningAttempts(state))
		await sweep(markOf(state.id, { scope, step: step.id, attempt: attempt.number }));
	repository.tree().clearLocks?.();
}
