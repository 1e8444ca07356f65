// pawl history RUN: the journal, one line per event.
import { Command } from "commander";
import type { Event } from "../../core/event.ts";
import { journalOf, numbered } from "../../runs/look/journal.ts";
import type { Context } from "../context.ts";
import { columnsOf, fold, padTo } from "../text/columns.ts";
import { eventSubject, eventText } from "../text/event-text.ts";
import { clock, flat } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl history")
		.description("show everything that happened in a run, one line per event")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the events as JSON lines")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const events = await journalOf(c, name);
			if (flags.json) for (const event of numbered(events)) c.out(`${JSON.stringify(event)}\n`);
			else c.out(`${historyText(events, c.outIsTty ? c.width : null)}\n`);
		});
}

/** One line per event; wrapped on a terminal, because reasons must not be cut. */
function historyText(events: readonly Event[], width: number | null): string {
	const rows = events.map((event, i) => [day(event, events[i - 1]), clock(event.at), eventSubject(event)].map((text) => flat(text)));
	const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => columnsOf(row[column] ?? ""))));
	return rows
		.flatMap((row, i) => {
			const event = events[i];
			const head = row.map((text, column) => padTo(text, widths[column] ?? 0)).join("  ");
			const line = `${head}  ${event === undefined ? "" : flat(eventText(event))}`;
			return width === null ? [line] : fold(line, width, Math.min(columnsOf(head) + 2, width >> 2));
		})
		.join("\n");
}

/** The date, if it differs from that of the event before. */
function day(event: Event, before: Event | undefined): string {
	const date = new Date(event.at).toLocaleDateString("sv");
	return before !== undefined && new Date(before.at).toLocaleDateString("sv") === date ? "" : date;
}
