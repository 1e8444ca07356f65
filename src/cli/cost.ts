// pawl cost [RUN]: what a run cost, by story and by step type.
import { Command } from "commander";
import type { Event } from "../core/event.ts";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import type { Context } from "./context.ts";
import { fitted } from "./fit.ts";
import { document, lookAt } from "./look.ts";
import { type Spent, spentBy, spentInAll, spentJson, spentText } from "./spent.ts";
import { money, paint, usd, wantsColor } from "./text.ts";

export function command(c: Context): Command {
	return new Command("pawl cost")
		.description("show what a run cost, by story and step type")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action((name: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, ({ state, events }) => {
				const view = costView(state, events);
				if (flags.json) return c.out(document(view));
				const color = paint(wantsColor(c.env, c.outIsTty));
				const rows = (of: readonly (Row & { readonly name: string })[]) =>
					fitted(
						of.map((row) => [row.name, `${row.sessions} session${row.sessions === 1 ? "" : "s"}`, text(row)]),
						c.width,
					);
				if (view.sessions === 0) return c.out(`no agent session of run ${state.id} has ended yet\n`);
				c.out(`${color.bold("by story")}\n${rows(view.by_story)}\n\n${color.bold("by step type")}\n${rows(view.by_step_type)}\n\n`);
				c.out(`${color.bold("total")}  ${view.sessions} session${view.sessions === 1 ? "" : "s"}, ${text(view)}\n`);
				if (view.cost_per_completed_story_usd !== null)
					c.out(
						`${money(view.cost_per_completed_story_usd)} per completed story (${view.completed_stories})${view.unknown_cost_sessions > 0 ? ", known cost only" : ""}\n`,
					);
			}),
		);
}

type Row = ReturnType<typeof spentJson>;

const text = (row: Row): string =>
	spentText({
		costUsd: row.cost_usd,
		inputTokens: row.input_tokens,
		outputTokens: row.output_tokens,
		sessions: row.sessions,
		unknown: row.unknown_cost_sessions,
	});

export function costView(state: RunState, events: readonly Event[]) {
	const rows = (sums: Map<string, Spent>) => [...sums].map(([name, spent]) => ({ name, ...spentJson(spent) }));
	const all = spentInAll(events, state);
	const completed = state.stories.filter((s) => s.status === "completed" && s.claimedAt !== null).length;
	return {
		run: state.id,
		...spentJson(all),
		completed_stories: completed,
		cost_per_completed_story_usd: completed === 0 || all.costUsd === null ? null : usd(all.costUsd / completed),
		by_story: rows(spentBy(events, state, (scope) => (scope === RUN_SCOPE ? "run" : scope))),
		by_step_type: rows(spentBy(events, state, (_scope, _step, type) => type)),
	};
}
