// pawl stories [RUN] [STORY]: the stories, or how each acceptance criterion of one story was shown.
import { Command } from "commander";
import { RUN_SCOPE } from "../../core/model.ts";
import { oneStoryOf, storiesOf } from "../../runs/look/stories.ts";
import { withStory } from "../../runs/story-named.ts";
import type { Context } from "../context.ts";
import { criteriaText } from "../text/criteria.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { statusCell, storyTable } from "../text/tables.ts";
import { paint, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl stories")
		.description("list the stories of a run, or show how each acceptance criterion of one was met")
		.argument("[run]", "an id, a unique prefix, or latest; or a story of the latest run")
		.argument("[story]", "one story; `run` for the criteria of the run itself")
		.option("--json", "as one JSON document")
		.action((name: string | undefined, id: string | undefined, flags: { json?: boolean }) =>
			withStory(name, id, (run, story) => (story === undefined ? list(c, run, flags.json) : show(c, run, story, flags.json))),
		);
}

async function list(c: Context, name: string | undefined, json = false): Promise<void> {
	const { run, workflow, hasStories, stories, kept } = await storiesOf(c, name);
	if (json) return c.out(document(kept.length > 0 ? kept : stories));
	const color = paint(wantsColor(c.env, c.outIsTty));
	if (kept.length > 0)
		return c.out(
			`${fitted(
				kept.map((story) => [story.id, statusCell(story.status, color), story.title]),
				c.width,
			)}\n`,
		);
	if (stories.length === 0)
		return c.err(hasStories ? `run ${run} has no stories yet\n` : `${workflow} has no stories; its steps: pawl status ${run}\n`);
	c.out(`${storyTable(stories, c.width, color)}\n`);
}

async function show(c: Context, name: string | undefined, story: string, json = false): Promise<void> {
	const one = await oneStoryOf(c, name, story === "run" ? RUN_SCOPE : story);
	c.out(json ? document(one) : criteriaText(one, c.width, paint(wantsColor(c.env, c.outIsTty))));
}
