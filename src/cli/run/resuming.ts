// Continues a run and follows it: for `pawl resume` and `pawl approve --resume`.
import { type ResumeOptions, resume } from "../../runs/control/resume.ts";
import { type Context, EXIT } from "../context.ts";
import { type FollowFlags, follow } from "./follow.ts";

/** pawl's exit code. */
export async function resumeAndFollow(c: Context, name: string | undefined, options: ResumeOptions, flags: FollowFlags): Promise<number> {
	let exit: number = EXIT.ok;
	const followed = await follow(c, flags, async (observer) => {
		const resumed = await resume(c, name, options, observer);
		if (resumed.how === "driven") {
			if (options.detach) c.out(`${resumed.run}\n`);
			return resumed.ended;
		}
		if (resumed.how === "claimable") {
			const { run, status } = resumed;
			c.out(`run ${run} is ${status}; agents take its steps with: pawl step claim AGENT --run ${run}\n`);
			if (status === "waiting") exit = EXIT.waits;
		} else {
			const { id: run, status, reason } = resumed.state;
			if (flags.json) c.out(`${JSON.stringify({ event: "run_finished", at: c.now(), run, status, reason, exit_code: EXIT.ok })}\n`);
			else c.out(`run ${run} is completed: there is nothing left to do\n`);
		}
		return null;
	});
	return followed === EXIT.ok ? exit : followed;
}
