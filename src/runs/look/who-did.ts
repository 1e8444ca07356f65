// Which agent and model did each attempt. Journals of earlier versions do not say it: then it is who the run was started with.
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import { findStep } from "../../core/query.ts";
import { specFor, startedWith } from "../../core/started-with.ts";

export interface WhoDid {
	/** null: unknown. */
	readonly agent: string | null;
	readonly model: string | null;
	/** null: the agent's own default. */
	readonly effort: string | null;
	/** The tier that was asked for, whether or not it stands for a model. */
	readonly tier: string | null;
}

export const NOBODY: WhoDid = { agent: null, model: null, effort: null, tier: null };

export const attemptKey = (scope: string, step: string, attempt: number): string => `${scope} ${step} ${attempt}`;

/** By `attemptKey`; without attempts of no role, which pawl does itself. */
export function whoDidWhat(state: RunState, events: readonly Event[]): ReadonlyMap<string, WhoDid> {
	const started = startedWith(state);
	const found = new Map<string, WhoDid>();
	for (const event of events)
		switch (event.event) {
			case "step_started": {
				const spec = specFor(started, findStep(state, event.scope, event.step)?.type ?? "", event.role);
				if (event.role !== "")
					found.set(attemptKey(event.scope, event.step, event.attempt), {
						agent: spec.agent === "" ? null : spec.agent,
						model: spec.model,
						effort: spec.effort ?? null,
						tier: spec.tier ?? null,
					});
				break;
			}
			case "step_prepared":
				// A stand-in has its own model, or its default.
				if (event.agent !== undefined)
					found.set(attemptKey(event.scope, event.step, event.attempt), {
						agent: event.agent,
						model: event.model ?? null,
						effort: event.effort ?? null,
						tier: event.tier ?? null,
					});
				break;
			case "usage_recorded": {
				const key = attemptKey(event.scope, event.step, event.attempt);
				const known = found.get(key);
				if (known !== undefined && event.model !== undefined) found.set(key, { ...known, model: event.model });
				break;
			}
		}
	return found;
}
