// The document that the stories come from has grown or changed while the run was under way.
import type { Input } from "../input.ts";
import { RUN_SCOPE } from "../model.ts";
import { findStory, isLastOfLine, typeOf } from "../query.ts";
import type { Decision } from "./decision.ts";

export function addStories(d: Decision, { stories, changed = [] }: Extract<Input, { type: "add_stories" }>): void {
	const fresh = stories.filter((s) => !findStory(d.state, s.id));
	if (fresh.length > 0) {
		d.emit({ event: "stories_added", stories: fresh });
		reopenEach(d);
	}
	for (const { id, title, description, criteria } of changed) {
		const story = findStory(d.state, id);
		if (story && story.status !== "completed") d.emit({ event: "story_changed", scope: id, title, description, criteria });
	}
}

/** If all stories were done, the step that opens them had ended: without this nobody would ever work on the new ones. */
function reopenEach(d: Decision): void {
	const { status, aborting, root } = d.state;
	if (status === "completed" || status === "cancelled" || status === "refused" || aborting) return;
	const each = root.steps.findLast((step) => typeOf(d.state, step)?.kind === "each");
	if (each?.status === "completed") d.emit({ event: "step_reopened", scope: RUN_SCOPE, step: each.id, reason: "stories were added" });
}

/** The stories are done once more: what came after them has not seen the new ones. */
export function reopenAfter(d: Decision, id: string): void {
	const { steps } = d.state.root;
	for (const step of steps.slice(steps.findIndex((s) => s.id === id) + 1))
		if (step.status === "completed" && !typeOf(d.state, step)?.detour && isLastOfLine(steps, step))
			d.emit({ event: "step_reopened", scope: RUN_SCOPE, step: step.id, reason: "stories were added" });
}
