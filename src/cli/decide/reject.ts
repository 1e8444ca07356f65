// pawl reject RUN [STEP] --reason TEXT
import { Command } from "commander";
import { decide } from "../../runs/change/decide.ts";
import type { Context } from "../context.ts";
import { goOn } from "./go-on.ts";

export function command(c: Context): Command {
	return new Command("pawl reject")
		.description("reject a step that waits for a person; if pawl handed over a step that could not continue, the step fails")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "its id, its type, its story, or STORY/STEP; optional if only one waits")
		.requiredOption("--reason <text>", "why; the next agent reads it")
		.option("--resume", "continue the run in this process, unless another process drives it")
		.option("--json", "the outcome as JSON; with --resume the journal as JSON lines")
		.action(async (run: string | undefined, step: string | undefined, flags: { reason: string; json?: boolean; resume?: boolean }) => {
			const decided = await decide(c, { run, step, verdict: "reject", reason: flags.reason });
			await goOn(c, `${decided.step} rejected`, decided, flags);
		});
}
