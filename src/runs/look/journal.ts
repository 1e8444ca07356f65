// The journal of a run, as others see it.
import type { Event, EventOf } from "../../core/event.ts";
import type { RunsContext } from "../context.ts";
import { lookAt } from "../open.ts";

export function journalOf(c: RunsContext, run: string | undefined): Promise<readonly Event[]> {
	return lookAt(c, run, ({ events }) => events);
}

type Created = Omit<EventOf<"run_created">, "definition"> & { readonly workflow: string; readonly definition_hash: string };
export type ShownEvent = Exclude<Event, EventOf<"run_created">> | Created;
/** With its number in the journal, from 1. */
export type NumberedEvent = ShownEvent extends infer E ? (E extends ShownEvent ? E & { readonly version: number } : never) : never;

/** For a line of JSON. The frozen definition is long and the same for every run of a workflow: its name and hash say which. */
export function shownEvent(event: Event): ShownEvent {
	if (event.event !== "run_created") return event;
	const { definition, ...rest } = event;
	return { ...rest, workflow: definition.name, definition_hash: definition.hash };
}

/** `after`: how many events come before these. */
export const numbered = (events: readonly Event[], after = 0): NumberedEvent[] =>
	events.map((event, i) => ({ ...shownEvent(event), version: after + i + 1 }));
