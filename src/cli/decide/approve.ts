// pawl approve RUN [STEP]
import { Command } from "commander";
import { decide } from "../../runs/change/decide.ts";
import type { Context } from "../context.ts";
import { told } from "../text/told.ts";

export function command(c: Context): Command {
	return new Command("pawl approve")
		.description("approve what waits for a person; of a step that was escalated, accept its result")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "its id, its type, its story, or STORY/STEP; not needed where only one waits")
		.option("--reason <text>", "why, for the journal", "")
		.option("--json", "the outcome as JSON")
		.action(async (run: string | undefined, step: string | undefined, flags: { reason: string; json?: boolean }) => {
			const decided = await decide(c, { run, step, verdict: "approve", reason: flags.reason });
			told(c, `${decided.step} approved`, decided, flags.json ?? false);
		});
}
