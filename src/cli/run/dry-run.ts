// --dry-run: prints the plan and the prompts.
import { workerText } from "../../core/assign/worker-text.ts";
import { estimateText } from "../../runs/look/estimate.ts";
import { type LoopPlan, type Plan, planOf } from "../../runs/start/dry-run.ts";
import type { Prepared } from "../../runs/start/prepare.ts";
import type { Context } from "../context.ts";
import { table } from "../text/text.ts";

export async function dryRun(c: Context, prepared: Prepared, json: boolean): Promise<void> {
	const plan = await planOf(c, prepared);
	if (!json) return c.out(planText(plan));
	const { workflow, agent, works, base, checks, loops, estimate, stories, prompts } = plan;
	c.out(`${JSON.stringify({ event: "dry_run", workflow, agent, works, base, checks, loops, estimate, stories, prompts })}\n`);
}

function planText({ workflow, agent, works, baseBranch, checks, loops, estimate, stories, steps, prompts }: Plan): string {
	const likely = estimateText(estimate);
	return [
		`workflow ${workflow}, agent ${agent.agent}, base ${baseBranch}\n`,
		...worksLines(works),
		...Object.entries(checks).map(([name, command]) => `check ${name}: ${command}\n`),
		...loops.map(loopText),
		...(likely === null ? [] : [`${likely}\n`]),
		stories.length > 0
			? `${table(stories.map((s) => [s.id, s.status, s.title, s.depends_on.length > 0 ? `after ${s.depends_on.join(", ")}` : ""]))}\n`
			: loops.length === 0
				? `${table(steps.map((s) => [s.id, s.type, s.description]))}\n`
				: "",
		...prompts.map((one) => `\n===== ${one.story} ${one.step} ${one.type}\n${one.prompt}`),
		"\nnothing was started\n",
	].join("");
}

/** Who does what, if not everything is the same. */
function worksLines(works: Plan["works"]): string[] {
	const byWho = Map.groupBy(works, workerText);
	if (byWho.size < 2 && works.every(({ model, effort }) => model === null && effort === null)) return [];
	return [...byWho].map(([who, of]) => `${who}: ${[...new Set(of.map(({ type }) => type))].join(", ")}\n`);
}

function loopText({ type, schedule, begun, max_iterations: max, first, promises, promise }: LoopPlan): string {
	const more = begun + first.length < max ? " …" : "";
	const done = begun > 0 ? `${begun} done, ` : "";
	const until = promise === "" ? "no promise ends them" : `until the ${promises} says <promise>${promise}</promise>`;
	return `${type}: schedule ${schedule}, ${done}at most ${max} in all: ${first.join(" ")}${more}\n${until}\n`;
}
