// pawl logs [RUN] [STORY [STEP]]
import { Command } from "commander";
import { readLogs, type StepLog } from "../../runs/look/logs.ts";
import { withStory } from "../../runs/story-named.ts";
import type { Context } from "../context.ts";
import { logText } from "../text/log-text.ts";
import { paint, wantsColor } from "../text/text.ts";

interface Flags {
	readonly follow?: boolean;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl logs")
		.description("print what agents and checks printed")
		.argument("[run]", "an id, a unique prefix, or latest; or a story of the latest run")
		.argument("[story]", "only the output of this story")
		.argument("[step]", "only the output of this step")
		.option("-f, --follow", "follow until the run halts")
		.option("--json", "the records unchanged, as JSON lines")
		.action(async (name: string | undefined, story: string | undefined, step: string | undefined, flags: Flags) => {
			let empty = true;
			const print = printer(c, flags.json ?? false);
			const printed = (line: string, log: StepLog): void => {
				empty = false;
				print(line, log);
			};
			const run = await withStory(name, story, (of, only) =>
				readLogs(c, { run: of, story: only, step, follow: flags.follow ?? false }, printed),
			);
			if (empty) c.err(`there is nothing in the logs of run ${run} yet\n`);
		});
}

/** Prints lines for people, with a heading whenever the log changes. */
function printer(c: Context, json: boolean): (line: string, log: StepLog) => void {
	const color = paint(wantsColor(c.env, c.outIsTty));
	let last = "";
	return (line, log) => {
		if (json) return c.out(`${line}\n`);
		const text = logText(line);
		if (text === null) return;
		if (last !== log.file) c.out(`${last === "" ? "" : "\n"}${color.bold(`==> ${log.title} <==`)}\n`);
		last = log.file;
		c.out(`${text}\n`);
	};
}
