// pawl stories RUN
import { Command } from "commander";
import type { Context } from "./context.ts";
import { document, lookAt } from "./look.ts";
import { storyViews } from "./run-view.ts";
import { storyTable } from "./tables.ts";
import { paint, wantsColor } from "./text.ts";

export function command(c: Context): Command {
	return new Command("pawl stories")
		.description("list the stories of a run")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action((name: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, ({ state, events }) => {
				const stories = storyViews(state, events, c.now());
				if (flags.json) return c.out(document(stories));
				if (stories.length === 0) return c.err(`run ${state.id} has no stories yet\n`);
				c.out(`${storyTable(stories, c.width, paint(wantsColor(c.env, c.outIsTty)))}\n`);
			}),
		);
}
