// pawl run WORKFLOW [REQUEST | FILE | ID]
import { Command } from "commander";
import { prepare } from "../runs/prepare/prepare.ts";
import type { Context } from "./context.ts";
import { dryRun } from "./dry-run.ts";
import { addRunOptions, type RunFlags } from "./run-options.ts";
import { startRun } from "./start.ts";

export function command(c: Context): Command {
	const run = new Command("pawl run")
		.description("start a run and follow it to its end")
		.argument("<workflow>", "a name (pawl workflow list) or a path")
		.argument("[input]", "what is to be done: a request, a file or an id, as the workflow takes it");
	return addRunOptions(run).action(async (workflow: string, input: string | undefined, flags: RunFlags) => {
		const prepared = await prepare(c, workflow, input, flags);
		if (flags.dryRun) return dryRun(c, prepared, flags.json ?? false);
		c.exit(await startRun(c, prepared));
	});
}
