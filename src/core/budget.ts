// Money and time of a run. Checked before an attempt starts, with what is under way reserved, so that several attempts
// at once cannot overshoot together.
import type { Draft } from "./draft.ts";
import type { RunState, Usage } from "./model.ts";
import { elapsed, runningAttempts } from "./query.ts";

const WARN_AT: readonly number[] = [0.75, 0.9];

/** May another attempt start? Where not and nothing runs, the run stops. */
export function attemptBudget(d: Draft): boolean {
	const over = exceeded(d.state, d.at);
	const running = runningAttempts(d.state).filter((r) => r.attempt.role !== "").length;
	if (over !== null) {
		if (running === 0) d.end("stopped", over);
		return false;
	}
	const cost = d.state.budgets["cost"];
	// What an attempt may cost is unknown before it ran: the dearest so far is set aside for each that runs. One alone
	// may always go on, or a run with a small budget would never end.
	return cost === undefined || running === 0 || cost.spent + (running + 1) * dearest(d.state) <= cost.limit;
}

export function exceeded(state: RunState, at: number): string | null {
	const { cost, time } = state.budgets;
	if (cost && cost.spent >= cost.limit) return `the cost budget of $${cost.limit} is used up ($${round(cost.spent)} spent)`;
	if (time && elapsed(state, at) >= time.limit) return `the time budget of ${Math.round(time.limit / 1000)} s is used up`;
	return null;
}

const dearest = (state: RunState): number =>
	[state.root, ...state.stories.map((s) => s.scope)].reduce(
		(most, scope) => scope.steps.reduce((m, step) => Math.max(m, (step.usage.costUsd ?? 0) / Math.max(1, step.attempt)), most),
		0,
	);

export function chargeUsage(d: Draft, scope: string, step: string, attempt: number, usage: Usage): void {
	d.emit({ event: "usage_recorded", scope, step, attempt, usage });
	if (usage.costUsd !== null && usage.costUsd > 0 && d.state.budgets["cost"]) d.emit({ event: "budget_spent", budget: "cost", amount: usage.costUsd });
	const time = d.state.budgets["time"];
	if (time) {
		const more = elapsed(d.state, d.at) - time.spent;
		if (more > 0) d.emit({ event: "budget_spent", budget: "time", amount: more });
	}
	warn(d);
}

export function warn(d: Draft): void {
	for (const [name, budget] of Object.entries(d.state.budgets)) {
		const shares = d.state.definition.budgets[name]?.warnAt ?? WARN_AT;
		for (const share of shares)
			if (budget.spent >= budget.limit * share && !budget.warned.includes(share)) {
				d.emit({ event: "budget_warned", budget: name, share });
				d.effect({ effect: "notify", scope: "@run", about: "budget", text: `${name} at ${Math.round(share * 100)}% of its limit` });
			}
	}
}

/** Takes one unit of a counted budget; false where none is left. */
export function spendOne(d: Draft, name: string): boolean {
	const budget = d.state.budgets[name];
	if (!budget || budget.spent + 1 > budget.limit) return false;
	d.emit({ event: "budget_spent", budget: name, amount: 1 });
	return true;
}

const round = (n: number): number => Math.round(n * 100) / 100;
