// The changes of status that are legal, for tests that walk a journal event by event (I4).
import type { Event } from "../event.ts";
import type { StepStatus, StoryStatus } from "../model.ts";

export const STEP_CHANGES: Readonly<Record<StepStatus, readonly StepStatus[]>> = {
	pending: ["in_progress", "waiting", "skipped"],
	in_progress: ["completed", "failed", "cancelled", "pending", "skipped", "waiting"],
	waiting: ["completed", "failed", "cancelled", "pending", "skipped"],
	completed: ["pending"],
	skipped: ["pending"],
	failed: ["pending"],
	cancelled: ["pending"],
};

/** A retry by a person sends the work of a step that failed on to its detour once more, as its route did before its cap. */
export const isSentOn = (was: StepStatus, { event }: Event): boolean => was === "failed" && event === "step_completed";

export const STORY_CHANGES: Readonly<Record<StoryStatus, readonly StoryStatus[]>> = {
	unclaimed: ["in_progress", "blocked"],
	in_progress: ["completed", "failed"],
	failed: ["unclaimed"],
	blocked: ["unclaimed"],
	completed: [],
};
