// Decides about the edits that an attempt asked for: applied, rejected with the reasons, or put aside because the attempt failed.

import { headOf } from "../cut.ts";
import { isFailure } from "../definition.ts";
import { decideEdits } from "../edit/edit.ts";
import type { EditRequest, Outcome } from "../input.ts";
import type { Step } from "../model.ts";
import { attemptOf } from "../query.ts";
import { asJson } from "../text/foreign-json.ts";
import type { Decision } from "./decision.ts";
import { rollBack, sessionToAsk } from "./missing-report.ts";
import type { EndedAttempt } from "./outcome.ts";
import { takeRoute } from "./route.ts";

export type EditsTaken =
	/** There are none, or they were put aside. */
	| { readonly how: "none" }
	| { readonly how: "applied" /** They added steps. */; readonly added: boolean }
	| { readonly how: "rejected"; readonly reasons: readonly string[] }
	/** They decided the step's fate. */
	| { readonly how: "ended" };

const NONE: EditsTaken = { how: "none" };

/** Characters. */
const MOST_QUOTED = 1500;

/** What it wanted, for whoever may ask for it again. */
function wanted(edits: EditRequest, label: string): string {
	const text = "operations" in edits ? asJson(edits.operations) : null;
	return `\n- ${text === null ? `it is kept as \`workflow_edits/rejected/${label}.json\`` : `it wanted: ${headOf(text, MOST_QUOTED)}`}`;
}

/** Of an attempt that did not come to its end: what it may have asked for counts for nothing. */
export function dropEdits(d: Decision, scope: string, step: Step, attempt: number, reason: string): void {
	// The file is the story's: another member of the gate may still be writing it.
	if (step.running.length <= 1) d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "failed", reasons: [reason] });
}

export function takeEdits(d: Decision, { scope, step, type, attempt }: EndedAttempt, outcome: Outcome): EditsTaken {
	if (outcome.edits === null) return NONE;
	if (isFailure(outcome.signal)) {
		d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "failed", reasons: [outcome.error ?? outcome.signal] });
		return NONE;
	}
	const whole = d.scope(scope);
	if (!whole) return NONE;
	const decision = type.edits
		? decideEdits(outcome.edits, whole, step, d.state.definition)
		: ({ ok: false, reasons: [`steps of type ${type.name} may not edit the workflow`], restartLimit: false } as const);
	if (!decision.ok) {
		d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "rejected", reasons: decision.reasons });
		// The one who wrote them can still mend them: nobody else has to hear of it.
		if (!decision.restartLimit && sessionToAsk(type, attemptOf(step, attempt), outcome) !== undefined)
			return { how: "rejected", reasons: decision.reasons };
		d.emit({ event: "edit_rejected", scope, step: step.id, reasons: decision.reasons });
		d.effect({
			effect: "append_scratch",
			scope,
			at: d.at,
			text: `the workflow edits of ${step.id} (${type.name}) were rejected as a whole, nothing was changed:\n${decision.reasons.map((r) => `- ${r}`).join("\n")}${wanted(outcome.edits, `${scope}-${step.id}-${attempt}`)}`,
		});
		if (!decision.restartLimit) return { how: "rejected", reasons: decision.reasons };
		const error = decision.reasons.find((r) => r.includes("restart limit")) ?? "restart limit reached";
		takeRoute(d, scope, step.id, attempt, { ...outcome, signal: "agent_error", error });
		return { how: "ended" };
	}
	for (const edit of decision.edits) d.emit({ event: "workflow_edited", scope, step: step.id, details: edit.details, order: edit.order });
	d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "applied", reasons: [] });
	if (decision.edits.length === 0) return NONE;
	if (decision.restart === null) return { how: "applied", added: decision.added > 0 };
	rollBack(d, scope, step, attempt, "restarts", `-${step.restarts + 1}`);
	const why = decision.edits.findLast((edit) => edit.details.operation === "restart")?.details.reason;
	const reason = `the attempt before this one asked to start over${why ? `: ${why}` : ""}`;
	d.emit({ event: "step_restarted", scope, step: step.id, attempt, description: decision.restart, reason });
	return { how: "ended" };
}
