// A person skips a step of a story. Nobody can skip checks that decide about a delivery, a question to a person, what pawl does itself, or the step
// that gives a run its stories.
import type { StepType } from "../definition.ts";
import type { Input } from "../input.ts";
import { RUN_SCOPE, type RunState, type Step } from "../model.ts";
import { findScope, grammarOf, isOver, own } from "../query.ts";
import type { Decision } from "./decision.ts";
import { excuseStory, isExcusedBy } from "./story.ts";

/** Why not; null if a person may skip it. */
export function whyNotSkip(state: RunState, scope: string, step: Step | undefined): string | null {
	if (step === undefined) return "there is no such step";
	const type: StepType | undefined = own(state.definition.types, step.type);
	const story = state.stories.find((s) => s.id === scope);
	if (isOver(state.status) && story?.status !== "failed") return `the run is ${state.status}`;
	if (state.definition.resume === "never" && isOver(state.status)) return "its workflow does not go on with a run";
	if (type?.proves) return "it decides whether the work is delivered; only --no-checks leaves that out, when the run is started";
	if (type?.kind === "action" || type?.kind === "each") return "pawl itself does it";
	if (type?.kind === "approval") return "a person has to answer it: pawl approve, or pawl reject";
	if (scope !== RUN_SCOPE && story?.status !== "in_progress" && story?.status !== "failed")
		return `the story is ${story?.status ?? "unknown"}`;
	if (step.status === "in_progress") return "it is under way; pawl pause stops it first";
	if (step.status === "completed" || step.status === "skipped") return `it is ${step.status}`;
	return scope === RUN_SCOPE && isOnlySource(state, step) ? "the run has no stories without it; pawl cancel ends the run" : null;
}

/** Whether the run needs stories, has none yet, and no other step that comes before the work on them can give it any. It would fail, and no retry
 * would help. */
function isOnlySource({ definition, root, stories }: RunState, step: Step): boolean {
	const tells = (one: Step): boolean => grammarOf(definition, one, own(definition.types, one.type)?.role ?? "").stories !== undefined;
	const needs = root.steps.findIndex((one) => isAhead(one) && own(definition.types, one.type)?.each !== undefined);
	const each = own(definition.types, root.steps[needs]?.type ?? "")?.each;
	if (stories.length > 0 || each === undefined || each.atLeast === 0) return false;
	const before = root.steps.slice(0, needs);
	return before.some(({ id }) => id === step.id) && tells(step) && !before.some((one) => one.id !== step.id && isAhead(one) && tells(one));
}

const isAhead = ({ status }: Step): boolean => status === "pending" || status === "in_progress" || status === "waiting";

export function skipStep(d: Decision, { scope, step: name, reason, id }: Extract<Input, { type: "skip_step" }>): void {
	const step = findScope(d.state, scope)?.steps.find((s) => s.id === name);
	if (step === undefined || whyNotSkip(d.state, scope, step) !== null) return;
	const story = d.state.stories.find((s) => s.id === scope);
	const excused = isExcusedBy(d.state, scope, own(d.state.definition.types, step.type));
	d.emit({ event: "decided", scope, step: name, id: id ?? null, verdict: "skip", reason });
	if (d.state.status !== "running" && (d.state.status === "waiting" || story?.status === "failed")) d.emit({ event: "run_resumed" });
	if (story?.status === "failed") d.emit({ event: "story_retried", scope });
	d.emit({ event: "step_skipped", scope, step: name, reason: `a person: ${reason}` });
	if (excused) excuseStory(d, scope, reason);
}
