// Questions to a person: about something that the engine saw and cannot judge, and those that a step asks and wants answered in words.
import { failedIn } from "../check/accepted.ts";
import type { HeldOutcome } from "../input.ts";
import type { Step } from "../model.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";

/** The outcome is kept with the question, so that nothing of it is lost and its checks count as if nobody had been asked. */
export function askPerson(d: Decision, { scope, step }: Pick<EndedAttempt, "scope" | "step">, outcome: HeldOutcome, reason: string): void {
	const { signal, error, notes, fields, findings, earlier, stories, kept, changed, changedBefore, checks, retryAt } = outcome;
	d.wait(scope, step.id, reason, {
		signal: "unclear",
		held: {
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
		},
	});
}

/** Somebody who said yes to everything is not asked. */
export function askForWords(d: Decision, scope: string, { id: step }: Pick<Step, "id">, signal: string, question: string): void {
	if (d.state.options.yes) return d.emit({ event: "step_reopened", scope, step, reason: answeredWith(question, "") });
	d.wait(scope, step, question, { signal, asks: true });
}

/** The step runs again, and reads what it asked and what it was told. Its caps go on: an answer does not allow more questions. */
export function answer(d: Decision, scope: string, { id: step, feedback }: Pick<Step, "id" | "feedback">, words: string): void {
	d.emit({ event: "step_reopened", scope, step, reason: answeredWith(feedback ?? "", words) });
}

function answeredWith(question: string, words: string): string {
	const said =
		words.trim() === "" ? "Nobody answers. Decide it yourself, and say in your report what you assumed." : `The answer:\n${words.trim()}`;
	return `You asked:\n${question.trim()}\n\n${said}`;
}
