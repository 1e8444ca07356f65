// pawl extend RUN --max-cost USD --max-time DURATION --max-iterations N
import { Command } from "commander";
import { formatDuration } from "../core/duration.ts";
import type { RunState } from "../core/model.ts";
import { allScopes, elapsed } from "../core/query.ts";
import { CliError, type Context } from "./context.ts";
import { count, dollars, duration } from "./run-options.ts";
import { loopView } from "./run-view.ts";
import { deliver, steer, told } from "./steering.ts";
import { money } from "./text.ts";

interface Flags {
	readonly maxCost?: number;
	readonly maxTime?: number;
	readonly maxIterations?: number;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl extend")
		.description("raise a limit of a run; the new limit is a total, not an addition")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--max-cost <usd>", "what the run may cost in all", dollars)
		.option("--max-time <duration>", "how long the run may run in all", duration)
		.option("--max-iterations <n>", "how many iterations a story, or a loop, may take", count)
		.option("--json", "the outcome as JSON")
		.action((name: string | undefined, flags: Flags) =>
			steer(c, name, async ({ store, state }) => {
				const budgets = budgetsOf(flags, loopView(state).loop !== undefined);
				check(state, flags, c.now());
				const delivery = await deliver(c, store, state.id, { type: "extend", at: c.now(), budgets, ...fieldsOf(state, flags) });
				const words = [
					...(flags.maxCost === undefined ? [] : [`cost up to ${money(flags.maxCost)}`]),
					...(flags.maxTime === undefined ? [] : [`time up to ${formatDuration(flags.maxTime)}`]),
					...(flags.maxIterations === undefined ? [] : [`${flags.maxIterations} iterations`]),
				];
				told(c, store, state.id, `extended: ${words.join(", ")}`, delivery, flags.json ?? false);
			}),
		);
}

/** The maximum of a loop is a field of the run. */
const fieldsOf = (state: RunState, { maxIterations }: Flags): { fields?: Record<string, string> } =>
	maxIterations === undefined || loopView(state).loop === undefined ? {} : { fields: { max_iterations: String(maxIterations) } };

function budgetsOf(flags: Flags, loops: boolean): Record<string, number> {
	if (flags.maxCost === undefined && flags.maxTime === undefined && flags.maxIterations === undefined)
		throw new CliError("which limit? --max-cost USD, --max-time DURATION or --max-iterations N");
	return {
		...(flags.maxCost === undefined ? {} : { cost: flags.maxCost }),
		...(flags.maxTime === undefined ? {} : { time: flags.maxTime }),
		...(flags.maxIterations === undefined || loops ? {} : { iterations: flags.maxIterations }),
	};
}

/** A limit that is used up already would stop the run at once: more likely an addition was meant. */
function check(state: RunState, flags: Flags, at: number): void {
	if (state.status === "completed" || state.status === "cancelled" || state.status === "refused")
		throw new CliError(`run ${state.id} is ${state.status}: there is nothing to extend`);
	const cost = state.totals.costUsd ?? 0;
	if (flags.maxCost !== undefined && flags.maxCost <= cost)
		throw new CliError(`--max-cost is the new total, and the run has cost ${money(cost)} already`);
	const time = elapsed(state, at);
	if (flags.maxTime !== undefined && flags.maxTime <= time)
		throw new CliError(`--max-time is the new total, and the run has run for ${formatDuration(time)} already`);
	if (flags.maxIterations === undefined) return;
	const loop = loopView(state).loop;
	if (loop !== undefined && flags.maxIterations <= loop.iteration)
		throw new CliError(`--max-iterations is the new total, and there were ${loop.iteration} iterations already`);
	if (loop !== undefined) return;
	if (!Object.hasOwn(state.budgets, "iterations")) throw new CliError(`the workflow ${state.definition.name} has no budget of iterations`);
	const used = Math.max(0, ...allScopes(state).map((scope) => scope.counters["budget:iterations"] ?? 0));
	if (flags.maxIterations <= used)
		throw new CliError(`--max-iterations is the new total, and a story has taken ${used} iterations already`);
}
