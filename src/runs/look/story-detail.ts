// One story with everything that is known about it: its steps with their attempts and checks, edits with before and after, decisions, work that was put back.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { findScope } from "../../core/query.ts";
import type { OpenRun } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { diffsPutBack } from "../run-files.ts";
import { attemptsOf } from "./attempts.ts";
import { evidenceOf } from "./criteria/evidence.ts";
import { iso } from "./json-values.ts";
import { questionsOf } from "./questions.ts";
import { stepView, storyViews } from "./run-view.ts";
import { standingReasons } from "./why.ts";

/** `story`: an id, or `run` for the run itself. */
export function storyDetail({ state, events }: OpenRun, story: string, at: number) {
	const id = story === "run" ? RUN_SCOPE : story;
	const scope = findScope(state, id);
	if (scope === undefined)
		throw new Refusal(
			"not_found",
			`run ${state.id} has no story ${story}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`,
		);
	const named = id === RUN_SCOPE ? null : id;
	const attempts = attemptsOf(state, events).filter((one) => one.story === named);
	const failing = (scope.failing ?? []).map(({ name, command, exitCode, output, step }) => ({
		name,
		command,
		exit_code: exitCode,
		output,
		step,
	}));
	return {
		run: state.id,
		version: state.version,
		...(named === null ? { id: "run", title: state.title } : storyViews(state, events, at).find((one) => one.id === named)),
		// With the steps that only the engine sees: a merge takes time too.
		steps: scope.steps.map((step) => ({
			...stepView(step, at),
			kind: state.definition.types[step.type]?.kind ?? null,
			internal: state.definition.types[step.type]?.internal ?? false,
			doubts: step.doubts ?? [],
			attempts: attempts.filter((one) => one.step === step.id),
		})),
		/** How each acceptance criterion was shown. */
		criteria: evidenceOf(state, events).get(id) ?? [],
		failing,
		reasons: standingReasons(events, state).filter((why) => why.story === named),
		questions: questionsOf(state, events).filter((one) => one.story === named),
		edits: editsOf(events, id),
		decisions: decisionsOf(events, id),
		kept: scope.kept,
		put_back: diffsPutBack(state, story),
	};
}

export type StoryDetail = ReturnType<typeof storyDetail>;

function editsOf(events: readonly Event[], scope: string) {
	return events.flatMap((event) => {
		if (event.event === "workflow_edited" && event.scope === scope)
			return [{ at: iso(event.at), step: event.step, accepted: true, ...event.details, order: event.order }];
		if (event.event === "edit_rejected" && event.scope === scope)
			return [{ at: iso(event.at), step: event.step, accepted: false, reason: event.reasons.join("; ") }];
		return [];
	});
}

const decisionsOf = (events: readonly Event[], scope: string) =>
	events.flatMap((event) =>
		event.event === "decided" && event.scope === scope
			? [{ at: iso(event.at), step: event.step, verdict: event.verdict, reason: event.reason, by: event.by ?? null }]
			: [],
	);
