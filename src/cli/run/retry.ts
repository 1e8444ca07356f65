// pawl retry RUN [STORY]
import { Command } from "commander";
import { retry } from "../../runs/control/retry.ts";
import type { Context } from "../context.ts";
import { told } from "../text/told.ts";
import { follow } from "./follow.ts";

export function command(c: Context): Command {
	return new Command("pawl retry")
		.description("let a failed story, or all of them, go on from the step that failed")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "only this one")
		.option("--json", "the journal as JSON lines on stdout")
		.action(async (run: string | undefined, story: string | undefined, { json = false }: { json?: boolean }) => {
			const exit = await follow(c, json, async (observer) => {
				const retried = await retry(c, { run, story }, observer);
				if (retried.how === "driven") return retried.ended;
				told(c, `${story ?? "what failed"} is tried again`, retried.delivered, json);
				return null;
			});
			c.exit(exit);
		});
}
