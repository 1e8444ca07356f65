// pawl bundle [RUN] [-o FILE] [--no-logs]
import { Command } from "commander";
import { bundle } from "../../runs/bundle/bundle.ts";
import type { Context } from "../context.ts";
import { bytesText } from "../text/bytes.ts";
import { document } from "../text/document.ts";

interface Flags {
	readonly output?: string;
	readonly logs: boolean;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl bundle")
		.description(
			"put everything about a run into one archive for a bug report: journal, logs, state, versions. Secrets of the environment, what looks like a credential, and the path of your home are taken out",
		)
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("-o, --output <file>", "where to write it (default: pawl-RUN.tar.gz in this folder)")
		.option("--no-logs", "leave out what agents were told and answered")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, flags: Flags) => {
			const made = await bundle(c, name, flags);
			if (flags.json) return c.out(document(made));
			const { file, bytes, files, left_out } = made;
			for (const { file: missing, why } of left_out) c.err(`pawl: ${missing} is not in it: ${why}\n`);
			c.out(`${file}: ${files.length} files, ${bytesText(bytes)}\n`);
			c.out(
				"It holds your prompts, the agents' answers and parts of your code: look at it before you send it (tar -tzf shows what is in it)\n",
			);
		});
}
