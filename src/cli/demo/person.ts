// The person in the middle of a demo: the run's question as it stands on a terminal, and the answer that the demo gives for them.
import { setTimeout as pause } from "node:timers/promises";
import { waitingSteps } from "../../core/query.ts";
import type { Context } from "../context.ts";
import { type Answerer, nameOf, QUESTION } from "../run/ask.ts";
import { fold } from "../text/columns.ts";
import { questionLines } from "../text/question.ts";
import { paint, wantsColor } from "../text/text.ts";
import type { Approval } from "./description.ts";

/** Long enough to read a question. */
const READING_MS = 2000;

interface Shown {
	readonly fast: boolean;
	readonly json: boolean;
}

/** Gives the answers in their order; without one left, the run waits for a real person. */
export function answers(c: Context, approvals: readonly Approval[], { fast, json }: Shown): Answerer {
	const left = [...approvals];
	return async (state, why) => {
		const [next, waiting] = [left.shift(), waitingSteps(state)[0]];
		if (next === undefined || waiting === undefined) return null;
		const { scope, step } = waiting;
		if (!json) {
			const color = paint(wantsColor(c.env, c.errIsTty));
			for (const line of questionLines(state, scope, step, why(scope, step.id), c.width, color.bold)) c.err(`${line}\n`);
			c.err(next.words === undefined ? QUESTION : "answer: ");
			if (!fast) await pause(READING_MS);
			c.err(`${color.bold(next.words ?? "yes")}\n`);
			for (const line of fold(`The demo answers for you: ${next.reason}.`, c.width, 2)) c.err(`${color.dim(line)}\n`);
			c.err("\n");
		}
		const said =
			next.words === undefined ? { verdict: "approve" as const, reason: next.reason } : { verdict: "answer" as const, reason: next.words };
		return { step: nameOf(scope, step), ...said };
	};
}
