// A person's verdict on a step that waits: which step is meant, and the verdict's delivery.
import { randomUUID } from "node:crypto";
import type { Input } from "../../core/input.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { nameOfStep, waitingSteps } from "../../core/query.ts";
import type { RunsContext } from "../context.ts";
import { decisionText } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { type Delivered, deliverTo } from "./deliver.ts";
import { changesInList } from "./story-changes.ts";

export interface Decision {
	readonly run: string | undefined;
	/** Its id, its type, its story, or STORY/STEP; not needed if only one step waits. */
	readonly step: string | undefined;
	/** `answer`: `reason` has the words that the step asked for. */
	readonly verdict: "approve" | "reject" | "answer";
	readonly reason: string;
	/** Only this question is answered: the version of its event. */
	readonly ask?: number | undefined;
}

export interface Decided extends Delivered {
	/** The step that was decided on, as people name it. */
	readonly step: string;
}

export function decide(c: RunsContext, { run, step, verdict, reason, ask }: Decision): Promise<Decided> {
	return deliverTo(c, run, async (state) => {
		const target = targetOf(state, step, ask);
		if (verdict === "answer") refuseUnasked(state, target, reason);
		if (verdict === "approve") await refuseChangedPlan(c, state);
		return {
			input: decisionOn(target, c.now(), verdict, reason),
			about: { step: nameOf(target) },
		};
	});
}

/** An answer to the question that is asked now, and to no later one of the same step. */
export const decisionOn = (
	{ scope, step }: Target,
	at: number,
	verdict: "approve" | "reject" | "retry" | "answer",
	reason: string,
): Extract<Input, { type: "decide" }> => ({
	type: "decide",
	at,
	id: randomUUID(),
	scope,
	step: step.id,
	...(step.question === undefined ? {} : { ask: step.question.version }),
	verdict,
	reason,
});

/** Words go to a step that asked for some: any other question wants a yes or a no. */
function refuseUnasked({ id }: RunState, target: Target, words: string): void {
	if (target.step.question?.asks !== true)
		throw new Refusal("refused", `${nameOf(target)} wants a yes or a no, not an answer in words: pawl approve ${id}, or pawl reject ${id}`);
	if (words.trim() === "") throw new Refusal("invalid", "the answer is empty; pawl approve lets the agent decide by itself");
}

/** Nobody approves what they have not been shown. */
async function refuseChangedPlan(c: RunsContext, state: RunState): Promise<void> {
	const { renewed, notes } = await changesInList(c, state);
	if (renewed !== undefined) throw new Refusal("refused", `${notes.join("; ")} by pawl resume ${state.id}`);
}

interface Target {
	readonly scope: string;
	readonly step: Step;
}

const nameOf = ({ scope, step }: Target): string => `${scope === RUN_SCOPE ? "" : `${scope} `}${nameOfStep(step)}`;

function targetOf(state: RunState, wanted: string | undefined, ask: number | undefined): Target {
	const waiting = waitingSteps(state);
	if (waiting.length === 0) {
		const last = state.decision === undefined ? "" : `; ${decisionText(state.decision)}`;
		throw new Refusal("refused", `nothing in run ${state.id} waits for a person; it is ${state.status}${last}`);
	}
	const asked = ask === undefined ? waiting : waiting.filter(({ step }) => step.question?.version === ask);
	if (asked.length === 0) {
		const last = state.decision === undefined ? "" : `; ${decisionText(state.decision)}`;
		throw new Refusal("conflict", `that question is not asked any more${last}`);
	}
	const [first, ...more] =
		wanted === undefined ? asked : asked.filter(({ scope, step }) => [step.id, step.type, scope, `${scope}/${step.id}`].includes(wanted));
	const list = waiting.map(nameOf).join(", ");
	if (first === undefined)
		throw new Refusal(isThere(state, wanted) ? "refused" : "not_found", `${wanted} does not wait for a person; what does: ${list}`);
	if (more.length > 0) throw new Refusal("refused", `which one? ${list}. Name it as STORY/STEP`);
	return first;
}

/** It is a step or a story of the run: only its time has not come, or is over. */
const isThere = (state: RunState, wanted: string | undefined): boolean =>
	[state.root, ...state.stories.map((story) => story.scope)].some(
		(scope) => scope.id === wanted || scope.steps.some((step) => [step.id, step.type, `${scope.id}/${step.id}`].includes(wanted ?? "")),
	);
