// Takes the results of an attempt in one place for all kinds of steps: usage, session, checks, facts, remarks, edits, changes,
// fields, kept values and stories. Add a new part of an outcome here, so that no kind of step can forget it.

import { failedIn } from "../check/accepted.ts";
import { isFailure, type ReportGrammar, type StepType, UNCHANGED } from "../definition.ts";
import type { HeldOutcome, Outcome } from "../input.ts";
import { isMark } from "../mark.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../model.ts";
import { grammarOf, isOpen, own, sideBySide, typeOf } from "../query.ts";
import { FEEDBACK_TEXT } from "../report/report.ts";
import { chargeAttempt, chargeUsage } from "./budget.ts";
import { leavesOthers } from "./cancel.ts";
import type { Decision } from "./decision.ts";
import { dropEdits, takeEdits } from "./edit-request.ts";

/** The attempt that has ended. */
export interface EndedAttempt {
	readonly scope: string;
	/** As it was when the attempt ended. */
	readonly step: Step;
	readonly type: StepType;
	readonly attempt: number;
	readonly role: string;
}

export interface TakenOutcome {
	/** With the signal that counts, which may not be the one that the agent gave. */
	readonly outcome: Outcome;
	/** Its edits put steps before it. */
	readonly ahead: boolean;
	/** Why its edits were rejected; null if they were not. */
	readonly rejected: readonly string[] | null;
}

/** null: the step's fate is decided, and there is no signal left to route. */
export function takeOutcome(d: Decision, ended: EndedAttempt, given: Outcome): TakenOutcome | null {
	const { scope, step, type, attempt, role } = ended;
	// Actions and commands are the engine's own work: no session, no cost.
	if (type.kind !== "action" && type.kind !== "command") chargeUsage(d, ended, given);
	chargeAttempt(d, scope, step, given.signal);
	if (type.session === "continue" && given.session && !isFailure(given.signal))
		d.emit({ event: "session_recorded", scope, role, session: given.session });
	if (given.checks.length > 0) d.emit({ event: "checks_recorded", scope, step: step.id, attempt, checks: given.checks });
	if (Object.keys(given.facts ?? {}).length > 0) d.emit({ event: "fields_set", scope, fields: given.facts ?? {} });
	const { pullRequest } = given;
	if (pullRequest !== undefined && type.kind === "action" && pullRequest.url !== d.state.pullRequest?.url)
		d.emit({ event: "pull_request_opened", ...pullRequest });
	for (const text of given.remarks ?? []) d.emit({ event: "remarked", scope, step: step.id, attempt, text });
	if (!isOpen(d.state, scope)) {
		const error = "the story had ended";
		if (given.edits !== null) dropEdits(d, scope, step, attempt, error);
		if (leavesOthers(d, ended, error)) return null;
		d.emit({ event: "step_cancelled", scope, step: step.id, attempt, error });
		return null;
	}
	const grammar = grammarOf(d.state.definition, step, role);
	const outcome = withoutEmptyDone(d.state, ended, withoutLateStories(d, grammar, given));
	const edits = takeEdits(d, ended, outcome);
	if (edits.how === "ended") return null;
	const ahead = edits.how === "applied" && pendingBefore(d, ended);
	if (isFailure(outcome.signal) || outcome.signal === UNCHANGED) return { outcome, ahead, rejected: null };
	// A person decides first whether any of it counts.
	if (outcome.unclear === undefined) takeReport(d, ended, outcome);
	const judged = judgedByChecks(d.scope(scope), ended, outcome, edits.how === "applied" && edits.added);
	return { outcome: judged, ahead, rejected: edits.how === "rejected" ? edits.reasons : null };
}

/** What the report itself brings. */
export function takeReport(d: Decision, { scope, step, type, attempt, role }: EndedAttempt, outcome: HeldOutcome): void {
	const grammar = grammarOf(d.state.definition, step, role);
	if (outcome.changed || outcome.changedBefore) recordChange(d, scope);
	if (grammar.open) keepFields(d, scope, grammar, outcome);
	for (const { name, text } of outcome.kept ?? []) d.emit({ event: "kept", scope, step: step.id, name, text });
	if (outcome.stories !== null && !type.replaces) {
		d.emit({ event: grammar.open && d.state.stories.length > 0 ? "stories_replaced" : "stories_added", stories: outcome.stories });
		for (const text of whyInOrder(d.state)) d.emit({ event: "remarked", scope, step: step.id, attempt, text });
	}
}

/** A person who gave several agents expects several at work. */
function whyInOrder(state: RunState): string[] {
	const { agents } = state.options;
	const each = Object.values(state.definition.types).find((type) => type.each)?.each;
	if (agents < 2 || !each?.onlyDeclared || state.stories.length < 2 || sideBySide(state)) return [];
	return [
		`the stories are worked on one after the other, although there are ${agents} agents: none of them names another in \`depends_on\`, and not each of them has an empty list there, so the order of the list counts`,
	];
}

/** Rejects a list of stories that comes after work on the stories has begun. */
function withoutLateStories(d: Decision, grammar: ReportGrammar, outcome: Outcome): Outcome {
	const begun = d.state.stories.some((s) => s.status !== "unclaimed") || isEachOver(d.state);
	const late = grammar.open && outcome.stories !== null && begun;
	if (!late || isFailure(outcome.signal)) return outcome;
	const error = "a list of stories came, but work on the stories has begun: the list stays as it is";
	return { ...outcome, signal: "unreadable", error };
}

const NOTHING_CHANGED = "it says that it is done, but nothing was changed: there is no commit and no changed file";

/** What a report says of work that is not there does not count. */
function withoutEmptyDone(state: RunState, { scope, type }: EndedAttempt, outcome: Outcome): Outcome {
	const story = state.stories.find((one) => one.id === scope);
	const expected = type.expectsChange === true && (story?.expectsChange ?? true);
	if (!expected || outcome.empty !== true || outcome.signal !== "done") return outcome;
	return { ...outcome, signal: UNCHANGED, error: NOTHING_CHANGED };
}

/** The step that opens stories has ended, perhaps without any: nobody would work on those that come now. */
const isEachOver = (state: RunState): boolean =>
	state.root.steps.some((step) => step.status === "completed" && typeOf(state, step)?.kind === "each");

/** A failing check is the engine's evidence against the agent's word. If the agent saw it too and asked for steps that repair it, these
 * run instead of ours. The keeper of a loop may report checks that it has judged itself: they count if the loop has a route for them. */
function judgedByChecks(scope: Scope | undefined, { type }: EndedAttempt, outcome: Outcome, mended: boolean): Outcome {
	const failed = failedIn(scope, outcome.checks);
	if (failed.length === 0 || (type.kind === "loop" && !own(type.routes, "checks_failed"))) return outcome;
	const meant = failed.find((c) => own(type.routes, c.signal ?? ""))?.signal;
	return mended ? outcome : { ...outcome, signal: meant ?? "checks_failed" };
}

/** Every later step sees the fields; in a story, the story's own fields win. */
function keepFields(d: Decision, scope: string, grammar: ReportGrammar, outcome: HeldOutcome): void {
	const said = Object.entries(outcome.fields).filter(
		([key]) => key !== grammar.stories && key !== FEEDBACK_TEXT && !isMark(key.toLowerCase()),
	);
	if (said.length === 0) return;
	const fields = Object.fromEntries(said.map(([key, value]) => [key.toLowerCase(), value]));
	d.emit({ event: "fields_set", scope: RUN_SCOPE, fields });
	if (scope !== RUN_SCOPE) d.emit({ event: "fields_set", scope, fields });
}

function recordChange(d: Decision, scope: string): void {
	if (d.state.stories.some((s) => s.id === scope && !s.changed)) d.emit({ event: "change_recorded", scope });
}

export function pendingBefore(d: Decision, { scope, step }: EndedAttempt): boolean {
	const steps = d.scope(scope)?.steps ?? [];
	const at = steps.findIndex((s) => s.id === step.id);
	return steps.slice(0, at).some((s) => s.status === "pending" && !typeOf(d.state, s)?.internal);
}
