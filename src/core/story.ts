// How a story ends.
import type { Draft } from "./draft.ts";
import { RUN_SCOPE } from "./model.ts";
import { eachOf } from "./query.ts";

export function completeStory(d: Draft, id: string): void {
	const story = d.state.stories.find((s) => s.id === id);
	if (!story || story.status !== "in_progress") return;
	d.emit({ event: "story_completed", scope: id });
	d.effect({ effect: "release_story", scope: id, slot: story.slot ?? 1, completed: true });
}

export function failStory(d: Draft, id: string, error: string): void {
	const story = d.state.stories.find((s) => s.id === id);
	if (!story || story.status !== "in_progress") return;
	d.emit({ event: "story_failed", scope: id, error });
	d.effect({ effect: "append_scratch", scope: RUN_SCOPE, at: d.at, text: `story ${id} failed: ${error}` });
	d.effect({ effect: "release_story", scope: id, slot: story.slot ?? 1, completed: false });
	if (eachOf(d.state)?.onFailure === "fail_run") failRun(d, `story ${id} failed: ${error}`);
}

/** The run gives up: what runs elsewhere is ended, nothing new starts. */
export function failRun(d: Draft, reason: string): void {
	for (const scope of [d.state.root, ...d.state.stories.map((s) => s.scope)])
		for (const step of scope.steps)
			for (const attempt of step.running)
				if (attempt.role !== "") d.effect({ effect: "cancel_attempt", scope: scope.id, step: step.id, attempt: attempt.number, reason });
	d.end("failed", reason);
}
