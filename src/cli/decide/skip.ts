// pawl skip RUN STORY STEP --reason TEXT
import { Command } from "commander";
import { skip } from "../../runs/change/skip.ts";
import type { Context } from "../context.ts";
import { goOn } from "./go-on.ts";

export function command(c: Context): Command {
	return new Command("pawl skip")
		.description("skip a step of a story; checks that decide about a delivery cannot be skipped")
		.argument("<run>", "an id, a unique prefix, or latest")
		.argument("<story>", "its id; `run` for a step of the run itself")
		.argument("<step>", "its id, or its type")
		.requiredOption("--reason <text>", "why; it goes into the journal and into the notes of the story")
		.option("--resume", "continue the run in this process, unless another process drives it")
		.option("--json", "the outcome as JSON; with --resume the journal as JSON lines")
		.action(async (run: string, story: string, step: string, flags: { reason: string; json?: boolean; resume?: boolean }) => {
			const skipped = await skip(c, { run, story, step, reason: flags.reason });
			await goOn(c, `${skipped.step} skipped`, skipped, flags);
		});
}
