// pawl undo RUN|STORY [--dry-run]
import { Command } from "commander";
import { type Undone, undo } from "../../runs/change/undo.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { flat } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl undo")
		.description(
			"take back what a story or a whole run delivered: one revert commit for each of its commits, newest first; a PRD says `passes: false` again. If a commit conflicts with what came later, nothing changes",
		)
		.argument("<run-or-story>", "a story of the latest run; or a run: an id, a unique prefix, or latest")
		.argument("[story]", "a story of that run")
		.option("--dry-run", "only say what would be undone")
		.option("--json", "as one JSON document")
		.action(async (what: string, story: string | undefined, flags: { dryRun?: boolean; json?: boolean }) => {
			const only = flags.dryRun === true;
			const undone = await undo(c, { what, story, only });
			if (flags.json) return c.out(document({ undone: !only, ...undone }));
			print(c, undone, only);
		});
}

function print(c: Context, { run, story, branch, commits, needed_by }: Undone, only: boolean): void {
	for (const { commit, subject, by } of commits) {
		const how = only ? "" : by === null ? "  (was taken back before)" : `  undone by ${by.slice(0, 12)}`;
		c.out(`${commit.slice(0, 12)}  ${flat(subject)}${how}\n`);
	}
	const what = `${story ?? `run ${run}`}: ${commits.length} ${commits.length === 1 ? "commit" : "commits"} on ${branch}`;
	c.out(only ? `would undo ${what}\n` : `undid ${what}\n`);
	if (needed_by.length > 0)
		c.err(`pawl: ${needed_by.join(", ")} ${needed_by.length === 1 ? "needs" : "need"} ${story}: run the checks of your project\n`);
}
