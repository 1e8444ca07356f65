// Files of the user's checkout that runs of this repository write: the `passes` of a PRD, a state file. Such a change is not
// uncommitted work of the user, whichever run made it.
import type { RunState } from "../../core/model.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { inputOf, openReader } from "../open.ts";

/** What an older run wrote has been committed or put back long since. */
const MOST_RUNS = 200;

/** Looks again each time, because other runs may start meanwhile. What a run was started with never changes, so it looks at each run once. */
export function writtenByRuns(c: RunsContext, store: Store): (state?: RunState) => Promise<readonly string[]> {
	const known = new Map<string, readonly string[]>();
	return async (state) => {
		if (state !== undefined) known.set(state.id, c.services.userFiles(state));
		for (const run of await store.runs({ limit: MOST_RUNS })) {
			if (known.has(run.id)) continue;
			const input = await inputOf(store, run);
			known.set(run.id, input === null ? [] : c.services.userFiles({ input }));
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
