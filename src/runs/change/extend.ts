// Raising a limit of a run. The new limit is a total, not an addition.
import { countOf } from "../../core/counter.ts";
import { formatDuration } from "../../core/duration.ts";
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { allScopes, workedMs } from "../../core/query.ts";
import type { RunsContext } from "../context.ts";
import { loopView } from "../look/run-view.ts";
import { Refusal } from "../refusal.ts";
import { type Delivered, deliverTo } from "./deliver.ts";

export interface Limits {
	/** US dollars. */
	readonly maxCost?: number;
	/** Milliseconds. */
	readonly maxTime?: number;
	/** Of a loop, or of each story. */
	readonly maxIterations?: number;
	/** Any budget of the workflow, by name. */
	readonly budget?: Readonly<Record<string, number>>;
	/** Sessions need not report their cost, whatever the limit. */
	readonly allowUnknownCost?: boolean;
}

export function extend(c: RunsContext, run: string | undefined, limits: Limits): Promise<Delivered> {
	return deliverTo(c, run, (state) => {
		if (Object.values(limits).every((limit) => limit === undefined || limit === false))
			throw new Refusal(
				"invalid",
				"which limit? --max-cost USD, --max-time DURATION, --max-iterations N, --budget NAME=N or --allow-unknown-cost",
			);
		const at = c.now();
		check(state, limits, at);
		return { input: { type: "extend", at, ...newLimits(state, limits) }, about: {} };
	});
}

function newLimits(
	state: RunState,
	{ maxCost, maxTime, maxIterations, budget, allowUnknownCost }: Limits,
): Pick<Extract<Input, { type: "extend" }>, "budgets" | "iterations" | "allowUnknownCost"> {
	const loops = loopView(state).loop !== undefined;
	return {
		budgets: {
			...budget,
			...(maxCost === undefined ? {} : { cost: maxCost }),
			...(maxTime === undefined ? {} : { time: maxTime }),
			...(maxIterations === undefined || loops ? {} : { iterations: maxIterations }),
		},
		...(maxIterations === undefined || !loops ? {} : { iterations: maxIterations }),
		...(allowUnknownCost ? { allowUnknownCost } : {}),
	};
}

/** A limit that is already used up would stop the run at once; the caller probably meant an addition. */
function check(state: RunState, { maxCost, maxTime, maxIterations, budget = {} }: Limits, at: number): void {
	if (state.status === "completed" || state.status === "cancelled" || state.status === "refused")
		throw new Refusal("refused", `run ${state.id} is ${state.status}: there is nothing to extend`);
	const cost = state.totals.costUsd ?? 0;
	if (maxCost !== undefined && maxCost <= cost)
		throw new Refusal("invalid", `--max-cost is the new total, and the run has cost ${money(cost)} already`);
	const time = workedMs(state, at);
	if (maxTime !== undefined && maxTime <= time)
		throw new Refusal("invalid", `--max-time is the new total, and the run has been at work for ${formatDuration(time)} already`);
	for (const [name, limit] of Object.entries(budget)) checkBudget(state, name, limit);
	if (maxIterations !== undefined) checkIterations(state, maxIterations);
}

function checkBudget(state: RunState, name: string, limit: number): void {
	const known = Object.keys(state.budgets).filter((one) => state.definition.budgets[one]?.unit === "count");
	if (!known.includes(name))
		throw new Refusal(
			"invalid",
			`the workflow ${state.definition.name} has no budget ${name} that is counted${known.length === 0 ? "" : `; there is ${known.join(", ")}`}`,
		);
	const used = Math.max(
		state.budgets[name]?.spent ?? 0,
		...allScopes(state).map((scope) => countOf(scope, { kind: "budget", budget: name, step: null })),
	);
	if (limit <= used) throw new Refusal("invalid", `--budget ${name} is the new total, and ${used} are used already`);
}

function checkIterations(state: RunState, max: number): void {
	const loop = loopView(state).loop;
	if (loop !== undefined) {
		if (max <= loop.iteration)
			throw new Refusal("invalid", `--max-iterations is the new total, and there were ${loop.iteration} iterations already`);
		return;
	}
	if (!Object.hasOwn(state.budgets, "iterations"))
		throw new Refusal("invalid", `the workflow ${state.definition.name} has no budget of iterations`);
	const used = Math.max(0, ...allScopes(state).map((scope) => countOf(scope, { kind: "budget", budget: "iterations", step: null })));
	if (max <= used) throw new Refusal("invalid", `--max-iterations is the new total, and a story has taken ${used} iterations already`);
}
