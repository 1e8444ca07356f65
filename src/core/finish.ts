// The end of an attempt: usage, evidence, edits and signal come in together and are decided together, so that none of
// them is lost or taken twice.
import { chargeAttempt, chargeUsage } from "./budget.ts";
import type { ReportGrammar, StepType } from "./definition.ts";
import { FAILURES } from "./definition.ts";
import type { Draft } from "./draft.ts";
import { decideEdits } from "./edit.ts";
import { finishMember } from "./gate.ts";
import type { Outcome, StorySeed } from "./input.ts";
import { RUN_SCOPE, type RunState, type Step } from "./model.ts";
import { attemptOf, grammarOf, isOpen, typeOf } from "./query.ts";
import { FEEDBACK_TEXT } from "./report.ts";
import { type Result, takeRoute } from "./route.ts";
import { cancelRunning } from "./story.ts";

const isFailure = (signal: string): boolean => (FAILURES as readonly string[]).includes(signal);

export function finishAttempt(d: Draft, scopeId: string, stepId: string, number: number, outcome: Outcome): void {
	const step = d.step(scopeId, stepId);
	const type = step && typeOf(d.state, step);
	const attempt = attemptOf(step, number);
	if (!step || !type || !attempt)
		return d.emit({
			event: "attempt_ignored",
			scope: scopeId,
			step: stepId,
			attempt: number,
			reason: `a result (${outcome.signal}) of an attempt that is not under way`,
		});
	// Actions and commands are the engine's own work: no session, no cost.
	if (type.kind !== "action" && type.kind !== "command") chargeUsage(d, scopeId, stepId, number, outcome.usage);
	chargeAttempt(d, scopeId, step, outcome.signal);
	if (type.session === "continue" && outcome.session && !isFailure(outcome.signal))
		d.emit({ event: "session_recorded", scope: scopeId, role: attempt.role, session: outcome.session });
	if (outcome.checks.length > 0)
		d.emit({ event: "checks_recorded", scope: scopeId, step: stepId, attempt: number, checks: outcome.checks });
	if (Object.keys(outcome.facts ?? {}).length > 0) d.emit({ event: "fields_set", scope: scopeId, fields: outcome.facts ?? {} });
	for (const text of outcome.remarks ?? []) d.emit({ event: "remarked", scope: scopeId, step: stepId, attempt: number, text });
	if (!isOpen(d.state, scopeId))
		return d.emit({ event: "step_cancelled", scope: scopeId, step: stepId, attempt: number, error: "the story had ended" });
	if (type.kind === "gate") return finishMember(d, scopeId, step, type, number, attempt.role, outcome);
	if (type.kind === "loop") return finishIteration(d, scopeId, step, number, attempt.role, outcome);
	const edits = takeEdits(d, scopeId, step, type, number, outcome);
	if (edits === "ended") return;
	if (outcome.changed && !isFailure(outcome.signal)) recordChange(d, scopeId);
	const grammar = grammarOf(d.state.definition, step, attempt.role);
	const begun = grammar.open && outcome.stories !== null && d.state.stories.some((s) => s.status !== "unclaimed");
	if (begun && !isFailure(outcome.signal))
		return takeRoute(d, scopeId, stepId, number, {
			...resultOf(outcome),
			signal: "unreadable",
			error: "a list of stories came, but work on the stories has begun: the list stays as it is",
		});
	if (grammar.open && !isFailure(outcome.signal)) keepFields(d, scopeId, grammar, outcome);
	if (!isFailure(outcome.signal))
		for (const { name, text } of outcome.kept ?? []) d.emit({ event: "kept", scope: scopeId, step: stepId, name, text });
	if (outcome.stories !== null && !isFailure(outcome.signal) && !type.replaces)
		d.emit({ event: grammar.open && d.state.stories.length > 0 ? "stories_replaced" : "stories_added", stories: outcome.stories });
	const now = d.step(scopeId, stepId);
	if (edits !== "none" && now && type.last && pendingBefore(d, scopeId, now)) {
		d.emit({ event: "step_reopened", scope: scopeId, step: stepId, reason: "its edits put steps before it" });
		return;
	}
	const failing = outcome.checks.some((c) => c.exitCode !== 0);
	// A failing check is the engine's evidence against the agent's word. Where the agent saw it too and asked for steps
	// that mend it, these run instead of ours.
	const signal = failing && !isFailure(outcome.signal) && edits !== "added" ? "checks_failed" : outcome.signal;
	if (failing && !isFailure(outcome.signal)) tellChecks(d, scopeId, stepId, outcome);
	takeRoute(d, scopeId, stepId, number, { ...resultOf(outcome), signal });
	if (type.replaces && signal === outcome.signal && !isFailure(signal)) replaceStories(d, outcome.stories ?? []);
}

/** Whatever is not completed gives way, the story that asked for it included. */
function replaceStories(d: Draft, seeds: readonly StorySeed[]): void {
	if (seeds.length === 0 || d.state.status !== "running") return;
	for (const story of d.state.stories)
		if (story.status === "in_progress") {
			for (const step of story.scope.steps) cancelRunning(d, story.id, step, "the stories were planned anew");
			d.effect({ effect: "release_story", scope: story.id, slot: story.slot ?? 1, completed: false });
		}
	const stories = seeds.map((seed) => ({ ...seed, ...groupOf(d.state, seed) }));
	d.emit({ event: "stories_replaced", stories, keep: "completed" });
}

/** A new story belongs to the group of its namesake, else to that of the stories whose ids begin alike (`2.1` and `2.2`). */
function groupOf(state: RunState, seed: StorySeed): { group?: string } {
	if (seed.group !== undefined) return { group: seed.group };
	const stem = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf(".")));
	const like = state.stories.find((s) => s.id === seed.id) ?? state.stories.find((s) => stem(s.id) !== "" && stem(s.id) === stem(seed.id));
	return like?.group ? { group: like.group } : {};
}

/** What was said is there for every later step; a story's own word counts first in the story. */
function keepFields(d: Draft, scope: string, grammar: ReportGrammar, outcome: Outcome): void {
	const said = Object.entries(outcome.fields).filter(([key]) => key !== grammar.stories && key !== FEEDBACK_TEXT);
	if (said.length === 0) return;
	const fields = Object.fromEntries(said.map(([key, value]) => [key.toLowerCase(), value]));
	d.emit({ event: "fields_set", scope: RUN_SCOPE, fields });
	if (scope !== RUN_SCOPE) d.emit({ event: "fields_set", scope, fields });
}

const resultOf = (outcome: Outcome): Result => ({
	signal: outcome.signal,
	error: outcome.error,
	notes: outcome.notes,
	fields: outcome.fields,
	findings: outcome.findings,
	checks: outcome.checks,
	retryAt: outcome.retryAt,
});

function recordChange(d: Draft, scopeId: string): void {
	if (scopeId !== RUN_SCOPE && d.state.stories.some((s) => s.id === scopeId && !s.changed))
		d.emit({ event: "change_recorded", scope: scopeId });
}

/** `ended`: the edits decided the step's fate. `added`: they put in steps. `taken`: others. */
function takeEdits(
	d: Draft,
	scope: string,
	step: Step,
	type: StepType,
	attempt: number,
	outcome: Outcome,
): "none" | "taken" | "added" | "ended" {
	if (outcome.edits === null) return "none";
	if (isFailure(outcome.signal)) {
		d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "failed", reasons: [outcome.error ?? outcome.signal] });
		return "none";
	}
	const whole = d.scope(scope);
	if (!whole) return "none";
	const decision = type.edits
		? decideEdits(outcome.edits, whole, step, d.state.definition)
		: ({ ok: false, reasons: [`steps of type ${type.name} may not edit the workflow`], restartLimit: false } as const);
	if (!decision.ok) {
		d.emit({ event: "edit_rejected", scope, step: step.id, reasons: decision.reasons });
		d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "rejected", reasons: decision.reasons });
		d.effect({
			effect: "append_scratch",
			scope,
			at: d.at,
			text: `the workflow edits of ${step.id} (${type.name}) were rejected as a whole, nothing was changed:\n${decision.reasons.map((r) => `- ${r}`).join("\n")}`,
		});
		if (!decision.restartLimit) return "none";
		takeRoute(d, scope, step.id, attempt, {
			...resultOf(outcome),
			signal: "agent_error",
			error: decision.reasons.find((r) => r.includes("restart limit")) ?? "restart limit reached",
		});
		return "ended";
	}
	for (const edit of decision.edits) d.emit({ event: "workflow_edited", scope, step: step.id, details: edit.details, order: edit.order });
	d.effect({ effect: "settle_edits", scope, step: step.id, attempt, how: "applied", reasons: [] });
	if (decision.restart === null) return decision.added > 0 ? "added" : "taken";
	if (step.commit !== null)
		d.effect({
			effect: "rollback",
			scope,
			step: step.id,
			attempt,
			commit: step.commit,
			folder: "restarts",
			name: `${scope === RUN_SCOPE ? "run" : scope}-${step.id}-${step.restarts + 1}`,
		});
	d.emit({ event: "step_restarted", scope, step: step.id, attempt, description: decision.restart });
	return "ended";
}

function pendingBefore(d: Draft, scopeId: string, step: Step): boolean {
	const steps = d.scope(scopeId)?.steps ?? [];
	return steps
		.slice(
			0,
			steps.findIndex((s) => s.id === step.id),
		)
		.some((s) => s.status === "pending" && !typeOf(d.state, s)?.internal);
}

function tellChecks(d: Draft, scope: string, step: string, outcome: Outcome): void {
	for (const check of outcome.checks)
		if (check.exitCode !== 0)
			d.effect({
				effect: "append_scratch",
				scope,
				at: d.at,
				text: `after ${step} the engine ran the check ${check.name}, \`${check.command}\`: ${check.exitCode === null ? "it did not end" : `exit ${check.exitCode}`}. The end of its output:\n\`\`\`\n${check.output.slice(-4000)}\n\`\`\``,
			});
}

function finishIteration(d: Draft, scope: string, step: Step, number: number, role: string, outcome: Outcome): void {
	d.emit({ event: "attempt_reported", scope, step: step.id, attempt: number, role, signal: outcome.signal, findings: outcome.findings });
	if (outcome.changed && !isFailure(outcome.signal)) recordChange(d, scope);
	takeRoute(d, scope, step.id, number, resultOf(outcome));
}
