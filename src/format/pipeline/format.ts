// Pipelines: workflows in the short form of agents and steps, with the progress log that their agents write.
import type { FormatCommand } from "../../command.ts";
import type { Format } from "../../format.ts";
import { late, lateKeeper, lateProjection } from "../late.ts";
import { openclawIds } from "./openclaw.ts";
import { NOTES_KEEPER, pipelineOf } from "./pipeline.ts";
import { storeRows } from "./rows.ts";

export const pipeline: Format = {
	name: "pipeline",
	commands: {
		"workflow install": command("set up a pipeline's agents", "installCommand"),
		"workflow uninstall": command("take away what install has set up", "uninstallCommand"),
		"workflow status": command("the steps and stories of a run, one per line", "statusCommand"),
		"step stories": command("the stories of a run, one per line", "storiesCommand"),
	},
	keepers: { [NOTES_KEEPER]: lateKeeper(async () => (await import("./notes-keeper.ts")).notesKeeper) },
	rows: storeRows,
	agentIds: openclawIds,
	notifyAddress: (definition) => pipelineOf(definition)?.notify ?? null,
	sessionEnv: ({ input }) => (input["progress_file"] === undefined ? {} : { PAWL_PROGRESS_FILE: input["progress_file"] }),
	promptAdditions: late(async () => (await import("./memory.ts")).promptAdditions),
	newRunInput: late(async () => (await import("./agent-home.ts")).newRunInput),
	spelling: async () => (await import("./spelling.ts")).pipelineSpelling,
	projections: {
		progress: {
			open: ({ state }) => {
				const file = state.input["progress_file"];
				return file === undefined
					? null
					: lateProjection(async () => new (await import("./progress-file.ts")).ProgressFile(file, state.id));
			},
		},
	},
};

function command(summary: string, name: "installCommand" | "uninstallCommand" | "statusCommand" | "storiesCommand"): FormatCommand {
	return { summary, load: async () => ({ command: (await import("./commands.ts"))[name] }) };
}
