// What pipelines add to `pawl workflow` and `pawl step`: setting their agents up, and looking at a run in the words of its tables.
import { Command } from "commander";
import type { CommandContext } from "../../command.ts";
import { type InstallFlags, install, uninstall } from "./install.ts";
import { statusText, storyLines } from "./status.ts";
import { storiesOf } from "./stories.ts";

export const installCommand = (c: CommandContext): Command =>
	new Command("install")
		.description("set up the folders of a pipeline's agents, and print (or set up) the timer that lets them look for work")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.option("--timer", "write the timer into your crontab")
		.option("--agent-command <cmd>", "the command that the timer starts, with its text on stdin (default: claude -p)")
		.action((name: string, flags: InstallFlags) => install(c, name, flags));

export const uninstallCommand = (c: CommandContext): Command =>
	new Command("uninstall")
		.description("remove what install has set up, except files that you have changed since")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.action((name: string) => uninstall(c, name));

export const statusCommand = (c: CommandContext): Command =>
	new Command("status")
		.description("the steps and stories of a run, one per line")
		.argument("[run]", "an id, a unique prefix, or latest")
		.action(async (run: string | undefined) => c.out(statusText(c, await c.run(run))));

export const storiesCommand = (c: CommandContext): Command =>
	new Command("stories")
		.description("the stories of a run, one per line")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document, with everything about each")
		.action(async (run: string | undefined, flags: { json?: boolean }) => {
			const state = await c.run(run);
			c.out(flags.json ? c.json(storiesOf(state)) : storyLines(c, state));
		});
