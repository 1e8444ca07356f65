// docs/reference/events.md: every event of the journal, from its published schema.
import { jsonSchemaOf } from "../../src/schemas/all.ts";
import { keyTable, type Schema } from "./schema.ts";
import { cell, code, MADE, page, table } from "./table.ts";

/** In every event, and explained once. */
const COMMON = new Set(["event", "at", "version"]);

export function eventsPage(): string {
	const whole = jsonSchemaOf("event") as Schema;
	const events = whole.oneOf ?? [];
	const nameOf = (one: Schema): string => String(one.properties?.["event"]?.const);
	return page(
		"# Events of the journal",
		`${MADE} The journal of a run is the truth about it; \`pawl history RUN --json\` and \`GET runs/RUN/events\` print it, one event on a line. New
versions of pawl add events and optional keys, and never change what an old one means. The schema: \`pawl schema event\`.`,
		`Every event has \`event\` (its name), \`at\` (milliseconds since 1970, UTC) and \`version\` (its number in the journal, from 1). \`scope\` is the id of a
story, or \`@run\` for the run's own steps.`,
		"## All events",
		table(
			["event", "what happened"],
			events.map((one) => [`[${code(nameOf(one))}](#${nameOf(one)})`, cell(one.description ?? "")]),
		),
		...events.flatMap((one) => [`## \`${nameOf(one)}\``, `${sentence(one.description ?? "")}.`, ownKeys(one, whole)]),
	);
}

const sentence = (text: string): string => cell(text.charAt(0).toUpperCase() + text.slice(1));

function ownKeys({ properties = {}, required = [] }: Schema, whole: Schema): string {
	const own = Object.entries(properties).filter(([key]) => !COMMON.has(key));
	return keyTable({ properties: Object.fromEntries(own), required }, whole, true);
}
