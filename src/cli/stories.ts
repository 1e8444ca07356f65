// pawl stories RUN
import { Command } from "commander";
import { storiesInFolder } from "../format/run-folder/listing.ts";
import type { Context } from "./context.ts";
import { fitted } from "./fit.ts";
import { document, lookAt } from "./look.ts";
import { storyViews } from "./run-view.ts";
import { statusCell, storyTable } from "./tables.ts";
import { paint, wantsColor } from "./text.ts";

export function command(c: Context): Command {
	return new Command("pawl stories")
		.description("list the stories of a run")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action((name: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, ({ state, events }) => {
				const stories = storyViews(state, events, c.now());
				// A loop over a run folder has its stories there, not in the journal.
				const kept = stories.length === 0 ? storiesInFolder(state) : [];
				if (flags.json) return c.out(document(kept.length > 0 ? kept : stories));
				const color = paint(wantsColor(c.env, c.outIsTty));
				if (kept.length > 0)
					return c.out(
						`${fitted(
							kept.map((story) => [story.id, statusCell(story.status, color), story.title]),
							c.width,
						)}\n`,
					);
				if (stories.length === 0) return c.err(`run ${state.id} has no stories yet\n`);
				c.out(`${storyTable(stories, c.width, color)}\n`);
			}),
		);
}
