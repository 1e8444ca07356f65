// pawl extend RUN --max-cost USD --max-time DURATION --max-iterations N --budget NAME=N --allow-unknown-cost
import { Command, InvalidArgumentError } from "commander";
import { formatDuration } from "../../core/duration.ts";
import { money } from "../../core/money.ts";
import { extend, type Limits } from "../../runs/change/extend.ts";
import type { Context } from "../context.ts";
import { count, dollars, duration } from "../flags.ts";
import { told } from "../text/told.ts";

export function command(c: Context): Command {
	return new Command("pawl extend")
		.description("raise a limit of a run; the new limit is a total, not an addition")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--max-cost <usd>", "what the run may cost in all", dollars)
		.option("--max-time <duration>", "how long the run may run in all", duration)
		.option("--max-iterations <n>", "how many iterations a story, or a loop, may take", count)
		.option("--budget <name=n>", "another budget of the workflow, e.g. re_plans=5 (repeatable)", budget)
		.option("--allow-unknown-cost", "sessions need not report their cost")
		.option("--json", "the outcome as JSON")
		.action(async (name: string | undefined, { json, ...limits }: Limits & { readonly json?: boolean }) => {
			const delivered = await extend(c, name, limits);
			const words = [
				...(limits.maxCost === undefined ? [] : [`cost up to ${money(limits.maxCost)}`]),
				...(limits.maxTime === undefined ? [] : [`time up to ${formatDuration(limits.maxTime)}`]),
				...(limits.maxIterations === undefined ? [] : [`${limits.maxIterations} iterations`]),
				...Object.entries(limits.budget ?? {}).map(([name, n]) => `${n} ${name.replaceAll("_", " ")}`),
				...(limits.allowUnknownCost ? ["unknown costs are allowed"] : []),
			];
			told(c, `extended: ${words.join(", ")}`, delivered, json ?? false);
		});
}

function budget(text: string, all: Readonly<Record<string, number>> = {}): Record<string, number> {
	const [, name = "", n = ""] = /^([\w-]+)=(\d+)$/.exec(text) ?? [];
	if (name === "") throw new InvalidArgumentError("it must be NAME=N, such as re_plans=5.");
	return { ...all, [name]: count(n) };
}
