// The journal of a run, as others see it.
import type { Event } from "../../core/event.ts";
import type { RunsContext } from "../context.ts";
import { lookAt } from "../open.ts";

export function journalOf(c: RunsContext, run: string | undefined): Promise<readonly Event[]> {
	return lookAt(c, run, ({ events }) => events);
}

/** For a line of JSON. The frozen definition is long and the same for every run of a workflow: its name and hash say which. */
export function shownEvent(event: Event): object {
	if (event.event !== "run_created") return event;
	const { definition, ...rest } = event;
	return { ...rest, workflow: definition.name, definition_hash: definition.hash };
}
