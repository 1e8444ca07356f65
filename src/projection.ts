// The projection contract: a file in some document's format that follows the journal. It may lag, it is never ahead and
// never torn; losing it loses nothing, as it can be made again from the journal.
import type { Event } from "./core/event.ts";
import type { RunState } from "./core/model.ts";

export interface Projection {
	/** Takes an event that was committed, with the state after it. */
	apply(event: Event, state: RunState): void;
	/** There is something to write. */
	readonly dirty: boolean;
	write(): Promise<void>;
}
