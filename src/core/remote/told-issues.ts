// What the issues of a forge are told about the run that works on them, if a person allowed that: that the work began, and what became of it.
import type { Effect } from "../effect.ts";
import { RUN_SCOPE, type RunState, type Story } from "../model.ts";

/** The part of a decision that is needed here. */
interface Deciding {
	readonly state: RunState;
	effect(effect: Effect): void;
}

/** The issue that the run was given as a whole; null: none, or its story has it. */
export const issueOfRun = ({ input, stories }: Pick<RunState, "input" | "stories">): number | null => {
	const number = Number(input["issue"] ?? Number.NaN);
	return Number.isSafeInteger(number) && !stories.some((story) => story.issue === number) ? number : null;
};

export function tellRunStarted(d: Deciding): void {
	const issue = issueOfRun(d.state);
	if (issue !== null) tell(d, issue, "started");
}

/** Called when it is claimed: only the first time is a start. */
export function tellStoryStarted(d: Deciding, before: Story): void {
	if (before.issue !== undefined && before.claimedAt === null) tell(d, before.issue, "started");
}

/** Called when the run is over. Issues that nobody began to work on are not told. */
export function tellEnded(d: Deciding): void {
	const whole = issueOfRun(d.state);
	const begun = d.state.stories.flatMap((story) => (story.issue !== undefined && story.claimedAt !== null ? [story.issue] : []));
	for (const issue of whole === null ? begun : [whole, ...begun]) tell(d, issue, "ended");
}

/** A run that a person brings back ends once more: the number tells the two ends apart. */
function tell(d: Deciding, issue: number, about: "started" | "ended"): void {
	if (d.state.options.comments) d.effect({ effect: "comment_issue", scope: RUN_SCOPE, issue, about, version: d.state.version });
}
