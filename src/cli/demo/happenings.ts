// What happened on the way of a demo, read from the journal.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { editOperation } from "../text/event-lines.ts";
import type { Happening } from "./description.ts";

/** Restarts, edits, failed checks and conflicts, with what repaired them. */
export function editsAndRepairs(events: readonly Event[]): Happening[] {
	return events.flatMap((event): Happening[] => {
		switch (event.event) {
			case "workflow_edited": {
				const { operation, reason } = event.details;
				if (operation === "restart") return [{ kind: "restart", story: event.scope, text: `${event.step}: ${reason}` }];
				return [{ kind: "edit", story: event.scope, text: `${event.step} ${editOperation(event.details)}: ${reason}` }];
			}
			case "checks_recorded":
				return event.checks
					.filter((check) => check.exitCode !== 0)
					.map((check) => ({
						kind: "failed check",
						story: event.scope,
						text: `${check.name} after ${event.step}, ${repair(events, event)}`,
					}));
			case "route_taken":
				if (event.signal !== "conflict") return [];
				return [{ kind: "conflict", story: event.scope, text: repair(events, event) }];
			default:
				return [];
		}
	});
}

/** The steps that the workflow inserted because of it. */
function repair(events: readonly Event[], cause: Event & { readonly scope: string }): string {
	const inserted = events.find((e) => e.event === "steps_inserted" && e.scope === cause.scope && e.at >= cause.at);
	if (inserted?.event !== "steps_inserted") return "not repaired";
	const steps = inserted.steps.map((s) => s.type).join(", ");
	return `${cause.event === "route_taken" ? `${inserted.reason.replace(/^conflict /, "")}, ` : ""}repaired by ${steps}`;
}

/** In the order in which they happened: the signals in `words`, each under the word that the demo has for it, and what a person approved. */
export const signals =
	(words: Readonly<Record<string, string>>) =>
	(events: readonly Event[]): Happening[] =>
		events.flatMap((event, index): Happening[] => {
			if (event.event === "decided") return [{ kind: event.verdict === "answer" ? "answer" : "approval", story: "", text: event.reason }];
			if (event.event !== "route_taken" || !Object.hasOwn(words, event.signal)) return [];
			const { scope, step, signal } = event;
			const text = inOneLine(event.reason ?? notesOf(events.slice(index), scope, step));
			const type = typeOf(events.slice(0, index), scope, step);
			return [{ kind: words[signal] ?? signal, story: scope === RUN_SCOPE ? "" : scope, text: `${type}: ${text}` }];
		});

/** Read from the journal: in the final state, a step of a story that was replaced is gone. */
const typeOf = (events: readonly Event[], scope: string, step: string): string =>
	events
		.flatMap((e) => ((e.event === "steps_planned" || e.event === "steps_inserted") && e.scope === scope ? e.steps : []))
		.findLast(({ id }) => id === step)?.type ?? step;

/** What the step reported that has just ended. */
const notesOf = (events: readonly Event[], scope: string, step: string): string =>
	events.flatMap((e) => (e.event === "step_completed" && e.scope === scope && e.step === step ? [e.notes ?? e.signal] : []))[0] ?? "";

/** A list becomes one sentence. */
const inOneLine = (text: string): string =>
	text
		.split("\n")
		.map((line) => line.replace(/^\s*[-*] +/, ""))
		.filter((line) => line.trim() !== "")
		.join("; ")
		.replaceAll(":; ", ": ");
