// What a run does at this moment: who works where, what waits for its merge, until when a usage limit holds.
import { mergeQueue } from "../../core/merge/queue.ts";
import type { RunState } from "../../core/model.ts";
import { allScopes, runningAttempts, typeOf } from "../../core/query.ts";
import { iso } from "./json-values.ts";
import { currentStep } from "./run-view.ts";

export function nowView(state: RunState, at: number) {
	const running = runningAttempts(state);
	return {
		slots: state.options.slots.map((slot) => {
			const story = state.stories.find((s) => s.status === "in_progress" && s.slot === slot);
			const [one] = running.filter(({ scope }) => scope === story?.id);
			return {
				slot,
				story: story?.id ?? null,
				step: one?.step.id ?? null,
				type: one?.step.type ?? null,
				role: one?.attempt.role ?? null,
				since: iso(one?.attempt.startedAt ?? null),
			};
		}),
		/** Stories whose work is done and has to reach base, in the order of their turn. */
		merging: mergingView(state),
		limited_until: iso(limitedUntil(state, at)),
	};
}

/** The earliest time at which a step that met a usage limit goes on. */
function limitedUntil(state: RunState, at: number): number | null {
	const times = allScopes(state).flatMap((scope) =>
		scope.steps.flatMap((step) => (step.postponed > 0 && step.notBefore !== null && step.notBefore > at ? [step.notBefore] : [])),
	);
	return times.length === 0 ? null : Math.min(...times);
}

/** Stories whose work is done and has to reach base, in the order of their turns. */
export function mergingView(state: RunState) {
	const queue = mergeQueue(state);
	const placeOf = (id: string): number => {
		const at = queue.findIndex(({ scope }) => scope === id);
		return at < 0 ? queue.length : at;
	};
	return state.stories
		.flatMap((story) => {
			const step = story.status === "in_progress" ? currentStep(story) : undefined;
			if (step === undefined || typeOf(state, step)?.action !== "merge") return [];
			const stack = queue[placeOf(story.id)]?.stack ?? null;
			return [
				{
					story: story.id,
					step: step.id,
					status: step.status,
					not_before: iso(step.notBefore),
					since: iso(step.startedAt),
					/** What it is checked as, on top of the story that is merged before it; null: on top of base. */
					commit: stack?.commit ?? null,
					behind: stack?.behind ?? null,
					/** Why it does not fit on top of those before it. */
					problem: stack?.reason ?? null,
				},
			];
		})
		.toSorted((a, b) => placeOf(a.story) - placeOf(b.story));
}

export type MergingView = ReturnType<typeof mergingView>[number];

/** `US-2 on US-1` */
export const mergingText = ({ story, behind, problem }: Pick<MergingView, "story" | "behind" | "problem">): string =>
	problem !== null ? `${story} (${problem})` : behind === null ? story : `${story} on ${behind}`;
