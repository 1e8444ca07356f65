// What came out of a story so far: the last message about its work, and how often something in it was tried again.
import type { Event } from "../../core/event.ts";
import type { RunState, Story } from "../../core/model.ts";
import { typeOf } from "../../core/query.ts";

const MOST = 4000;

/** The end of the last message of a step that may change files; of any step if none of these has said anything. null: nothing was said yet. */
export function outputOf(state: RunState, { scope }: Story): string | null {
	const said = scope.steps.filter((step) => typeOf(state, step)?.kind !== "action" && (step.notes ?? "") !== "");
	const text = (said.findLast((step) => typeOf(state, step)?.writes !== "none") ?? said.at(-1))?.notes ?? null;
	return text === null ? null : endOf(text);
}

/** Does not begin with half of a character. */
function endOf(text: string): string {
	const end = text.slice(-MOST);
	return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

/** Story → how often its work was sent back, tried again after a failure, or tried again because a person asked. */
export function retriesOf(events: readonly Event[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const event of events)
		if (
			(event.event === "route_taken" && event.signal !== "done" && /^(goto|retry|reopen)\b/.test(event.action)) ||
			event.event === "story_retried" ||
			(event.event === "decided" && event.verdict === "retry")
		)
			counts.set(event.scope, (counts.get(event.scope) ?? 0) + 1);
	return counts;
}
