// pawl cost [RUN]: what a run cost, by story, step type, model and tier.
import { Command } from "commander";
import { money } from "../../core/money.ts";
import { type CostView, costOf } from "../../runs/look/cost.ts";
import type { spentJson } from "../../runs/look/spent.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { spentText } from "../text/spent-text.ts";
import { paint, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl cost")
		.description("show what a run cost, by story, step type, model and tier")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const view = await costOf(c, name);
			c.out(flags.json ? document(view) : costText(c, view));
		});
}

type Row = ReturnType<typeof spentJson>;

function costText(c: Context, view: CostView): string {
	if (view.sessions === 0) return `no agent session of run ${view.run} has ended yet\n`;
	const color = paint(wantsColor(c.env, c.outIsTty));
	const rows = (of: readonly (Row & { readonly name: string })[]) =>
		fitted(
			of.map((row) => [row.name, sessions(row), text(row)]),
			c.width,
		);
	const perStory =
		view.cost_per_completed_story_usd === null
			? ""
			: `${money(view.cost_per_completed_story_usd)} per completed story (${view.completed_stories})${view.unknown_cost_sessions > 0 ? ", known cost only" : ""}\n`;
	return [
		`${color.bold("by story")}\n${rows(view.by_story)}\n\n`,
		`${color.bold("by step type")}\n${rows(view.by_step_type)}\n\n`,
		view.by_model.length > 1 ? `${color.bold("by model")}\n${rows(view.by_model)}\n\n` : "",
		view.by_tier.length > 0 ? `${color.bold("by tier")}\n${rows(view.by_tier)}\n\n` : "",
		`${color.bold("total")}  ${sessions(view)}, ${text(view)}\n`,
		perStory,
	].join("");
}

const sessions = (row: Row): string => `${row.sessions} session${row.sessions === 1 ? "" : "s"}`;

const text = (row: Row): string =>
	spentText({
		costUsd: row.cost_usd,
		inputTokens: row.input_tokens,
		outputTokens: row.output_tokens,
		sessions: row.sessions,
		unknown: row.unknown_cost_sessions,
	});
