// A session did its work and its report cannot be read, lacks something that was asked for, or its edits are rejected. Where its agent can continue the session, the next attempt asks in it for the report
// alone, once: the work stays, no route is taken and no cap is used. Otherwise, and if that report cannot be read either, the route of
// `unreadable` decides. A report that only lacks something counts as it is then.
import { tailOf } from "../cut.ts";
import { type Definition, isFailure, type ReportGrammar, type StepType } from "../definition.ts";
import type { Effect } from "../effect.ts";
import type { CheckResult, Outcome } from "../input.ts";
import { type Attempt, type ReportAsked, RUN_SCOPE, type Step } from "../model.ts";
import { grammarOf, own } from "../query.ts";
import { canBeUnreadable, decidingKeys } from "../report/grammar.ts";
import { withoutRemarks } from "../report/remarks.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";

/** Enough for a plan of a dozen tasks. */
const REPORT_BYTES = 6000;

/** The session of a step whose edits are rejected that is asked for better ones, instead of telling the steps after it. */
export const sessionToAsk = (
	{ kind, edits }: StepType,
	attempt: Attempt | undefined,
	{ signal, resumable }: Outcome,
): Outcome["resumable"] => (kind === "agent" && edits && attempt?.asks === undefined && !isFailure(signal) ? resumable : undefined);

/** The edits of an attempt were rejected. A report that is words alone is kept, and only the file is asked for. */
export function editsToAsk(
	grammar: ReportGrammar,
	type: StepType,
	attempt: Attempt,
	outcome: Outcome,
	reasons: readonly string[],
): ReportAsked | null {
	const { signal, changed, notes } = outcome;
	const session = sessionToAsk(type, attempt, outcome);
	if (session === undefined) return null;
	const missing = `the changes of the steps that you asked for were rejected, and nothing of them was done:\n${reasons.map((r) => `- ${r}`).join("\n")}`;
	const { role, number } = attempt;
	const said = canBeUnreadable(grammar) ? {} : { notes: notes ?? "" };
	return { role, attempt: number, ...session, missing, ...(changed ? { changed } : {}), signal, ...said };
}

/** null: it is not asked for. */
export function reportToAsk({ role, number, asks }: Attempt, outcome: Outcome): ReportAsked | null {
	const { signal, resumable, error, edits, changed, lacks } = outcome;
	const unreadable = signal === "unreadable";
	if (resumable === undefined || asks !== undefined || (!unreadable && (lacks === undefined || isFailure(signal)))) return null;
	const what = unreadable ? (error ?? "the report cannot be read") : `the report has no ${lacks?.join(", ")}`;
	const missing = `${what}${edits === null ? "" : "; the edits that it asked for were set aside, so it has to write them again"}`;
	return { role, attempt: number, ...resumable, missing, ...(changed ? { changed } : {}), ...(unreadable ? {} : { signal }) };
}

/** The step is open again, and nothing of it was put back. */
export const askForReport = (d: Decision, { scope, step }: EndedAttempt, asks: ReportAsked): void =>
	d.emit({ event: "report_asked", scope, step: step.id, ...asks });

/** The change that a report is about was made by the attempt before. If that attempt said how it ended, an answer that only adds what was missing
 * does not have to say it again. */
export function withEarlierReport(definition: Definition, step: Step, { asks, role }: Attempt, outcome: Outcome): Outcome {
	const deciding = decidingKeys(grammarOf(definition, step, role));
	const decides = [...deciding].some((key) => (outcome.fields[key] ?? "") !== "");
	const adds = asks?.signal !== undefined && outcome.signal === "unreadable" && !decides;
	const notes = asks?.notes === undefined || isFailure(outcome.signal) ? {} : { notes: asks.notes };
	return { ...outcome, ...notes, ...(asks?.changed ? { changed: true } : {}), ...(adds ? { signal: asks.signal, error: null } : {}) };
}

/** A report is all that comes of a step that may not write. One that has a part of what later steps are given, and not the rest, is mended by
 * a fresh session if nobody can be asked in its own; the second one counts as it is. One that says nothing but `done` is taken at its word. */
export function withoutGaps(definition: Definition, step: Step, { asks, role }: Attempt, outcome: Outcome): Outcome {
	const type = own(definition.types, step.type);
	const mendable =
		type?.kind === "agent" && type.writes === "none" && outcome.resumable === undefined && asks === undefined && !step.unread;
	const needs = grammarOf(definition, step, role).needs ?? [];
	const missing = needs.filter((key) => outcome.lacks?.includes(key));
	if (!mendable || outcome.signal !== "done" || missing.length === 0 || missing.length === needs.length) return outcome;
	return { ...outcome, signal: "unreadable", error: `the report has no ${missing.join(", ")}, which later steps are given` };
}

/** A fresh session mends the report instead of doing the work anew: one that could not be read, that was itself found wrong (nothing was run), or
 * whose author may only look and touched something, which is put back. Members of a gate and iterations of a loop would read the report of another. */
export function reportToMend(type: StepType | undefined, { signal, notes, checks = [] }: Reported): { readonly report?: string } {
	const wrong = checks.filter(({ exitCode }) => exitCode !== 0);
	const found = signal === "checks_failed" && type?.writes === "none" && wrong.every(({ said }) => said);
	const touched = signal === "boundary_violation" && type?.writes === "none";
	const mended = type?.kind === "agent" && (signal === "unreadable" || found || touched);
	const report = mended ? tailOf(withoutRemarks(notes ?? ""), REPORT_BYTES) : "";
	return report === "" ? {} : { report };
}

interface Reported {
	readonly signal: string;
	readonly notes?: string | null;
	readonly checks?: readonly CheckResult[];
}

/** Puts back what an attempt did, and keeps it in a diff; nothing if it had not begun. */
export function rollBack(d: Decision, scope: string, step: Step, attempt: number, folder: Rollback["folder"], suffix = ""): void {
	if (step.commit === null) return;
	const name = `${scope === RUN_SCOPE ? "run" : scope}-${step.id}${suffix}`;
	d.effect({ effect: "rollback", scope, step: step.id, attempt, ...sinceOf(step, attempt), commit: step.commit, folder, name });
}

type Rollback = Extract<Effect, { readonly effect: "rollback" }>;

/** What is put back after an attempt that only asked for a report is the work of the attempt before. */
function sinceOf({ running }: Step, attempt: number): { readonly since?: number } {
	const asks = running.find(({ number }) => number === attempt)?.asks;
	return asks === undefined ? {} : { since: asks.attempt };
}
