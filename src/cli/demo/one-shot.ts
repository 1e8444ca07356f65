// `pawl demo one-shot`: one request in the tree itself.
import type { Demo } from "./description.ts";
import { editsAndRepairs } from "./happenings.ts";
import { greetProject } from "./repository.ts";

export const oneShot: Demo = {
	about: `One request, one scripted agent, no worktree. No model is asked; the commits
and the checks of pawl.yml are real. One step edits the plan, one restarts
itself, and one leaves a bug that a check finds.`,
	files: greetProject(),
	workflow: "dynamic",
	given: "Add a --shout option to greet.sh",
	script: "dynamic/demo.yml",
	happenings: editsAndRepairs,
	look: [
		["git log --stat", "what was delivered"],
		["pawl status", "the run; also history, logs, cost, diff"],
		["ls .pawl/latest/", "its files: the state, the notes, the logs"],
	],
};
