// Asks the person at the terminal for a decision that a run waits for: shows the question, then reads one answer.
import { createInterface } from "node:readline/promises";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { waitingSteps } from "../../core/query.ts";
import type { Context } from "../context.ts";
import { questionLines } from "../text/question.ts";
import { paint, wantsColor } from "../text/text.ts";

export interface Answer {
	/** As `pawl approve` names it. */
	readonly step: string;
	readonly verdict: "approve" | "reject";
	readonly reason: string;
}

/** The reason why a step waits. */
export type WhyItWaits = (scope: string, step: string) => string;

/** null: the decision is made later. */
export type Answerer = (state: RunState, why: WhyItWaits) => Promise<Answer | null>;

/** Whether somebody can answer. */
export const canAsk = (c: Context): boolean =>
	c.errIsTty && process.stdin.isTTY === true && c.env["TERM"] !== "dumb" && (c.env["CI"] ?? "") === "";

/** null: the person answers later. Asks only for the first waiting step; the run asks again for the next. */
export async function ask(c: Context, state: RunState, why: WhyItWaits): Promise<Answer | null> {
	const [first] = waitingSteps(state);
	if (first === undefined) return null;
	const { scope, step } = first;
	for (const line of questionLines(state, scope, step, why(scope, step.id), c.width, paint(wantsColor(c.env, true)).bold))
		c.err(`${line}\n`);
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const gone = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
	try {
		const verdict = verdictOf(await Promise.race([lines.question(QUESTION), gone]));
		if (verdict === null) return null;
		const reason =
			verdict === "approve" ? "" : ((await Promise.race([lines.question("why? whoever works on it next reads it: "), gone])) ?? "");
		if (verdict === "reject" && reason.trim() === "") return null;
		return { step: nameOf(scope, step), verdict, reason: reason.trim() };
	} finally {
		lines.close();
	}
}

export const QUESTION = "approve? [y]es, [n]o, anything else decides later: ";

/** As `pawl approve` takes it. */
export const nameOf = (scope: string, step: Step): string => (scope === RUN_SCOPE ? step.id : `${scope}/${step.id}`);

export function verdictOf(answer: string | null): Answer["verdict"] | null {
	const word = (answer ?? "").trim().toLowerCase();
	return word === "y" || word === "yes" ? "approve" : word === "n" || word === "no" ? "reject" : null;
}
