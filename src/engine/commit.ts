// What an input led to, into the store: events, effects, notes, tables and the line of `pawl runs`, in one transaction, if the run is
// still where it was when this was decided.
import type { Input } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import type { transition } from "../core/transition.ts";
import type { Claim, PendingEffect } from "../store.ts";
import type { EngineParts } from "./parts.ts";

export interface Notes {
	/** Effects that are done. */
	readonly done: readonly number[];
	/** Inputs of the inbox that were taken. */
	readonly taken: readonly number[];
	readonly claims?: readonly Claim[];
}

/** The effects that are now to be carried out. */
export function commit(
	parts: EngineParts,
	before: RunState,
	at: Input["at"],
	next: ReturnType<typeof transition> & { readonly state: RunState },
	{ done, taken, claims = [] }: Notes,
): readonly PendingEffect[] {
	const { id, definition, title, status, createdAt } = next.state;
	const rows = parts.rows?.(before, next.state) ?? null;
	const result = parts.store.commit({
		run: parts.run,
		expectedVersion: before.version,
		events: next.events,
		effects: next.effects,
		done,
		taken,
		claims,
		summary: { id, workflow: definition.name, title, status, createdAt, updatedAt: at },
		...(rows === null ? {} : { rows }),
	});
	if (!result.ok) throw new Error(`another process changed run ${parts.run} (version ${result.version}, expected ${before.version})`);
	return result.effects;
}
