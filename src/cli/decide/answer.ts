// pawl answer [RUN] TEXT
import { Command } from "commander";
import { decide } from "../../runs/change/decide.ts";
import type { Context } from "../context.ts";
import { goOn } from "./go-on.ts";

interface Flags {
	readonly step?: string;
	readonly json?: boolean;
	readonly resume?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl answer")
		.description("answer a question that an agent asks: its step runs again and reads the answer")
		.argument("<run or text>", "an id, a unique prefix, or latest; may be left out")
		.argument("[text]", "the answer")
		.option("--step <step>", "its id, its type, its story, or STORY/STEP; optional if only one waits")
		.option("--resume", "continue the run in this process, unless another process drives it")
		.option("--json", "the outcome as JSON; with --resume the journal as JSON lines")
		.action(async (first: string, second: string | undefined, flags: Flags) => {
			const [run, reason] = second === undefined ? [undefined, first] : [first, second];
			const decided = await decide(c, { run, step: flags.step, verdict: "answer", reason });
			await goOn(c, `${decided.step} answered`, decided, flags);
		});
}
