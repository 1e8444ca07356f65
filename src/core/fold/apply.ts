// The fold: state + event → state. It decides nothing. An event that does not fit leaves the state unchanged, so that every journal
// can be read.
import { failedIn, isSameCheck } from "../check/accepted.ts";
import { passKeyOf } from "../check/passed.ts";
import { isFailure, routeOf } from "../definition.ts";
import type { Event, EventOf, NewStep } from "../event.ts";
import { findingText } from "../finding.ts";
import { type BudgetState, type FailingCheck, RUN_SCOPE, type RunState, type Scope, type Step, type Story, type Usage } from "../model.ts";
import { findScope, findStep, indexOfStep, own } from "../query.ts";
import { placed, questionOf, stepAfter } from "./apply-step.ts";
import { adopted, emptyScope, fresh, NO_USAGE, newStep, newStories, replaced } from "./begin.ts";
import { busyAfter, NOT_BUSY } from "./busy.ts";

export function fold(events: Iterable<Event>, from: RunState | null = null): RunState | null {
	let state = from;
	for (const event of events) state = apply(state, event);
	return state;
}

export function apply(state: RunState | null, event: Event): RunState | null {
	if (event.event === "run_created") return state ?? created(event);
	if (state === null) return null;
	const next = change(state, event);
	return { ...next, version: state.version + 1, busy: busyAfter(state, next, event) };
}

function created(event: EventOf<"run_created">): RunState {
	const budgets: Record<string, BudgetState> = {};
	for (const [name, budget] of Object.entries(event.definition.budgets)) budgets[name] = { limit: budget.limit, spent: 0, warned: [] };
	for (const [name, limit] of Object.entries(event.options.budgets)) budgets[name] = { limit, spent: 0, warned: [], byPerson: true };
	return {
		id: event.id,
		version: 1,
		definition: event.definition,
		options: event.options,
		title: event.title,
		input: event.input,
		status: "running",
		reason: null,
		stopping: null,
		createdAt: event.at,
		endedAt: null,
		idleSince: null,
		idleMs: 0,
		busy: { ...NOT_BUSY, at: event.at },
		...(event.options.allowUnknownCost ? { allowsUnknownCost: true } : {}),
		...(event.options.ownLimits ? { ownLimits: event.options.ownLimits } : {}),
		aborting: false,
		branch: null,
		steered: [],
		root: emptyScope(RUN_SCOPE, event.fields),
		stories: [],
		budgets,
		totals: { ...NO_USAGE, unknownCost: 0, attempts: 0 },
	};
}

function change(state: RunState, event: Exclude<Event, EventOf<"run_created">>): RunState {
	switch (event.event) {
		case "stories_added":
			return { ...state, stories: [...state.stories, ...newStories(state, event)] };
		case "story_changed":
			return inStory(state, event.scope, (story) => ({
				...story,
				title: event.title,
				description: event.description,
				criteria: event.criteria,
			}));
		case "stories_replaced":
			return replaced(state, event);
		case "run_adopted":
			return adopted(state, event);
		case "steps_planned":
			return inScope(state, event.scope, (scope) => withSteps(scope, [...scope.steps, ...event.steps.map(newStep)], event.steps));
		case "story_claimed":
			return inStory(state, event.scope, (story) => ({
				...story,
				status: "in_progress",
				slot: event.slot,
				claimedAt: event.at,
				error: null,
			}));
		case "story_completed":
			return inStory(state, event.scope, (story) => ({ ...story, status: "completed", completedAt: event.at }));
		case "story_failed":
			return inStory(state, event.scope, (story) => ({ ...story, status: "failed", error: event.error }));
		case "story_blocked":
			return inStory(state, event.scope, (story) => ({ ...story, status: "blocked", error: `needs ${event.by}, which did not complete` }));
		case "story_unblocked":
			return inStory(state, event.scope, (story) => ({ ...story, status: "unclaimed", error: null }));
		case "story_retried":
			return inStory(state, event.scope, (story) => ({
				...story,
				status: "unclaimed",
				error: null,
				scope: { ...story.scope, counters: {} },
			}));
		case "change_recorded":
			return inStory(state, event.scope, (story) => ({ ...story, changed: true }));
		case "story_excused":
			return inStory(state, event.scope, (story) => ({ ...story, expectsChange: false, excused: event.reason }));
		case "steps_inserted":
			return inScope(state, event.scope, (scope) => {
				const at = scope.steps.findIndex((s) => s.id === event.after) + 1;
				return withSteps(
					scope,
					[...scope.steps.slice(0, at), ...event.steps.map((step) => copied(newStep(step), event.reason)), ...scope.steps.slice(at)],
					event.steps,
				);
			});
		case "workflow_edited":
			return inScope(state, event.scope, (scope) => edited(scope, event));
		case "counted":
			return inScope(state, event.scope, (scope) => ({
				...scope,
				counters: { ...scope.counters, [event.counter]: (scope.counters[event.counter] ?? 0) + 1 },
			}));
		case "counters_reset":
			return inScope(state, event.scope, (scope) => ({
				...scope,
				counters: Object.fromEntries(Object.entries(scope.counters).filter(([key]) => !event.counters.includes(key))),
			}));
		case "fields_set": {
			const limits = event.limits ? { ownLimits: [...new Set([...(state.ownLimits ?? []), ...event.limits])] } : {};
			return inScope({ ...state, ...limits }, event.scope, (scope) => ({ ...scope, fields: { ...scope.fields, ...event.fields } }));
		}
		case "cost_unknown":
			return { ...state, unpriced: { step: event.step, role: event.role } };
		case "unknown_cost_allowed":
			return { ...state, allowsUnknownCost: true, unpriced: null };
		case "session_recorded":
			return inScope(state, event.scope, (scope) => ({ ...scope, sessions: { ...scope.sessions, [event.role]: event.session } }));
		case "converged":
			return inScope(state, event.scope, (scope) => ({
				...scope,
				kept: [...scope.kept, ...event.findings.map((one) => ({ name: "converged", step: event.step, text: findingText(one) }))],
			}));
		case "kept":
			return inScope(state, event.scope, (scope) => ({
				...scope,
				kept: [...scope.kept, { name: event.name, step: event.step, text: event.text }],
			}));
		case "usage_recorded":
			return withUsage(state, event);
		case "budget_spent":
			return inBudget(state, event.budget, (b) => ({ ...b, spent: b.spent + event.amount }));
		case "budget_warned":
			return inBudget(state, event.budget, (b) => ({ ...b, warned: [...b.warned, event.share] }));
		case "budget_extended":
			return {
				...state,
				budgets: {
					...state.budgets,
					[event.budget]: { spent: 0, warned: [], ...state.budgets[event.budget], limit: event.limit, byPerson: true },
				},
			};
		case "merges_sought":
			return { ...state, sought: true };
		case "merges_looked_for":
			return { ...state, sought: false, lost: event.missing };
		case "settings_accepted":
			return { ...state, options: { ...state.options, shell: { ...state.options.shell, settings: event.settings } } };
		case "stop_requested":
			return { ...state, stopping: event.how };
		case "run_resumed": {
			const idle = state.idleSince === null ? 0 : Math.max(0, event.at - state.idleSince);
			return {
				...state,
				stopping: null,
				status: "running",
				reason: null,
				endedAt: null,
				idleSince: null,
				idleMs: state.idleMs + idle,
				unpriced: null,
			};
		}
		case "run_aborting":
			// A request to stop is settled by this: only the abort steps are left to do.
			return {
				...state,
				aborting: true,
				reason: event.reason,
				gaveUp: event.reason,
				stopping: null,
				...(event.ends === undefined ? {} : { endsAs: event.ends }),
			};
		case "run_status_changed": {
			const runs = event.status === "running";
			return {
				...state,
				status: event.status,
				reason: event.reason,
				endedAt: runs ? null : event.at,
				idleSince: runs ? null : (state.idleSince ?? event.at),
			};
		}
		case "message_taken":
			return { ...state, taken: { ...state.taken, [event.inbox]: event.id } };
		case "run_held":
			return { ...state, held: event.reason };
		case "work_undone":
			return { ...state, undone: [...(state.undone ?? []), ...event.commits] };
		case "pull_request_opened":
			return { ...state, pullRequest: { url: event.url, branch: event.branch, base: event.base } };
		case "run_steered":
			return { ...state, steered: [...state.steered, event.text] };
		case "checks_recorded":
			return checked(state, event);
		case "edit_rejected":
			return doubted(state, event.scope, event.step, [`the edits that it asked for were rejected: ${event.reasons.join("; ")}`]);
		case "issue_commented":
		case "limit_asked":
		case "engine_missed":
		case "attempt_ignored":
		case "remarked":
			return state;
		case "route_taken": {
			const type = own(state.definition.types, findStep(state, event.scope, event.step)?.type ?? "");
			if (type === undefined) return state;
			const putsBack = routeOf(type, event.signal)?.rollback !== undefined;
			// What an attempt leaves that is only not done yet stays: what was put back before it is no longer news. In a loop or a gate others may
			// have had their turn since.
			if (!putsBack && (type.kind !== "agent" || isFailure(event.signal))) return state;
			return inStep(state, event.scope, event.step, (step) => {
				const settled = !putsBack;
				return (step.settled ?? false) === settled ? step : { ...step, settled };
			});
		}
		case "decided":
			return accepted({ ...state, decision: event }, event);
		case "step_completed": {
			const next = proved(
				inStep(state, event.scope, event.step, (step) => stepAfter(step, event)),
				event,
			);
			return event.unchanged === true ? next : workedOn(next, event.scope, event.step);
		}
		case "step_prepared": {
			const next = inStep(state, event.scope, event.step, (step) => stepAfter(step, event));
			return event.branch === undefined ? next : { ...next, branch: event.branch };
		}
		case "step_started":
			return inStep(state, event.scope, event.step, (step) => {
				const next = stepAfter(step, event);
				return event.announces ? placed(next, event.attempt, state.version + 1) : next;
			});
		case "step_waiting":
			return inStep(state, event.scope, event.step, (step) => ({
				...stepAfter(step, event),
				question: questionOf(event, state.version + 1),
			}));
		default:
			return inStep(state, event.scope, event.step, (step) => stepAfter(step, event));
	}
}

/** The feedback for a copy of a step that was cut off: what happened to the original. */
const copied = (step: Step, reason: string): Step => (step.origin === step.id ? step : { ...step, feedback: reason });

/** Remembers passed checks by tree, and failed checks until they pass. */
function checked(state: RunState, event: EventOf<"checks_recorded">): RunState {
	const passed = event.checks.flatMap((check) => (check.exitCode === 0 ? (passKeyOf(check) ?? []) : []));
	const known = findScope(state, event.scope);
	const failed = failedIn(known, event.checks);
	const remembered = passed.length === 0 ? state : { ...state, passed: [...new Set([...(state.passed ?? []), ...passed])] };
	const type = findStep(state, event.scope, event.step)?.type ?? "";
	const now = inScope(remembered, event.scope, (scope) => ({
		...scope,
		failing: [
			...(scope.failing ?? []).filter((one) => !event.checks.some((check) => check.name === one.name)),
			...failed.map(({ name, command, exitCode, output, signal, said, unsaid }) => ({
				name,
				command,
				exitCode,
				output,
				step: `${event.step} (${type})`,
				...(signal === undefined ? {} : { signal }),
				...(said === undefined ? {} : { said }),
				...(unsaid === undefined ? {} : { unsaid }),
			})),
		],
		checked: [
			...(scope.checked ?? []).filter((one) => !event.checks.some((check) => isSameCheck(one, check))),
			...event.checks.filter(({ said }) => said === undefined).map(({ name, command, exitCode }) => ({ name, command, exitCode })),
		],
	}));
	const doubts = failed
		.filter(({ said }) => said === undefined)
		.map(({ name, exitCode }) => `the check ${name} failed after it${exitCode === null ? "" : ` (exit ${exitCode})`}`);
	return doubts.length === 0 ? now : doubted(now, event.scope, event.step, doubts);
}

/** A step that checks what is delivered has ended. If it is done, none of its checks fails any more, not even one that says nothing while it passes. */
function proved(state: RunState, { scope: id, step, signal }: EventOf<"step_completed">): RunState {
	const type = findStep(state, id, step)?.type ?? "";
	if (!state.definition.types[type]?.proves) return state;
	const now = inStep(state, id, step, ({ unproved: _, ...rest }) => (signal === "checks_failed" ? { ...rest, unproved: true } : rest));
	if (signal !== "done") return now;
	const by = `${step} (${type})`;
	return inScope(now, id, (scope) => (scope.failing ? { ...scope, failing: scope.failing.filter((check) => check.step !== by) } : scope));
}

/** A person approved a step although checks of it cannot pass: these are what the question was about. */
function accepted(state: RunState, { scope: id, step: stepId, verdict }: EventOf<"decided">): RunState {
	const step = verdict === "approve" ? findStep(state, id, stepId) : undefined;
	if (step?.failedBy === undefined) return state;
	return inScope(state, id, (scope) => {
		const meant = (scope.failing ?? []).filter((check) => check.signal === step.failedBy);
		if (meant.length === 0) return scope;
		return {
			...scope,
			failing: (scope.failing ?? []).filter((check) => !meant.includes(check)),
			accepted: [...(scope.accepted ?? []), ...meant.map(({ name, command }) => ({ name, command }))],
		};
	});
}

/** A step that may change files has ended: what failing checks printed before it may no longer hold. */
function workedOn(state: RunState, scope: string, id: string): RunState {
	const type = findStep(state, scope, id)?.type ?? "";
	const since = `${id} (${type})`;
	const isDue = (check: FailingCheck): boolean => check.since === undefined && check.step !== since;
	const { writes = "none", kind } = state.definition.types[type] ?? {};
	// What pawl does by itself repairs nothing.
	if (writes === "none" || kind === "action") return state;
	return inScope(state, scope, (one) =>
		one.failing ? { ...one, failing: one.failing.map((check) => (isDue(check) ? { ...check, since } : check)) } : one,
	);
}

const doubted = (state: RunState, scope: string, id: string, doubts: readonly string[]): RunState =>
	inStep(state, scope, id, (step) => ({ ...step, doubts: [...(step.doubts ?? []), ...doubts] }));

function edited(scope: Scope, event: EventOf<"workflow_edited">): Scope {
	const { details } = event;
	const steps = new Map(scope.steps.map((s) => [s.id, s]));
	for (const step of details.new_steps ?? []) steps.set(step.id, newStep(step));
	const target = steps.get(details.target_step_id ?? "");
	if (target && details.operation === "skip") steps.set(target.id, { ...fresh(target), status: "skipped", skipReason: details.reason });
	if (target && details.operation === "edit_description" && details.new_description !== undefined)
		steps.set(target.id, { ...target, description: details.new_description });
	const ordered = event.order.flatMap((id) => steps.get(id) ?? []);
	return withSteps(scope, ordered, details.new_steps ?? []);
}

function withUsage(state: RunState, event: EventOf<"usage_recorded">): RunState {
	const { usage, model } = event;
	const next = inStep(state, event.scope, event.step, (step) => ({
		...step,
		usage: addUsage(step.usage, usage),
		...(model === undefined || step.doneBy === undefined ? {} : { doneBy: { ...step.doneBy, model } }),
	}));
	const totals = { ...state.totals, ...addUsage(state.totals, usage), attempts: state.totals.attempts + 1 };
	if (usage.costUsd === null) return { ...next, totals: { ...totals, unknownCost: totals.unknownCost + 1 } };
	return { ...next, totals, dearest: Math.max(state.dearest ?? 0, usage.costUsd) };
}

const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
export const addUsage = (a: Usage, b: Usage): Usage => ({
	costUsd: add(a.costUsd, b.costUsd),
	inputTokens: add(a.inputTokens, b.inputTokens),
	outputTokens: add(a.outputTokens, b.outputTokens),
});

export const stepNumber = (id: string): number => Number(/^step-(\d+)$/.exec(id)?.[1] ?? 0);
export const stepId = (number: number): string => `step-${String(number).padStart(3, "0")}`;

const withSteps = (scope: Scope, steps: readonly Step[], added: readonly NewStep[]): Scope => ({
	...scope,
	steps,
	nextNumber: added.reduce((next, s) => Math.max(next, stepNumber(s.id) + 1), scope.nextNumber),
});

function inStory(state: RunState, id: string, f: (story: Story) => Story): RunState {
	const at = state.stories.findIndex((s) => s.id === id);
	const story = state.stories[at];
	return story ? { ...state, stories: state.stories.with(at, f(story)) } : state;
}

function inScope(state: RunState, id: string, f: (scope: Scope) => Scope): RunState {
	return id === RUN_SCOPE ? { ...state, root: f(state.root) } : inStory(state, id, (story) => ({ ...story, scope: f(story.scope) }));
}

function inStep(state: RunState, scope: string, id: string, f: (step: Step) => Step): RunState {
	return inScope(state, scope, (s) => {
		const at = indexOfStep(s.steps, id);
		const step = s.steps[at];
		return step ? { ...s, steps: s.steps.with(at, f(step)) } : s;
	});
}

function inBudget(state: RunState, name: string, f: (budget: BudgetState) => BudgetState): RunState {
	const budget = state.budgets[name];
	return budget ? { ...state, budgets: { ...state.budgets, [name]: f(budget) } } : state;
}
