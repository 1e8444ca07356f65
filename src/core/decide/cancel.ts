// An attempt is ended from outside, by a person or by the engine: what it did is put back, and a copy of the step takes its place, so that the story can be resumed.
import type { Step, Usage } from "../model.ts";
import { isOpen } from "../query.ts";
import { chargeUsage } from "./budget.ts";
import type { Decision } from "./decision.ts";
import { dropEdits } from "./edit-request.ts";
import { rollBack } from "./missing-report.ts";
import type { EndedAttempt } from "./outcome.ts";
import { copyOf } from "./route.ts";

/** The verdict of a member of a gate that was ended from outside: its round does not count. */
const CANCELLED = "cancelled";

/** `usage`: of its session, if it had one. */
export function cancelAttempt(d: Decision, ended: EndedAttempt, reason: string, usage?: Usage): void {
	const { scope, step, type, attempt } = ended;
	if (usage !== undefined) chargeUsage(d, ended, { usage, signal: "lost" });
	if (type.kind === "action" || type.kind === "command") return d.emit({ event: "step_reopened", scope, step: step.id, reason });
	dropEdits(d, scope, step, attempt, reason);
	if (leavesOthers(d, ended, reason)) return;
	// The story has already given up its worktree, so this step will not continue.
	if (!isOpen(d.state, scope)) return d.emit({ event: "step_cancelled", scope, step: step.id, attempt, error: reason });
	// Also for a step that may only look: the next step would take anything that it wrote anyway for work.
	if (!type.leavesWork) rollBack(d, scope, step, attempt, "failures");
	// A copy would start counting iterations from zero.
	if (type.kind === "loop") return d.emit({ event: "step_reopened", scope, step: step.id, reason });
	d.emit({ event: "step_cancelled", scope, step: step.id, attempt, error: reason });
	const whole = d.scope(scope);
	if (!whole) return;
	const copy = d.newSteps(whole, [{ type: step.type, description: step.description }], copyOf(step));
	d.emit({ event: "steps_inserted", scope, steps: copy, after: step.id, reason });
}

/** Why the round of a gate does not count, whatever its other members say; null: it does. */
export const cancelledRound = ({ verdicts }: Step): string | null => {
	const left = verdicts.find(({ signal }) => signal === CANCELLED);
	return left === undefined ? null : (left.said?.error ?? CANCELLED);
};

/** Other members of the gate are still at work: what they use counts too, and the step ends when the last of them has. */
export function leavesOthers(d: Decision, { scope, step, type, attempt, role }: EndedAttempt, reason: string): boolean {
	if (type.kind !== "gate" || step.running.every(({ number }) => number === attempt)) return false;
	const said = { error: reason, notes: null, fields: {}, retryAt: null };
	d.emit({ event: "attempt_reported", scope, step: step.id, attempt, role, signal: CANCELLED, findings: [], said });
	return true;
}
