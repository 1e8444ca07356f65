// Asks the person at the terminal for a decision that a run waits for: shows the question, then reads one answer.
import { createInterface } from "node:readline/promises";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { waitingSteps } from "../../core/query.ts";
import type { Context } from "../context.ts";
import { questionLines } from "../text/question.ts";
import { flat, paint, wantsColor } from "../text/text.ts";

export interface Answer {
	/** As `pawl approve` names it. */
	readonly step: string;
	readonly verdict: "approve" | "reject" | "answer";
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
	const questions = questionsIn(step.feedback ?? "");
	// Several questions are shown one by one, each above its answer.
	if (step.question?.asks === true && questions.length > 1)
		c.err(`\n${step.type} asks ${questions.length} questions; an empty answer lets it decide\n`);
	else
		for (const line of questionLines(state, scope, step, why(scope, step.id), c.width, paint(wantsColor(c.env, true)).bold))
			c.err(`${line}\n`);
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const gone = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
	try {
		if (step.question?.asks === true)
			return await inWords(questions, (prompt) => Promise.race([lines.question(prompt), gone]), nameOf(scope, step));
		const verdict = verdictOf(await Promise.race([lines.question(QUESTION), gone]));
		if (verdict === null) return null;
		const reason = verdict === "approve" ? "" : ((await Promise.race([lines.question("why? The next agent reads this: "), gone])) ?? "");
		if (verdict === "reject" && reason.trim() === "") return null;
		return { step: nameOf(scope, step), verdict, reason: reason.trim() };
	} finally {
		lines.close();
	}
}

/** Asks for each question by itself. Without any words the agent decides; null: the person went away. */
async function inWords(
	questions: readonly string[],
	read: (prompt: string) => Promise<string | null>,
	name: string,
): Promise<Answer | null> {
	const answers: string[] = [];
	for (const [index, question] of questions.entries()) {
		const words = await read(questions.length === 1 ? "answer (empty: it decides by itself): " : `${index + 1}. ${flat(question)}\n   `);
		if (words === null) return null;
		answers.push(words.trim());
	}
	if (answers.every((words) => words === "")) return { step: name, verdict: "approve", reason: "" };
	const reason =
		questions.length === 1
			? (answers[0] ?? "")
			: answers.map((words, index) => `${index + 1}. ${words || "(decide it yourself)"}`).join("\n");
	return { step: name, verdict: "answer", reason };
}

const ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+/;

/** The items of a list, or the text as one question. */
export function questionsIn(text: string): readonly string[] {
	const items: string[] = [];
	for (const line of text.split("\n")) {
		if (ITEM.test(line)) items.push(line.replace(ITEM, "").trim());
		else if (items.length > 0 && line.trim() !== "") items.push(`${items.pop()} ${line.trim()}`);
	}
	return items.length > 1 ? items : [text.trim()];
}

export const QUESTION = "approve? [y]es, [n]o, anything else decides later: ";

/** As `pawl approve` takes it. */
export const nameOf = (scope: string, step: Step): string => (scope === RUN_SCOPE ? step.id : `${scope}/${step.id}`);

export function verdictOf(answer: string | null): Answer["verdict"] | null {
	const word = (answer ?? "").trim().toLowerCase();
	return word === "y" || word === "yes" ? "approve" : word === "n" || word === "no" ? "reject" : null;
}
