// pawl steer RUN TEXT
import { Command } from "commander";
import { CliError, type Context } from "./context.ts";
import { deliver, refuseOver, steer, told } from "./steering.ts";

export function command(c: Context): Command {
	return new Command("pawl steer")
		.description("tell the agents of a run something: the steps that start from now on read it")
		.argument("<run>", "an id, a unique prefix, or latest")
		.argument("<text>", "what they are told")
		.option("--json", "the outcome as JSON")
		.action((name: string, text: string, flags: { json?: boolean }) =>
			steer(c, name, async ({ store, state }) => {
				if (text.trim() === "") throw new CliError("the text is empty");
				refuseOver(state, "steer");
				const delivery = await deliver(c, store, state.id, { type: "steer", at: c.now(), text });
				told(c, store, state.id, "noted for the next steps", delivery, flags.json ?? false);
			}),
		);
}
