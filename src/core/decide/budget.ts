// Budgets: cost, time and counts. Checked before an attempt starts, with a reserve for the attempts that are running, so that several
// at once cannot overshoot together.
import { type Counter, countOf, keyOf } from "../counter.ts";
import { type Budget, isFailure, type StepKind } from "../definition.ts";
import type { Outcome } from "../input.ts";
import { type BudgetState, RUN_SCOPE, type RunState, type Scope, type Step } from "../model.ts";
import { allScopes, holds, own, runningAttempts, typeOf, workedMs } from "../query.ts";
import type { Decision } from "./decision.ts";
import { halt } from "./story.ts";

const WARN_AT: readonly number[] = [0.75, 0.9];

/** The step whose attempts take a unit of a budget (`spend`). */
export interface Spender {
	readonly scope: Scope;
	readonly step: Step;
}

/** The attempt that is charged. */
interface Charged {
	readonly scope: string;
	readonly step: Step;
	readonly attempt: number;
	readonly role: string;
}

/** Whether `count` more attempts may start. Cost and time stop the whole run, as soon as nothing runs. A budget that steps spend holds up only
 * the scopes whose next step needs a unit; the run stops when nothing else can go on (`heldUp`). */
export function attemptBudget(d: Decision, count = 1, spender?: Spender): boolean {
	const over = overall(d.state, d.at)?.text ?? unknownCost(d.state);
	const running = runningAttempts(d.state);
	if (over !== null) {
		if (running.length === 0) halt(d, "stopped", over);
		return false;
	}
	if (spender && usedUp(d.state, spender)) return false;
	const cost = d.state.budgets["cost"];
	const costly = running.filter((r) => costs(d.state, r.step)).length;
	// A single attempt may always start, or a run with a small budget would never end.
	if (cost === undefined || costly === 0) return true;
	// The cost of an attempt is unknown until it ends: reserve the price of the dearest session so far for each that runs. The very first one
	// runs alone.
	const price = priceOf(d.state);
	return price !== null && cost.spent + (costly + count) * price <= cost.limit;
}

const COSTLY: ReadonlySet<StepKind | undefined> = new Set<StepKind>(["agent", "gate", "loop"]);
const costs = (state: RunState, step: Step): boolean => COSTLY.has(typeOf(state, step)?.kind);

export interface Exceeded {
	/** The names of the budgets. */
	readonly budgets: readonly string[];
	readonly text: string;
}

/** The budgets that prevent the run from going on, if any. */
export function exceeded(state: RunState, at: number): Exceeded | null {
	const first = overall(state, at);
	if (first !== null) return first;
	const open = allScopes(state).filter((scope) => {
		const step = currentStep(scope);
		return step !== undefined && typeOf(state, step)?.kind !== "each";
	});
	const held = spendersWithout(state);
	return held.length < open.length ? null : heldUp(state);
}

const currentStep = ({ steps }: Scope): Step | undefined =>
	steps.find(({ status }) => status === "in_progress" || status === "waiting" || status === "pending");

/** The steps that come next and need a unit of a budget that is used up. */
const spendersWithout = (state: RunState): readonly (Spender & { readonly budget: string })[] =>
	allScopes(state).flatMap((scope) => {
		const step = currentStep(scope);
		if (step?.status !== "pending" || !holds(state, scope, typeOf(state, step)?.when ?? [])) return [];
		const budget = usedUp(state, { scope, step });
		return budget === null ? [] : [{ scope, step, budget }];
	});

/** Which scopes cannot go on until a person extends a budget that their next step spends. */
export function heldUp(state: RunState): Exceeded | null {
	const held = spendersWithout(state);
	const budgets = [...new Set(held.map(({ budget }) => budget))];
	const texts = budgets.map((name) => {
		const where = held.flatMap(({ budget, scope }) => (budget === name && scope.id !== RUN_SCOPE ? [scope.id] : []));
		const whole = `the budget of ${own(state.budgets, name)?.limit} ${name.replaceAll("_", " ")} is used up`;
		return where.length === 0 ? whole : `${whole} in ${where.join(", ")}`;
	});
	return held.length === 0 ? null : { budgets, text: texts.join("; ") };
}

function overall(state: RunState, at: number): Exceeded | null {
	const { cost, time } = state.budgets;
	if (cost && reached(cost.spent, cost.limit))
		return { budgets: ["cost"], text: `the cost budget of $${cost.limit} is used up ($${round(cost.spent)} spent)` };
	if (time && workedMs(state, at) >= time.limit)
		return { budgets: ["time"], text: `the time budget of ${Math.round(time.limit / 1000)} s is used up` };
	return null;
}

/** Nobody can keep a person's limit while sessions do not report their cost. A resume allows one more such session. */
export function unknownCost({ budgets: { cost }, unpriced, allowsUnknownCost }: RunState): string | null {
	if (!cost?.byPerson || !unpriced || allowsUnknownCost) return null;
	return `the cost limit of $${cost.limit} cannot be kept: the session of ${unpriced.role} (${unpriced.step}) did not say what it cost. Set \`prices\` for its model, or allow it with --allow-unknown-cost`;
}

/** The name of the budget that has no unit left for this step. */
function usedUp(state: RunState, { scope, step }: Spender): string | null {
	const name = typeOf(state, step)?.spend ?? "";
	const budget = own(state.budgets, name);
	return !budget || spentOf(state, name, scope, step) < budget.limit ? null : name;
}

/** How much of a counted budget is used, from the point of view of this step. */
export function spentOf(state: RunState, name: string, scope: Scope, step: Step): number {
	const per = perOf(state, name);
	return per === "run" ? (own(state.budgets, name)?.spent ?? 0) : countOf(scope, counterOf(per, name, step));
}

/** A limit that only a person has set is one of the whole run. */
const perOf = (state: RunState, name: string): Budget["scope"] => own(state.definition.budgets, name)?.scope ?? "run";

const counterOf = (per: "story" | "step", budget: string, step: Step): Counter => ({
	kind: "budget",
	budget,
	step: per === "step" ? step.origin : null,
});

/** Signals that cost no unit: the agent was at a limit, broke down or was ended from outside. They have caps of their own; the budget is
 * meant for work that was not good enough. */
const UNSPENT = new Set([
	"rate_limited",
	"overloaded",
	"auth",
	"out_of_credit",
	"agent_error",
	"timeout",
	"stalled",
	"permission",
	"context_too_long",
	"lost",
	"workspace_error",
]);

/** Takes a unit for an attempt that has ended, even if none was left. */
export function chargeAttempt(d: Decision, scopeId: string, step: Step, signal: string): void {
	const name = typeOf(d.state, step)?.spend ?? "";
	if (!own(d.state.budgets, name) || UNSPENT.has(signal)) return;
	const per = perOf(d.state, name);
	if (per === "run") d.emit({ event: "budget_spent", budget: name, amount: 1 });
	else d.emit({ event: "counted", scope: scopeId, counter: keyOf(counterOf(per, name, step)) });
	const scope = d.scope(scopeId);
	if (scope) warnOf(d, name, spentOf(d.state, name, scope, step));
}

/** The price to reserve for a session; null until one has ended. Where no session says what it costs, a limit counts only what is known. */
function priceOf(state: RunState): number | null {
	if (state.dearest !== undefined) return state.dearest;
	const scopes = [state.root, ...state.stories.map((s) => s.scope)];
	return scopes.some(({ steps }) => steps.some((step) => step.status === "completed" && costs(state, step))) ? 0 : null;
}

export function chargeUsage(
	d: Decision,
	{ scope, step: { id: step }, attempt, role }: Charged,
	{ usage, signal, model, prompt }: Pick<Outcome, "usage" | "signal" | "model" | "prompt">,
): void {
	const known = { ...(model === undefined ? {} : { model }), ...(prompt === undefined ? {} : { prompt }) };
	d.emit({ event: "usage_recorded", scope, step, attempt, usage, ...known });
	const { cost, time } = d.state.budgets;
	const spent = usage.costUsd ?? 0;
	// A session that was cut off could not report it.
	if (cost && usage.costUsd === null && (!isFailure(signal) || ENDED_WELL.has(signal)))
		noteUnknownCost(d, cost, scope, step, attempt, role);
	if (cost && spent > 0) d.emit({ event: "budget_spent", budget: "cost", amount: spent });
	if (time) {
		const more = workedMs(d.state, d.at) - time.spent;
		if (more > 0) d.emit({ event: "budget_spent", budget: "time", amount: more });
	}
	warn(d);
}

/** Failures that say nothing against the session itself. */
const ENDED_WELL = new Set(["unreadable", "boundary_violation"]);

function noteUnknownCost(d: Decision, cost: BudgetState, scope: string, step: string, attempt: number, role: string): void {
	if (d.state.allowsUnknownCost || (!cost.byPerson && d.state.unpriced)) return;
	d.emit({ event: "cost_unknown", scope, step, attempt, role });
	// The workflow's own limit does not stop the run: one warning is enough.
	if (!cost.byPerson)
		d.effect({
			effect: "notify",
			scope: RUN_SCOPE,
			about: "budget",
			text: `the session of ${role} (${step}) did not say what it cost: the workflow's limit of $${cost.limit} counts only what is known`,
		});
}

export function warn(d: Decision): void {
	for (const [name, budget] of Object.entries(d.state.budgets)) warnOf(d, name, budget.spent);
}

function warnOf(d: Decision, name: string, spent: number): void {
	const budget = own(d.state.budgets, name);
	for (const share of d.state.definition.budgets[name]?.warnAt ?? WARN_AT)
		if (budget && reached(spent, budget.limit * share) && !budget.warned.includes(share)) {
			d.emit({ event: "budget_warned", budget: name, share });
			d.effect({ effect: "notify", scope: RUN_SCOPE, about: "budget", text: `${name} at ${Math.round(share * 100)}% of its limit` });
		}
}

/** Takes one unit of a counted budget; false if none is left. */
export function spendOne(d: Decision, name: string, scope: string, step: Step): boolean {
	const budget = own(d.state.budgets, name);
	const per = perOf(d.state, name);
	if (!budget) return false;
	if (per === "run") {
		if (budget.spent + 1 > budget.limit) return false;
		d.emit({ event: "budget_spent", budget: name, amount: 1 });
		return true;
	}
	const counter = counterOf(per, name, step);
	const counted = d.scope(scope);
	if (!counted || countOf(counted, counter) + 1 > budget.limit) return false;
	d.emit({ event: "counted", scope, counter: keyOf(counter) });
	return true;
}

/** Tolerates rounding: three times $0.30 is not quite $0.90 in binary. */
const reached = (spent: number, limit: number): boolean => spent >= limit - 1e-9;

const round = (n: number): number => Math.round(n * 100) / 100;
