// pawl resume [RUN]
import { Command } from "commander";
import type { ResumeOptions } from "../../runs/control/resume.ts";
import type { Context } from "../context.ts";
import type { FollowFlags } from "./follow.ts";
import { resumeAndFollow } from "./resuming.ts";

export function command(c: Context): Command {
	return new Command("pawl resume")
		.description("go on with a run that was stopped, paused or killed, with all that it was started with")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the journal as JSON lines on stdout")
		.option("--agent <name>", "for a run that is taken over from a state file: its agent, as in pawl run")
		.option("--agent-command <cmd>", "for a run that is taken over from a state file: the command of the agent `command`")
		.option("--script <file>", "for a run that is taken over from a state file: the script of the agent `scripted`")
		.option("--model <name>", "for a run that is taken over from a state file: the model")
		.option("--yes", "for a run that is taken over from a state file: approve what waits for approval")
		.option("--accept-config", "take over git's settings as they are now, instead of those that the run began with")
		.option("--quiet", "nothing but warnings while it runs; the summary comes at the end")
		.action(async (name: string | undefined, { json = false, quiet = false, ...options }: ResumeOptions & Partial<FollowFlags>) => {
			c.exit(await resumeAndFollow(c, name, options, { json, quiet }));
		});
}
