// pawl steer [RUN] TEXT
import { Command } from "commander";
import { steer } from "../../runs/change/steer.ts";
import type { Context } from "../context.ts";
import { told } from "../text/told.ts";

export function command(c: Context): Command {
	return new Command("pawl steer")
		.description("tell the agents of a run something: the steps that start from now on read it")
		.argument("<run or text>", "an id, a unique prefix, or latest; may be left out")
		.argument("[text]", "the message")
		.option("--json", "the outcome as JSON")
		.action(async (first: string, second: string | undefined, flags: { json?: boolean }) => {
			const [run, text] = second === undefined ? ["latest", first] : [first, second];
			told(c, "noted for the next steps", await steer(c, run, text), flags.json ?? false);
		});
}
