// pawl resume [RUN]
import { Command } from "commander";
import { resume, type TakeOverOptions } from "../../runs/control/resume.ts";
import { type Context, EXIT } from "../context.ts";
import { follow } from "./follow.ts";

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
		.action(async (name: string | undefined, { json = false, ...options }: TakeOverOptions & { readonly json?: boolean }) => {
			let exit: number = EXIT.ok;
			const followed = await follow(c, json, async (observer) => {
				const resumed = await resume(c, name, options, observer);
				if (resumed.how === "driven") return resumed.ended;
				if (resumed.how === "claimable") {
					const { run, status } = resumed;
					c.out(`run ${run} is ${status}; agents take its steps with: pawl step claim AGENT --run ${run}\n`);
					if (status === "waiting") exit = EXIT.waits;
				} else {
					const { id: run, status, reason } = resumed.state;
					if (json) c.out(`${JSON.stringify({ event: "run_finished", at: c.now(), run, status, reason, exit_code: EXIT.ok })}\n`);
					else c.out(`run ${run} is completed: there is nothing left to do\n`);
				}
				return null;
			});
			c.exit(followed === EXIT.ok ? exit : followed);
		});
}
