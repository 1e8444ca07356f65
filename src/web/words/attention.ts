// The stories of a run in the order in which they need attention.
import type { RunView, StoryView, Why } from "../api/types.ts";

export type Attention = "asks" | "failed" | "working" | "merging" | "waits" | "open" | "done";

export const ATTENTION: readonly (readonly [Attention, string])[] = [
	["asks", "Needs you"],
	["failed", "Failed"],
	["working", "Working"],
	["merging", "In the merge queue"],
	["waits", "Waiting"],
	["open", "Not started"],
	["done", "Done"],
];

export function attentionOf(run: Pick<RunView, "waiting" | "merging">, story: StoryView, now: number): Attention {
	if (run.waiting.some((one) => one.story === story.id)) return "asks";
	if (story.status === "completed") return "done";
	if (story.status === "failed") return "failed";
	if (story.status === "blocked") return "waits";
	if (story.status !== "in_progress") return "open";
	if (run.merging?.some((one) => one.story === story.id)) return "merging";
	const notBefore = story.current_step?.not_before ?? null;
	return notBefore !== null && Date.parse(notBefore) > now ? "waits" : "working";
}

/** Why the story stands where it does, if there is anything to say. */
export function whyOf(run: Pick<RunView, "reasons">, story: StoryView): Why | undefined {
	return run.reasons.findLast((one) => one.story === story.id);
}

/** The word beside a story. One that waits for a person is not at work. */
export const storyWord = (attention: Attention, story: StoryView): string =>
	attention === "asks" ? "waiting" : story.status === "unclaimed" ? "not started" : story.status;
