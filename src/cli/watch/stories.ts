// pawl stories RUN
import { Command } from "commander";
import { storiesOf } from "../../runs/look/stories.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { statusCell, storyTable } from "../text/tables.ts";
import { paint, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl stories")
		.description("list the stories of a run")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const { run, stories, kept } = await storiesOf(c, name);
			if (flags.json) return c.out(document(kept.length > 0 ? kept : stories));
			const color = paint(wantsColor(c.env, c.outIsTty));
			if (kept.length > 0)
				return c.out(
					`${fitted(
						kept.map((story) => [story.id, statusCell(story.status, color), story.title]),
						c.width,
					)}\n`,
				);
			if (stories.length === 0) return c.err(`run ${run} has no stories yet\n`);
			c.out(`${storyTable(stories, c.width, color)}\n`);
		});
}
