// Which runs several machines can share. Workers have worktrees of stories, and nothing else that is the run's: a step that belongs to no story would look at a
// checkout that nobody keeps at base, and what it wrote there would be delivered nowhere.
import type { Condition, Definition, Route, StepType } from "../definition.ts";
import { own } from "../query.ts";

/** Why machines cannot share a run of this workflow, for people; null: they can. */
export function whyNotShared(definition: Definition, mode: string): string | null {
	if (own(definition.inputs, mode)?.workspace !== "worktree")
		return "workers can do only runs whose stories have worktrees of their own, such as dynamic with --prd";
	const step = stepsOfTheRun(definition).find(({ kind }) => kind !== "each" && kind !== "approval");
	if (step !== undefined)
		return `workers can do only the steps of stories, and the step ${step.name} of the workflow ${definition.name} belongs to the run itself`;
	const [file] = definition.inboxes ?? [];
	return file === undefined ? null : `a run of the workflow ${definition.name} is controlled by files (${file}), which workers do not see`;
}

/** The steps outside of stories that a run with worktrees may come to. */
function stepsOfTheRun({ types, steps, abort }: Definition): StepType[] {
	const found = new Map<string, StepType>();
	const todo = [...steps, ...abort].map(({ type }) => type);
	for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
		const type = own(types, name);
		if (type === undefined || found.has(name) || type.when.some(isNever)) continue;
		found.set(name, type);
		todo.push(...[...Object.values(type.routes), ...(type.visits === undefined ? [] : [type.visits.exhausted])].flatMap(targetsOf));
	}
	return [...found.values()];
}

const isNever = ({ field, op, value }: Condition): boolean =>
	field === "workspace" && ((op === "is" && value !== "worktree") || (op === "is_not" && value === "worktree"));

function targetsOf({ action, target, steps = [], exhausted, converged }: Route): string[] {
	const further = [exhausted, converged].flatMap((route) => (route === undefined ? [] : targetsOf(route)));
	return [...(action === "goto" && target !== undefined ? [target] : []), ...steps.map(({ type }) => type), ...further];
}
