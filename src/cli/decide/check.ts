// pawl check RUN [STEP]
import { Command } from "commander";
import { callCheck } from "../../runs/change/check.ts";
import type { Context } from "../context.ts";
import { told } from "../text/told.ts";

interface Flags {
	readonly story?: string;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl check")
		.description(
			"run a step that the workflow offers on demand (an extra look at the work so far) before the story continues; pawl runs the checks of pawl.yml by itself",
		)
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "the type of the step, if the workflow offers several")
		.option("--story <id>", "the story to look at, if several are running")
		.option("--json", "the outcome as JSON")
		.action(async (run: string | undefined, step: string | undefined, flags: Flags) => {
			const called = await callCheck(c, { run, step, story: flags.story });
			told(c, `${called.step} of ${called.story} is next`, called, flags.json ?? false);
		});
}
