// pawl resume [RUN]
import { Command } from "commander";
import type { ResumeOptions } from "../../runs/control/resume.ts";
import type { Context } from "../context.ts";
import type { FollowFlags } from "./follow.ts";
import { resumeAndFollow } from "./resuming.ts";

export function command(c: Context): Command {
	return new Command("pawl resume")
		.description("continue a run that was stopped, paused or killed, with the options it was started with")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the journal as JSON lines on stdout")
		.option("--agent <name>", "for a run adopted from a state file: its agent, as in pawl run")
		.option("--agent-command <cmd>", "for a run adopted from a state file: the command of the agent `command`")
		.option("--script <file>", "for a run adopted from a state file: the script of the agent `scripted`")
		.option("--model <name>", "for a run adopted from a state file: the model")
		.option("--yes", "for a run adopted from a state file: approve every step that waits for approval")
		.option("--accept-config", "use git's current settings instead of those from the start of the run")
		.option("--detach", "continue in the background; prints the run's id")
		.option("--quiet", "print only warnings while it runs, and the summary at the end")
		.action(async (name: string | undefined, { json = false, quiet = false, ...options }: ResumeOptions & Partial<FollowFlags>) => {
			c.exit(await resumeAndFollow(c, name, options, { json, quiet }));
		});
}
