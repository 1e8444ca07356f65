// How a commit came to be, from the journal: what was asked, the steps and who did them, the checks, edits, restarts, what people decided, what it cost.
import { headOf } from "../../core/cut.ts";
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { findScope } from "../../core/query.ts";
import { type AttemptView, attemptsOf } from "../look/attempts.ts";
import { type ChecksView, checksView } from "../look/criteria/checks.ts";
import { criteriaOf, evidenceOf } from "../look/criteria/evidence.ts";
import { iso } from "../look/json-values.ts";
import { NOTHING_SPENT, spentBy, spentJson } from "../look/spent.ts";

/** A note has to stay small: it is fetched with the repository. */
const MOST_BYTES = 4000;

export type Receipt = ReturnType<typeof receiptOf>;

/** `scope`: a story, or `RUN_SCOPE` for what the run made as a whole. */
export function receiptOf(state: RunState, events: readonly Event[], scope: string, commits: readonly string[]) {
	const story = state.stories.find(({ id }) => id === scope);
	const attempts = attemptsOf(state, events).filter((one) => (one.story ?? RUN_SCOPE) === scope);
	const prompts = promptsOf(events, scope);
	const shown =
		evidenceOf(state, events).get(scope) ?? criteriaOf(state, scope).map((criterion) => ({ criterion, met: null, evidence: [] }));
	// A run as a whole cost what its stories cost, too.
	const spent = spentBy(events, state, (of) => (scope === RUN_SCOPE || of === scope ? scope : null)).get(scope) ?? NOTHING_SPENT;
	return {
		format: 1,
		run: state.id,
		workflow: state.definition.name,
		story: story?.id ?? null,
		status: story?.status ?? state.status,
		commits,
		asked: {
			title: story?.title ?? state.title,
			description: headOf(story?.description ?? state.input["request"] ?? "", MOST_BYTES),
		},
		criteria: shown.map(({ criterion, met, evidence }) => ({ criterion, met, evidence: evidence.map(({ text }) => text) })),
		steps: (findScope(state, scope)?.steps ?? []).map((step) => ({
			step: step.id,
			type: step.type,
			description: headOf(step.description, MOST_BYTES),
			status: step.status,
			attempts: attempts
				.filter((one) => one.step === step.id)
				.map((one) => ({ ...doneBy(one), prompt: prompts.get(`${one.step} ${one.number}`) ?? null })),
		})),
		checks: lastChecks(checksView(state, events), scope),
		edits: events.flatMap((event) =>
			event.event === "workflow_edited" && event.scope === scope
				? [{ step: event.step, operation: event.details.operation, reason: event.details.reason }]
				: [],
		),
		restarts: events.filter((event) => event.event === "step_restarted" && event.scope === scope).length,
		decisions: events.flatMap((event) =>
			event.event === "decided" && event.scope === scope
				? [{ at: iso(event.at), step: event.step, verdict: event.verdict, reason: event.reason, by: event.by?.user ?? null }]
				: [],
		),
		cost: spentJson(spent),
	};
}

const doneBy = ({ number, role, agent, model, effort, started_at, ended_at, signal, reason, cost_usd }: AttemptView) => ({
	number,
	role,
	agent,
	model,
	effort,
	started_at,
	ended_at,
	signal,
	reason,
	cost_usd,
});

/** How each check ended the last time: on what is delivered. */
function lastChecks({ checks }: ChecksView, scope: string) {
	const last = new Map<string, { check: string; command: string; exit_code: number | null; tree: string | null; step: string }>();
	for (const { story, check, command, exit_code, tree, step } of checks)
		if ((story ?? RUN_SCOPE) === scope) last.set(check, { check, command, exit_code, tree, step });
	return [...last.values()];
}

/** Step and attempt → the hash of what the agent was told. */
const promptsOf = (events: readonly Event[], scope: string): ReadonlyMap<string, string> =>
	new Map(
		events.flatMap((event) =>
			event.event === "usage_recorded" && event.scope === scope && event.prompt !== undefined
				? [[`${event.step} ${event.attempt}`, event.prompt] as const]
				: [],
		),
	);
