// pawl reject RUN [STEP] --reason TEXT
import { Command } from "commander";
import { decide } from "../../runs/change/decide.ts";
import type { Context } from "../context.ts";
import { goOn } from "./go-on.ts";

export function command(c: Context): Command {
	return new Command("pawl reject")
		.description("reject what waits for a person; a step that was escalated fails")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "its id, its type, its story, or STORY/STEP; not needed where only one waits")
		.requiredOption("--reason <text>", "why: whoever works on it next reads it")
		.option("--resume", "go on with the run in this process, unless another drives it")
		.option("--json", "the outcome as JSON; with --resume the journal as JSON lines")
		.action(async (run: string | undefined, step: string | undefined, flags: { reason: string; json?: boolean; resume?: boolean }) => {
			const decided = await decide(c, { run, step, verdict: "reject", reason: flags.reason });
			await goOn(c, `${decided.step} rejected`, decided, flags);
		});
}
