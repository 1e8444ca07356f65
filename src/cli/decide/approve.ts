// pawl approve RUN [STEP]
import { Command } from "commander";
import { decide } from "../../runs/change/decide.ts";
import type { Context } from "../context.ts";
import { goOn } from "./go-on.ts";

export function command(c: Context): Command {
	return new Command("pawl approve")
		.description("approve what waits for a person; of a step that was escalated, accept its result")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "its id, its type, its story, or STORY/STEP; not needed where only one waits")
		.option("--reason <text>", "why, for the journal", "")
		.option("--resume", "go on with the run in this process, unless another drives it")
		.option("--json", "the outcome as JSON; with --resume the journal as JSON lines")
		.action(async (run: string | undefined, step: string | undefined, flags: { reason: string; json?: boolean; resume?: boolean }) => {
			const decided = await decide(c, { run, step, verdict: "approve", reason: flags.reason });
			await goOn(c, `${decided.step} approved`, decided, flags);
		});
}
