// pawl pause RUN and pawl cancel RUN.
import { Command } from "commander";
import { type StopHow, stop } from "../../runs/control/stop.ts";
import type { Context } from "../context.ts";

export function stopCommand(c: Context, how: StopHow, description: string): Command {
	return new Command(`pawl ${how}`)
		.description(description)
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the outcome as JSON")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const stopped = await stop(c, name, how);
			if (flags.json) return c.out(`${JSON.stringify(stopped)}\n`);
			const { run, status } = stopped;
			c.out(`run ${run} is ${status}${status === "paused" ? `; continue with: pawl resume ${run}` : ""}\n`);
		});
}
