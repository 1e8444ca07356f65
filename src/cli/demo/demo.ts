// pawl demo [WORKFLOW]: a real run with scripted agents, in a scratch repository that stays so that people can look around.
import { Argument, Command } from "commander";
import type { Context } from "../context.ts";
import { DEMOS } from "./all.ts";
import { play } from "./play.ts";

export function command(c: Context): Command {
	return new Command("pawl demo")
		.description("show a workflow at work: a real run with scripted agents in a scratch repository, without a model")
		.addArgument(new Argument("[workflow]", "the workflow to show").choices(Object.keys(DEMOS)).default("dynamic"))
		.option("--fast", "leave out the pauses that let you read along")
		.option("--json", "the journal as JSON lines on stdout")
		.action(async (name: string, flags: { fast?: boolean; json?: boolean }) => {
			const demo = await DEMOS[name]?.();
			if (demo !== undefined) c.exit(await play(c, demo, { fast: flags.fast ?? false, json: flags.json ?? false }));
		});
}
