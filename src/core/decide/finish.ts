// The end of an attempt: its results and its signal come in together and are decided together, so that nothing is lost or
// counted twice. Every kind of step takes the results in the same way (outcome.ts); only then do the kinds differ.
import { type Counter, countOf, keyOf } from "../counter.ts";
import { headOf } from "../cut.ts";
import { isFailure, type StepType, UNCHANGED } from "../definition.ts";
import type { HeldOutcome, Outcome } from "../input.ts";
import { RUN_SCOPE, type Step } from "../model.ts";
import { attemptOf, betweenIterations, grammarOf, typeOf } from "../query.ts";
import { withoutRemarks } from "../report/remarks.ts";
import { cancelAttempt, cancelledRound } from "./cancel.ts";
import type { Decision } from "./decision.ts";
import { finishMember } from "./gate.ts";
import { endIteration } from "./iteration.ts";
import { askForReport, editsToAsk, reportToAsk, withEarlierReport, withoutGaps } from "./missing-report.ts";
import { type EndedAttempt, pendingBefore, type TakenOutcome, takeOutcome, takeReport } from "./outcome.ts";
import { askPerson } from "./question.ts";
import { replaceStories } from "./replace.ts";
import { takeRoute } from "./route.ts";
import { failRun, failStory } from "./story.ts";

export function finishAttempt(d: Decision, scope: string, stepId: string, number: number, outcome: Outcome): void {
	const step = d.step(scope, stepId);
	const type = step && typeOf(d.state, step);
	const attempt = attemptOf(step, number);
	if (!step || !type || !attempt)
		return d.emit({
			event: "attempt_ignored",
			scope,
			step: stepId,
			attempt: number,
			reason: `a result (${outcome.signal}) of an attempt that is not under way`,
		});
	const ended: EndedAttempt = { scope, step, type, attempt: number, role: attempt.role };
	const cancelled = cancelledRound(step);
	if (cancelled !== null) return cancelAttempt(d, ended, cancelled, outcome.usage);
	const { definition } = d.state;
	const whole = withoutGaps(definition, step, attempt, withEarlierReport(definition, step, attempt, outcome));
	const taken = takeOutcome(d, ended, whole);
	if (taken === null) return;
	// A gate asks when its round is complete: the answer about one member decides nothing for the others.
	if (taken.outcome.unclear !== undefined && type.kind !== "gate") return askPerson(d, ended, taken.outcome, taken.outcome.unclear);
	const asks =
		taken.rejected === null
			? reportToAsk(attempt, taken.outcome)
			: editsToAsk(grammarOf(definition, step, attempt.role), type, attempt, taken.outcome, taken.rejected);
	if (type.kind === "gate") return finishMember(d, ended, taken.outcome, asks);
	if (asks !== null) return askForReport(d, ended, asks);
	if (type.kind === "loop") return finishIteration(d, ended, taken);
	if (taken.ahead && type.last) return makeWay(d, ended, taken.outcome);
	if (taken.rejected && isLastWord(type, taken.outcome)) return askAgain(d, ended, taken.rejected);
	if (comparesRounds(type)) reportFindings(d, ended, taken.outcome);
	takeRoute(d, scope, stepId, number, taken.outcome);
	if (type.replaces && taken.outcome.signal === outcome.signal && !isFailure(outcome.signal))
		replaceStories(d, ended, outcome.stories ?? []);
}

/** A person approved the outcome: it counts now as it would have when the attempt ended. */
export function finishHeld(d: Decision, scope: string, step: Step, type: StepType, held: HeldOutcome): void {
	const ended: EndedAttempt = { scope, step, type, attempt: step.attempt, role: type.role ?? "" };
	if (!isFailure(held.signal) && held.signal !== UNCHANGED) takeReport(d, ended, held);
	if (type.last && pendingBefore(d, ended)) return makeWay(d, ended, held);
	// The members of a gate have reported theirs.
	if (type.kind !== "gate" && comparesRounds(type)) reportFindings(d, ended, held);
	takeRoute(d, scope, step.id, step.attempt, held);
	if (type.replaces && !isFailure(held.signal) && held.signal !== "checks_failed") replaceStories(d, ended, held.stories ?? []);
}

/** Findings are remembered only if the next round compares its own with them. */
const comparesRounds = ({ routes }: StepType): boolean => Object.values(routes).some((route) => route.converged);

/** Steps inserted before a loop run before its next iteration; the iteration that asked for them counts. */
function finishIteration(d: Decision, ended: EndedAttempt, { outcome, ahead, rejected }: TakenOutcome): void {
	const { scope, step, type, attempt } = ended;
	reportFindings(d, ended, outcome);
	if (ahead && type.last) {
		endIteration(d, scope, step.id, attempt, outcome.signal);
		return makeWay(d, ended, outcome);
	}
	if (rejected && isLastWord(type, outcome)) {
		endIteration(d, scope, step.id, attempt, outcome.signal);
		return askAgain(d, ended, rejected);
	}
	takeRoute(d, scope, step.id, attempt, outcome);
	const now = d.step(scope, step.id);
	if (ahead && now && betweenIterations(d.state, now)) makeWay(d, ended, outcome);
}

function reportFindings(d: Decision, { scope, step, attempt, role }: EndedAttempt, { signal, findings, earlier }: HeldOutcome): void {
	const said = earlier?.length ? { earlier } : {};
	d.emit({ event: "attempt_reported", scope, step: step.id, attempt, role, signal, findings, ...said });
}

/** Characters of what it said. */
const MOST_SAID = 1500;

/** The session that runs it again is another one: it has to know what was asked for, or it judges the work anew. */
function makeWay(d: Decision, { scope, step }: EndedAttempt, { notes }: HeldOutcome): void {
	const steps = d.scope(scope)?.steps ?? [];
	const before = steps.slice(
		0,
		steps.findIndex(({ id }) => id === step.id),
	);
	const asked = before.filter(({ status }) => status === "pending").map((one) => `${one.id} ${one.type} (${one.description})`);
	const said = headOf(withoutRemarks(notes ?? ""), MOST_SAID);
	const reason = `its edits put steps before it: ${asked.join(", ")}${said === "" ? "" : `. It said then:\n${said}`}`;
	d.emit({ event: "step_reopened", scope, step: step.id, reason });
}

/** No later step could read in the scratch file what it wanted. If a check failed, the route of `checks_failed` decides instead. */
const isLastWord = (type: StepType, outcome: Outcome): boolean => type.last && outcome.signal !== "checks_failed";

const MOST_REJECTED = 3;

/** A last step whose edits were rejected wanted something: it does not pass, but runs again and learns why. */
function askAgain(d: Decision, { scope, step, type, attempt }: EndedAttempt, reasons: readonly string[]): void {
	const reason = `its edits were rejected: ${reasons.join("; ")}`;
	const counter: Counter = { kind: "route", owner: step.origin, name: "edits_rejected" };
	const counted = d.scope(scope);
	if (counted && countOf(counted, counter) < MOST_REJECTED) {
		d.emit({ event: "counted", scope, counter: keyOf(counter) });
		return d.emit({ event: "step_reopened", scope, step: step.id, reason });
	}
	d.emit({ event: "step_failed", scope, step: step.id, attempt, signal: "agent_error", error: reason });
	if (scope === RUN_SCOPE) return failRun(d, `${type.name}: ${reason}`);
	failStory(d, scope, `${step.id} (${type.name}): ${reason}`);
}
