// The evidence `tasks`: whether a new list of tasks can replace the old one.
import { type Criterion, readCriteria } from "../../../core/criterion.ts";
import type { CheckResult, StorySeed } from "../../../core/input.ts";
import type { RunState } from "../../../core/model.ts";
import { findScope } from "../../../core/query.ts";
import type { Evidence } from "../../../format.ts";
import { labelOf } from "../phases.ts";

const NAME = "tasks";

export const tasks: Evidence = async ({ state, scope }, said) => {
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
	problems.push(...untestable(state, scope, fresh));
	const failed = problems.length > 0;
	// pawl looked itself, at the report: there is no output of a command, and nobody's word is taken.
	const result: CheckResult = { name: NAME, command: "TASKS_JSON", exitCode: failed ? 1 : 0, output: problems.join("\n") };
	return [failed ? { ...result, said: true } : result];
};

/** Words of taste: nobody can say of such a criterion whether it holds, neither a command nor an executor. */
const TASTE =
	/\b(?:nice(?:ly)?|good|well|better|great|fine|clean(?:ly)?|neat(?:ly)?|pretty|beautiful(?:ly)?|elegant(?:ly)?|proper(?:ly)?|polished|tidy|intuitive(?:ly)?|friendly|usable|readable|reasonable|appropriate(?:ly)?|as (?:expected|intended|desired)|fast enough|good enough)[.!]?$/i;

/** Said back once: whether there is a better criterion, only the planner knows. What a person approved as it is stays as it is. */
function untestable(state: RunState, scope: string, fresh: readonly StorySeed[]): string[] {
	const told = (findScope(state, scope)?.failing ?? []).filter(({ name }) => name === NAME).map(({ output }) => output);
	const planned = new Set(state.stories.map(({ criteria }) => JSON.stringify(criteria)));
	return fresh
		.filter(({ criteria }) => !planned.has(JSON.stringify(criteria)) && readCriteria(criteria).every(isTaste))
		.map(
			({ id, criteria }) =>
				`${id} has no criterion that can be checked (${criteria.join("; ")}): say what can be seen when it holds, best with a command in backticks at its end that exits 0`,
		)
		.filter((text) => !told.some((output) => output.includes(text)));
}

const isTaste = ({ text, commands, mentions }: Criterion): boolean =>
	commands.length === 0 && mentions.length === 0 && TASTE.test(text.trim());
