// pawl retry [RUN] [STORY]
import { Command } from "commander";
import { retry } from "../../runs/control/retry.ts";
import { withStory } from "../../runs/story-named.ts";
import type { Context } from "../context.ts";
import { told } from "../text/told.ts";
import { type FollowFlags, follow } from "./follow.ts";

export function command(c: Context): Command {
	return new Command("pawl retry")
		.description("continue a failed story, or all of them, from the step that failed")
		.argument("[run]", "an id, a unique prefix, or latest; or a story of the latest run")
		.argument("[story]", "only this one")
		.option("--json", "the journal as JSON lines on stdout")
		.option("--quiet", "print only warnings while it runs, and the summary at the end")
		.option("--resume", "continue in this process (it does so anyway if no process drives the run)")
		.action(async (name: string | undefined, id: string | undefined, { json = false, quiet = false }: Partial<FollowFlags>) => {
			const exit = await follow(c, { json, quiet }, (observer) =>
				withStory(name, id, async (run, story) => {
					const retried = await retry(c, { run, story }, observer);
					if (retried.how === "driven") return retried.ended;
					told(c, `${story ?? "what failed"} is tried again`, retried.delivered, json);
					return null;
				}),
			);
			c.exit(exit);
		});
}
