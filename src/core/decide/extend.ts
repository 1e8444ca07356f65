// A person changes a limit of a run: any of its budgets, the maximum of its loops, or whether unknown costs are allowed (G-13); or says that a usage limit is over.
import type { Definition } from "../definition.ts";
import type { Input } from "../input.ts";
import { RUN_SCOPE, type RunState } from "../model.ts";
import { allScopes, isOver, own, typeOf } from "../query.ts";
import { templateNames } from "../template.ts";
import type { Decision } from "./decision.ts";

export function extend(d: Decision, { budgets, fields = {}, iterations = 0, allowUnknownCost }: Extract<Input, { type: "extend" }>): void {
	for (const [budget, limit] of Object.entries(budgets))
		if (Number.isFinite(limit) && hasBudget(d.state, budget)) d.emit({ event: "budget_extended", budget, limit });
	setFields(d, fields);
	if (Number.isSafeInteger(iterations) && iterations > 0) extendLoops(d, iterations);
	if (allowUnknownCost && !d.state.allowsUnknownCost) d.emit({ event: "unknown_cost_allowed" });
}

/** Cost and time can be limited in any run. */
const hasBudget = (state: RunState, name: string): boolean => name === "cost" || name === "time" || own(state.budgets, name) !== undefined;

function setFields(d: Decision, fields: Readonly<Record<string, string>>): void {
	const names = Object.keys(fields);
	if (names.length === 0) return;
	const limits = names.filter((name) => loopLimits(d.state.definition).includes(name));
	d.emit({ event: "fields_set", scope: RUN_SCOPE, fields, ...(limits.length > 0 ? { limits } : {}) });
}

/** Fields that are the maximum of a loop. */
export const loopLimits = ({ types }: Pick<Definition, "types">): readonly string[] => [
	...new Set(Object.values(types).flatMap((type) => templateNames(type.loop?.max ?? ""))),
];

function extendLoops(d: Decision, max: number): void {
	for (const scope of allScopes(d.state))
		for (const step of scope.steps) {
			const loop = typeOf(d.state, step)?.loop;
			if (!loop || (step.status !== "pending" && step.status !== "in_progress")) continue;
			const [field, ...others] = templateNames(loop.max);
			// The files of a run show the field, so it is the one to change.
			if (field !== undefined && others.length === 0 && step.max === undefined) setFields(d, { [field]: String(max) });
			else d.emit({ event: "loop_extended", scope: scope.id, step: step.id, max });
		}
}

/** A person says that a usage limit is over: what waits for its end goes on. */
export function wake(d: Decision): void {
	if (isOver(d.state.status)) return;
	for (const { id: scope, steps } of allScopes(d.state))
		for (const { id: step, status, postponed, notBefore, attempt } of steps)
			if (status === "pending" && postponed > 0 && notBefore !== null && notBefore > d.at)
				d.emit({ event: "step_postponed", scope, step, attempt, until: d.at, reason: "a person says that the usage limit is over" });
}
