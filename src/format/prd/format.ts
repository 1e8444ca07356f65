// prd.json: a list of stories that a run starts from, in which `passes` is set as they pass.
import type { Format } from "../../format.ts";
import { lateProjection } from "../late.ts";

export const prd: Format = {
	name: "prd",
	commands: { prd: { summary: "validate a prd.json", load: () => import("./command.ts") } },
	projections: {
		prd: {
			open: ({ state, warn }) => {
				const file = state.input["prd"];
				return file === undefined ? null : lateProjection(async () => new (await import("./prd-file.ts")).PrdFile(file, warn));
			},
		},
	},
};
