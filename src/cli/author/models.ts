// pawl models [WORKFLOW]: which agent and model each step would get, and who says so.
import { existsSync } from "node:fs";
import { Command } from "commander";
import { TIERS } from "../../core/assign/assignment.ts";
import { type ModelsView, modelsOf } from "../../runs/start/models.ts";
import type { StartOptions } from "../../runs/start/start-options.ts";
import type { Context } from "../context.ts";
import { addChoiceOptions, chosenBy, type RunFlags } from "../run/run-options.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";

type Flags = Pick<RunFlags, "agent" | "model" | "effort" | "role" | "agentCommand" | "script" | "json">;

export function command(c: Context): Command {
	const models = new Command("pawl models")
		.description("show which agent and model each step of a workflow gets, and which file or flag says so")
		.argument("[workflow]", "a name (pawl workflow list) or a path", c.services.oneShotWorkflow);
	return addChoiceOptions(models)
		.option("--json", "as one JSON document")
		.action(async (workflow: string, { agent, model, effort, json = false, ...others }: Flags) => {
			const choice = chosenBy({ ...(agent && { agent }), ...(model && { model }), ...(effort && { effort }) });
			const view = await modelsOf(c, workflow, { ...others, ...choice } satisfies StartOptions);
			c.out(json ? document(view) : modelsText(view, c.width));
			if (!json) for (const warning of view.warnings) c.warn(warning);
		});
}

type Step = ModelsView["steps"][number];

function modelsText({ steps, tiers, user_file: file }: ModelsView, width: number): string {
	const head = ["step", "role", "agent", "model", "effort", "said by"];
	const rows = steps.map((step) => [step.type, step.role, step.agent, modelCell(step), step.effort ?? "", saidBy(step, file)]);
	const own = steps.some(({ from }) => Object.values(from).includes(file)) ? `your pawl.yml: ${file}\n` : "";
	const mapped = Object.entries(tiers).map(
		([agent, of]) => `tiers of ${agent}: ${TIERS.flatMap((tier) => (of[tier] ? [`${tier} is ${tierText(of[tier])}`] : [])).join(", ")}\n`,
	);
	const agent = steps[0]?.agent ?? "claude";
	const hint =
		mapped.length > 0
			? mapped.join("")
			: `No tier stands for a model, so these steps use the default model of their agent. To say it once, in ${file}${existsSync(file) ? "" : " (a new file)"}:
  agents: {${agent}: {tiers: {fast: MODEL, standard: MODEL, strong: MODEL}}}\n`;
	return `${fitted([head, ...rows], width, "")}\n\n${own}${hint}`;
}

const tierText = ({ model, effort }: { readonly model: string | null; readonly effort: string | null }): string =>
	[model ?? "its default", ...(effort === null ? [] : [`effort ${effort}`])].join(" with ");

function modelCell({ model, tier }: Step): string {
	if (model !== null) return tier === null ? model : `${model} (${tier})`;
	return tier === null ? "its default" : `its default (${tier})`;
}

/** The path of the user's own file would fill the line, on each of them. */
function saidBy({ from }: Step, userFile: string): string {
	const places = Object.entries(from).flatMap(([what, place]) =>
		place === null ? [] : [[what, place === userFile ? "your pawl.yml" : place] as const],
	);
	const names = new Set(places.map(([, place]) => place));
	return names.size === 1 ? [...names].join("") : places.map(([what, place]) => `${what}: ${place}`).join(", ");
}
