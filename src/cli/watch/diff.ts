// pawl diff [RUN] [STORY]
import { Command } from "commander";
import { diffOf } from "../../runs/look/diff.ts";
import { withStory } from "../../runs/story-named.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { visible } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl diff")
		.description("show what a story or a run changed, as a patch")
		.argument("[run]", "an id, a unique prefix, or latest; or a story of the latest run")
		.argument("[story]", "the story; optional if there is only one; `run` for the run as a whole")
		.option("--json", "as one JSON document: the commits and the patch")
		.action(async (name: string | undefined, id: string | undefined, flags: { json?: boolean }) => {
			const diff = await withStory(name, id, (run, story) => diffOf(c, run, story));
			if (flags.json) return c.out(document(diff));
			for (const commit of diff.commits) c.out(`commit ${commit.sha} ${commit.subject}\n`);
			const putBack = diff.put_back.length === 0 ? "" : `; what its attempts did and was put back: ${diff.put_back.join(", ")}`;
			if (diff.patch === "") c.err(`${diff.story} (${diff.status}) changed nothing${putBack}\n`);
			// A pipe gets the patch unchanged, to apply it; a terminal must not obey control codes in a file.
			else c.out(`${diff.commits.length > 0 ? "\n" : ""}${c.outIsTty ? visible(diff.patch) : diff.patch}`);
		});
}
