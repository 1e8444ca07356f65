// Pipelines: workflows in the short form of agents and steps, with the progress log that their agents write.
import type { Format } from "../../format.ts";
import { lateProjection } from "../late.ts";

export const pipeline: Format = {
	name: "pipeline",
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
