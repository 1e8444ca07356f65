// workflow_state.json: the stories of a run, their steps and what happened to them, for agents and for other programs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Format } from "../../format.ts";
import { lateProjection } from "../late.ts";

const STATE_FILE = "workflow_state.json";

export const workflowState: Format = {
	name: "workflow-state",
	projections: {
		workflow_state: {
			open: ({ state, sharedDir, root, lock }) =>
				lateProjection(async () => {
					const { StateFile } = await import("./state-file.ts");
					return new StateFile({ sharedDir, prdFile: sourceName(state.input, root), createdAt: state.createdAt, lock });
				}),
			changed: async ({ sharedDir, root, events }) => {
				const [first] = events;
				const file = join(sharedDir, STATE_FILE);
				if (first?.event !== "run_created" || !existsSync(file)) return null;
				const { isOurs, readStateFile } = await import("./state-file.ts");
				if (isOurs(readStateFile(file), events, { createdAt: first.at, prdFile: sourceName(first.input, root) })) return null;
				return {
					file,
					problem: `${file} was changed since pawl wrote it. pawl writes this file from the journal, so the change would be lost: put the file back or move it away, then continue`,
				};
			},
		},
	},
};

/** As the document has it: relative to the repository if it is inside. */
function sourceName(input: Readonly<Record<string, string>>, root: string): string | null {
	const prd = input["prd"];
	if (prd === undefined) return null;
	return prd.startsWith(`${root}/`) ? prd.slice(root.length + 1) : prd;
}
