// The rows of the tables beside the journal, for whoever commits.
import type { RunState } from "../core/model.ts";
import { changedRows } from "../format/pipeline/rows.ts";
import type { Row, Rows } from "../store.ts";

export function rows(before: RunState | null, after: RunState): Rows | null {
	const changed = changedRows(before, after);
	if (changed === null) return null;
	return {
		steps: changed.steps.map((row): Row => ({ ...row })),
		stories: changed.stories.map((row): Row => ({ ...row })),
		gone: changed.gone,
	};
}
