// pawl attach [RUN]
import { Command } from "commander";
import { attach } from "../../runs/control/attach.ts";
import type { Context } from "../context.ts";
import { type FollowFlags, follow } from "./follow.ts";

export function command(c: Context): Command {
	return new Command("pawl attach")
		.description("follow a run that machines share (--db); keep its files and a clean checkout of base up to date here")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the journal as JSON lines on stdout, from now on")
		.option("--quiet", "print only warnings while it runs, and the summary at the end")
		.action(async (name: string | undefined, { json = false, quiet = false }: Partial<FollowFlags>) => {
			c.exit(await follow(c, { json, quiet }, (observer) => attach(c, name, observer)));
		});
}
