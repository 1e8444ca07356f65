// What waits for a person: each question with its own name, since when, and which answers are possible.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { isOver, typeOf, waitingSteps } from "../../core/query.ts";
import { iso } from "./json-values.ts";
import { waitingReason } from "./run-view.ts";

export type Answer = "answer" | "approve" | "reject" | "retry";

export function questionsOf(state: RunState, events: readonly Event[]) {
	if (isOver(state.status)) return [];
	return waitingSteps(state).map(({ scope, step }) => {
		const before = (scope === RUN_SCOPE ? state.root : state.stories.find((s) => s.id === scope)?.scope)?.steps ?? [];
		const earlier = before.slice(0, before.indexOf(step)).findLast((one) => one.status === "completed" && one.notes !== null);
		// An approval asks about the step before it; any other step about its own result.
		const about =
			typeOf(state, step)?.kind === "approval" ? earlier : (before.find((one) => one.id === step.id && one.notes !== null) ?? earlier);
		return {
			run: state.id,
			title: state.title,
			workflow: state.definition.name,
			story: scope === RUN_SCOPE ? null : scope,
			story_title: state.stories.find((s) => s.id === scope)?.title ?? null,
			step: step.id,
			type: step.type,
			reason: waitingReason(events, scope, step.id) ?? step.description,
			since: iso(step.question?.at ?? null),
			ask: String(step.question?.version ?? ""),
			actions: step.question?.asks === true ? ASKED : answersTo(state, step.type),
			about: about === undefined ? null : { step: about.id, type: about.type, notes: about.notes },
		};
	});
}

export type Question = ReturnType<typeof questionsOf>[number];

/** Words; approved without any, the agent decides by itself. */
const ASKED: readonly Answer[] = ["answer", "approve", "reject"];

/** A step that was handed to a person can also be tried again; a question has only its two answers. */
function answersTo(state: RunState, type: string): readonly Answer[] {
	const again = state.definition.types[type]?.kind !== "approval" && state.definition.resume !== "never";
	return again ? ["approve", "reject", "retry"] : ["approve", "reject"];
}
