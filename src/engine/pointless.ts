// Steps that asked to be tried again later, for as long as a try would end like the one before: these are not started, so that a wait of days
// adds nothing to the journal. Kept in memory: after a restart every such step is tried once more.
import type { RunState } from "../core/model.ts";
import { dueSteps, typeOf } from "../core/query.ts";
import type { EngineParts } from "./parts.ts";

/** Something that an action does not see may have changed: after this time it is tried in any case, later each time. The first time comes soon,
 * because what was in the way may have been there for a moment only. */
const FIRST_MS = 10_000;
const LONGEST_MS = 5 * 60_000;

interface Known {
	readonly standing: string;
	/** When the step was last started because of it. */
	readonly since: number;
	/** How long it is not started again while nothing changes. */
	readonly waitMs: number;
}

export class PointlessTries {
	private readonly parts: Pick<EngineParts, "actions" | "repository" | "clock">;
	private readonly known = new Map<string, Known>();

	constructor(parts: Pick<EngineParts, "actions" | "repository" | "clock">) {
		this.parts = parts;
	}

	/** True if steps are due and starting them would change nothing. */
	async isPointless(state: RunState): Promise<boolean> {
		const { actions, repository, clock } = this.parts;
		const due = dueSteps(state, clock.now());
		let pointless = due.length > 0;
		for (const { scope, step } of due) {
			const action = actions[typeOf(state, step)?.action ?? ""];
			const standing = await action?.standing?.({ state, scope, repository }).catch(() => undefined);
			const key = `${scope} ${step.id}`;
			const known = this.known.get(key);
			const same = known !== undefined && known.standing === standing;
			if (same && clock.now() - known.since < known.waitMs) continue;
			pointless = false;
			const waitMs = same ? Math.min(known.waitMs * 2, LONGEST_MS) : FIRST_MS;
			if (standing !== undefined) this.known.set(key, { standing, since: clock.now(), waitMs });
		}
		return pointless;
	}
}
