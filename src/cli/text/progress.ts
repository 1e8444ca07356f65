// Progress of a run, from its events: lines for people on stderr, or the journal as JSON lines on stdout.
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import { shownEvent } from "../../runs/look/journal.ts";
import type { Context } from "../context.ts";
import { type LineLook, LineTeller } from "./event-lines.ts";
import { paint, wantsColor } from "./text.ts";

export type Reporter = (events: readonly Event[], state: RunState) => void;

/** One object per journal event on stdout, and the structured log (D-148) on stderr. */
export function jsonReporter(c: Context): Reporter {
	return (events, state) => {
		for (const event of events) {
			c.out(`${JSON.stringify(shownEvent(event))}\n`);
			const scope = "scope" in event ? event.scope : null;
			const story = state.stories.find((s) => s.id === scope);
			c.err(
				`${JSON.stringify({ ts: new Date(event.at).toISOString(), agent_id: story?.slot ?? null, story_id: story?.id ?? null, step_id: "step" in event ? event.step : null, event: event.event })}\n`,
			);
		}
	};
}

export function lineReporter(c: Context): Reporter {
	const look: LineLook = { color: paint(wantsColor(c.env, c.errIsTty)), columns: c.errIsTty ? c.width : null };
	const teller = new LineTeller();
	return (events, state) => {
		for (const event of events) for (const line of teller.linesFor(event, state, look)) c.err(`${line}\n`);
	};
}
