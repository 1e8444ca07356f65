// A question to a person about something that the engine saw and cannot judge.
import { failedIn } from "../check/accepted.ts";
import type { HeldOutcome } from "../input.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";

/** The outcome is kept with the question, so that nothing of it is lost and its checks count as if nobody had been asked. */
export function askPerson(d: Decision, { scope, step }: Pick<EndedAttempt, "scope" | "step">, outcome: HeldOutcome, reason: string): void {
	const { signal, error, notes, fields, findings, earlier, stories, kept, changed, changedBefore, checks, retryAt } = outcome;
	d.wait(scope, step.id, reason, "unclear", {
		signal,
		error,
		notes,
		fields,
		findings,
		...(earlier === undefined ? {} : { earlier }),
		stories,
		...(kept === undefined ? {} : { kept }),
		changed,
		...(changedBefore === undefined ? {} : { changedBefore }),
		checks: failedIn(d.scope(scope), checks),
		retryAt,
	});
}
