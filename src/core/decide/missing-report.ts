// A session did its work and its report cannot be read. Where its agent can continue the session, the next attempt asks in it for the report
// alone, once: the work stays, no route is taken and no cap is used. Otherwise, and if that report cannot be read either, the route of
// `unreadable` decides.
import type { Outcome } from "../input.ts";
import type { Attempt, ReportAsked, Step } from "../model.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";

/** null: it is not asked for. */
export function reportToAsk({ role, number, asks }: Attempt, { signal, resumable, error, edits, changed }: Outcome): ReportAsked | null {
	if (signal !== "unreadable" || resumable === undefined || asks !== undefined) return null;
	const missing = `${error ?? "the report cannot be read"}${edits === null ? "" : "; the edits that it asked for were set aside, so it has to write them again"}`;
	return { role, attempt: number, ...resumable, missing, ...(changed ? { changed } : {}) };
}

/** The step is open again, and nothing of it was put back. */
export const askForReport = (d: Decision, { scope, step }: EndedAttempt, asks: ReportAsked): void =>
	d.emit({ event: "report_asked", scope, step: step.id, ...asks });

/** The change that a report is about was made by the attempt before. */
export const withEarlierChange = ({ asks }: Attempt, outcome: Outcome): Outcome =>
	asks?.changed ? { ...outcome, changed: true } : outcome;

/** What is put back after an attempt that only asked for a report is the work of the attempt before. */
export function sinceOf({ running }: Step, attempt: number): { readonly since?: number } {
	const asks = running.find(({ number }) => number === attempt)?.asks;
	return asks === undefined ? {} : { since: asks.attempt };
}
