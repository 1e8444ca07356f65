// I10: what is spent and what is reserved keeps within the limit, and a session whose cost is unknown never counts as one that cost nothing.
// It adds up by itself what the sessions say that they cost.
import type { Event, EventOf } from "../../src/core/event.ts";
import type { RunState } from "../../src/core/model.ts";
import { findStep, runningAttempts, typeOf } from "../../src/core/query.ts";

const COSTLY = new Set(["agent", "gate", "loop"]);
const ROUNDING = 1e-6;

export class MoneyWatch {
	private spent = 0;
	private dearest: number | null = null;
	/** Sessions of unknown cost since a person last let the run go on. */
	private unknown = 0;
	/** Where no session says what it costs, a limit of the workflow counts only what is known. */
	private silent = false;

	see(before: RunState, event: Event): string[] {
		switch (event.event) {
			case "usage_recorded":
				this.used(event);
				return [];
			case "run_resumed":
			case "unknown_cost_allowed":
				this.unknown = 0;
				return [];
			case "budget_spent":
				return event.budget === "cost" ? this.charged(before, event) : counted(before, event);
			case "budget_extended":
				if (event.budget === "cost" && before.budgets["cost"] === undefined) this.spent = 0;
				return [];
			case "step_started":
				return this.started(before, event);
			default:
				return [];
		}
	}

	private used({ usage }: EventOf<"usage_recorded">): void {
		if (usage.costUsd === null) {
			this.unknown++;
			this.silent = true;
		} else {
			this.spent += usage.costUsd;
			this.dearest = Math.max(this.dearest ?? 0, usage.costUsd);
		}
	}

	private charged(before: RunState, { amount }: EventOf<"budget_spent">): string[] {
		const now = (before.budgets["cost"]?.spent ?? 0) + amount;
		return now > this.spent + ROUNDING ? [`I10 ${now} is charged, and the sessions say ${this.spent}`] : [];
	}

	private started(before: RunState, { scope, step: id, role }: EventOf<"step_started">): string[] {
		const step = findStep(before, scope, id);
		const cost = before.budgets["cost"];
		if (step === undefined || cost === undefined || role === "" || !COSTLY.has(typeOf(before, step)?.kind ?? "")) return [];
		// A review that has begun is finished: its members are one round.
		if (step.status === "in_progress" && typeOf(before, step)?.kind === "gate") return [];
		const wrong: string[] = [];
		if (cost.spent >= cost.limit - 1e-9) wrong.push(`I10 ${scope} ${id} was started with nothing left of $${cost.limit}`);
		if (cost.byPerson && !before.allowsUnknownCost && this.unknown > 0 && before.unpriced)
			wrong.push(`I10 ${scope} ${id} was started after a session of unknown cost`);
		const others = runningAttempts(before).filter((one) => COSTLY.has(typeOf(before, one.step)?.kind ?? ""));
		const beside = others.filter((one) => one.scope !== scope || one.step.id !== id);
		const price = this.dearest ?? (this.silent ? 0 : Number.POSITIVE_INFINITY);
		// Alone, one session (or the members of one gate) may go over; beside others everything that runs has to fit.
		if (beside.length > 0 && cost.spent + (others.length + 1) * price > cost.limit + ROUNDING)
			wrong.push(
				`I10 ${others.length + 1} sessions at once at $${price} do not fit into $${cost.limit}, of which $${cost.spent} are spent`,
			);
		return wrong;
	}
}

function counted(before: RunState, { budget, amount }: EventOf<"budget_spent">): string[] {
	const known = before.budgets[budget];
	const now = (known?.spent ?? 0) + amount;
	const isCount = before.definition.budgets[budget]?.unit === "count";
	return isCount && known !== undefined && now > known.limit ? [`I10 ${now} of ${known.limit} ${budget} are spent`] : [];
}
