// How long agents worked on each story: from its claim on, without the time in which the run or the story stood still. A story that
// failed and was retried the next morning did not take all night.
import type { Event } from "../../core/event.ts";
import type { Time } from "../../core/model.ts";

/** Story id → milliseconds; without stories that nobody has claimed. */
export function storyTimes(events: readonly Event[], at: Time): ReadonlyMap<string, number> {
	const spent = new Map<string, number>();
	const since = new Map<string, Time>();
	/** Running when the run stopped. */
	let halted: string[] = [];
	const begin = (story: string, now: Time): void => {
		if (!since.has(story)) since.set(story, now);
	};
	const end = (story: string, now: Time): void => {
		const began = since.get(story);
		if (began !== undefined) spent.set(story, (spent.get(story) ?? 0) + Math.max(0, now - began));
		since.delete(story);
	};
	for (const event of events)
		switch (event.event) {
			case "story_claimed":
				begin(event.scope, event.at);
				break;
			case "story_completed":
			case "story_failed":
				end(event.scope, event.at);
				break;
			case "run_status_changed":
				halted = event.status === "running" ? [] : [...halted, ...since.keys()];
				for (const story of halted) end(story, event.at);
				break;
			case "run_resumed":
				for (const story of halted) begin(story, event.at);
				halted = [];
				break;
		}
	for (const story of [...since.keys()]) end(story, at);
	return spent;
}
