// pawl receipt [COMMIT|STORY] [--run RUN]
import { Command } from "commander";
import { findReceipt } from "../../runs/receipt/find.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { visible } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl receipt")
		.description(
			"show how a commit came to be: what was asked, the steps and who did them, the checks, edits, decisions and the cost. Also keeps this with the commits of a finished run, as a git note (refs/notes/pawl)",
		)
		.argument("[commit-or-story]", "a commit (default: HEAD), or a story of the latest run")
		.option("--run <run>", "look for the story in this run; without a story, show the run as a whole")
		.option("--json", "as one JSON document")
		.action(async (what: string | undefined, flags: { run?: string; json?: boolean }) => {
			const found = await findReceipt(c, what, flags.run);
			if (found.from === "note")
				c.err("pawl: this comes from a note in the repository; the journal of that run is not here, so nothing confirms it\n");
			if (flags.json) return c.out(document(found.receipt));
			c.out(c.outIsTty ? visible(found.text) : found.text);
		});
}
