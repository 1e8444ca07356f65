// pawl history RUN: the journal, a line an event.
import { Command } from "commander";
import type { Event } from "../../core/event.ts";
import { journalOf, shownEvent } from "../../runs/look/journal.ts";
import type { Context } from "../context.ts";
import { eventPlace, eventText } from "../text/event-text.ts";
import { fitted } from "../text/fit.ts";
import { clock } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl history")
		.description("show everything that happened in a run, a line an event")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the events as JSON lines")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const events = await journalOf(c, name);
			if (flags.json) for (const event of events) c.out(`${JSON.stringify(shownEvent(event))}\n`);
			else
				c.out(
					`${fitted(
						events.map((event, i) => [day(event, events[i - 1]), clock(event.at), eventPlace(event), eventText(event)]),
						c.width,
						"",
					)}\n`,
				);
		});
}

/** The date, where it differs from that of the event before. */
function day(event: Event, before: Event | undefined): string {
	const date = new Date(event.at).toLocaleDateString("sv");
	return before !== undefined && new Date(before.at).toLocaleDateString("sv") === date ? "" : date;
}
