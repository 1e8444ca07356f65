// The evidence `tasks`: whether a new list of tasks can replace the old one.
import type { CheckResult } from "../../core/input.ts";
import type { Evidence } from "../../format.ts";
import { labelOf } from "./phases.ts";

export const tasks: Evidence = async ({ state }, said) => {
	if (said.stories === null) return [];
	const done = new Set(state.stories.filter((s) => s.status === "completed").map((s) => s.id));
	const fresh = said.stories.filter((s) => !done.has(s.id));
	const problems = [
		...said.stories.filter((s) => !/^\d{1,4}\.\d{1,4}$/.test(s.id)).map((s) => `${s.id} is not a label of a task: write N.M, such as 2.1`),
		...(fresh.length === 0 ? ["all of these tasks are completed: give those that remain to be done"] : []),
	];
	const phases = fresh.map((s) => Number(labelOf({ id: s.id, group: null })));
	if (phases.some((phase, i) => phase < (phases[i - 1] ?? 0)))
		problems.push("the phases are not in order: tasks run in the order of the list, phase by phase");
	const result: CheckResult = {
		name: "tasks",
		command: "TASKS_JSON",
		exitCode: problems.length === 0 ? 0 : 1,
		output: problems.join("\n"),
		said: true,
	};
	return [result];
};
