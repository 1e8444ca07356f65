// pawl run WORKFLOW [REQUEST | FILE | ID]
import { Command } from "commander";
import { NothingToDo } from "../../runs/start/delivered-before.ts";
import { prepare } from "../../runs/start/prepare.ts";
import { startRun } from "../../runs/start/start.ts";
import type { Context } from "../context.ts";
import { dryRun } from "./dry-run.ts";
import { follow } from "./follow.ts";
import { addRunOptions, type RunFlags, startOptions } from "./run-options.ts";

export function command(c: Context): Command {
	const command = new Command("pawl run")
		.description("start a run and follow it to its end")
		.argument("<workflow>", "a name (pawl workflow list) or a path")
		.argument("[input]", "a request, a file or an id, depending on the workflow");
	return addRunOptions(c, command).action(async (workflow: string, input: string | undefined, flags: RunFlags) => {
		const { json = false, quiet = false, detach = false, dryRun: dry, ...options } = startOptions(c, flags);
		const prepared = await prepare(c, workflow, input, options, { dry: dry === true });
		if (dry) return dryRun(c, prepared, json);
		try {
			const exit = await follow(c, { json, quiet }, async (observer) => {
				const { run, ended } = await startRun(c, prepared, observer, { background: detach });
				if (detach) c.out(`${run}\n`);
				return ended;
			});
			c.exit(exit);
		} catch (error) {
			// What was asked for is done.
			if (!(error instanceof NothingToDo)) throw error;
			c.err(`${error.message}\n`);
		}
	});
}
