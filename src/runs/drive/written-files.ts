// Files of the user's checkout that runs of this repository write: the `passes` of a PRD, a state file. Such a change is not
// uncommitted work of the user, whichever run made it.
import type { RunState } from "../../core/model.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { openReader } from "../open.ts";

/** Looks again each time, because other runs may start meanwhile. What a run was started with never changes, so it reads each journal once. */
export function writtenByRuns(c: RunsContext, store: Store): (state?: RunState) => Promise<readonly string[]> {
	const known = new Map<string, readonly string[]>();
	return async (state) => {
		if (state !== undefined) known.set(state.id, c.services.userFiles(state));
		for (const { id } of await store.runs()) {
			if (known.has(id)) continue;
			const [first] = await store.events(id);
			known.set(id, first?.event === "run_created" ? c.services.userFiles(first) : []);
		}
		return [...new Set([...known.values()].flat())];
	};
}

/** For a repository that may not have had a run yet. */
export async function writtenFiles(c: RunsContext, root: string): Promise<readonly string[]> {
	const store = await openReader(c, root);
	try {
		return store === null ? [] : await writtenByRuns(c, store)();
	} finally {
		await store?.close();
	}
}
