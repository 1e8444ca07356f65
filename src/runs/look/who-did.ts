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

/** Reads a journal event by event. By `attemptKey`; without attempts of no role, which pawl does itself. */
export class WhoReader {
	readonly found = new Map<string, WhoDid>();
	/** Of a run that never changes what it was started with. */
	private started: ReturnType<typeof startedWith> | null = null;

	/** The state is the one after the event, or after its commit. */
	read(event: Event, state: RunState): void {
		switch (event.event) {
			case "step_started": {
				if (event.role === "") return;
				this.started ??= startedWith(state);
				const spec = specFor(this.started, findStep(state, event.scope, event.step)?.type ?? "", event.role);
				this.found.set(attemptKey(event.scope, event.step, event.attempt), {
					agent: spec.agent === "" ? null : spec.agent,
					model: spec.model,
					effort: spec.effort ?? null,
					tier: spec.tier ?? null,
				});
				return;
			}
			case "step_prepared":
				// A stand-in has its own model, or its default.
				if (event.agent !== undefined)
					this.found.set(attemptKey(event.scope, event.step, event.attempt), {
						agent: event.agent,
						model: event.model ?? null,
						effort: event.effort ?? null,
						tier: event.tier ?? null,
					});
				return;
			case "usage_recorded": {
				const key = attemptKey(event.scope, event.step, event.attempt);
				const known = this.found.get(key);
				if (known !== undefined && event.model !== undefined) this.found.set(key, { ...known, model: event.model });
			}
		}
	}
}

export function whoDidWhat(state: RunState, events: readonly Event[]): ReadonlyMap<string, WhoDid> {
	const reader = new WhoReader();
	for (const event of events) reader.read(event, state);
	return reader.found;
}
