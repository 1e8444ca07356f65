// agent-state.json: a run with tasks in phases, with its checkpoints, learnings and locks; and the task document that such a run
// starts from.
import { join } from "node:path";
import type { Action, Format } from "../../format.ts";
import { late, lateKeeper, lateProjection } from "../late.ts";
import { STATE_FILE, STATE_FOLDER, SUMS } from "./names.ts";

export const agentState: Format = {
	name: "agent-state",
	commands: {
		phased: { summary: "write and check task documents", load: () => import("./commands/phased.ts") },
		checkpoint: {
			group: "plumbing",
			summary: "list, restore and validate checkpoints of a phased run",
			load: () => import("./commands/checkpoint.ts"),
		},
		lock: { group: "plumbing", summary: "locks on files, for agents that work side by side", load: () => import("./commands/lock.ts") },
	},
	readers: { task_document: late(async () => (await import("./reader.ts")).taskDocument) },
	actions: {
		"state.begin": action("begin"),
		"state.checkpoint": action("checkpoint"),
		"state.save-point": action("savePoint"),
		"state.fixed": action("fixed"),
		"state.unchanged": action("unchanged"),
		"state.milestone": action("milestone"),
	},
	keepers: { "task-document": lateKeeper(async () => (await import("./keep-document.ts")).documentKeeper) },
	evidence: {
		criteria: late(async () => (await import("./evidence/criteria.ts")).criteria),
		tasks: late(async () => (await import("./evidence/tasks.ts")).tasks),
		improved: late(async () => (await import("./improved.ts")).improved),
	},
	projections: {
		agent_state: {
			open: ({ state, sharedDir, warn }) => {
				const folder = state.input["state_dir"];
				if (folder === undefined) return null;
				return lateProjection(async () => {
					const { AgentStateFile } = await import("./state-files.ts");
					return new AgentStateFile({ folder, run: state.id, sums: join(sharedDir, SUMS), warn });
				});
			},
			changed: async ({ sharedDir, events }) => {
				const [first] = events;
				if (first?.event !== "run_created") return null;
				const { changedState } = await import("./state-folder.ts");
				return changedState(first.input["state_dir"] ?? "", events, join(sharedDir, SUMS));
			},
		},
	},
	deliveryChecks: late(async () => (await import("./evidence/delivered-criteria.ts")).deliveredCriteria),
	promptAdditions: late(async () => (await import("./prompt.ts")).promptAdditions),
	storiesNow: async ({ input }) => (input["task_doc"] === undefined ? null : (await import("./reader.ts")).storiesNow(input["task_doc"])),
	inputsIn: async (tree) => {
		const now = await (await import("./reader.ts")).storiesNow(join(tree, "TASKS.md")).catch(() => null);
		if (now === null || !("stories" in now) || now.stories.length === 0) return [];
		const count = now.stories.length;
		return [{ text: `TASKS.md: a task document with ${count} ${count === 1 ? "task" : "tasks"}`, command: "pawl run phased TASKS.md" }];
	},
	flags: {
		supervisor: { flag: "--no-supervisor", help: "leave out the checks of a supervisor", readers: ["task_document"] },
	},
	// Kept out of git, unless somebody committed it.
	userFiles: ({ input }) => (input["state_dir"] === undefined ? [] : [join(input["state_dir"], STATE_FILE)]),
	stateFiles: { [`${STATE_FOLDER}/${STATE_FILE}`]: { reader: "task_document", folder: "state_dir" } },
};

function action(name: "begin" | "checkpoint" | "savePoint" | "fixed" | "unchanged" | "milestone"): Action {
	return late(async () => (await import("./actions.ts"))[name]);
}
