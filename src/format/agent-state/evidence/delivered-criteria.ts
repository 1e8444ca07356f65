// The commands of success criteria run once more on what the whole run delivers: a later task, or an improvement, may have broken what an
// earlier task had proven.
import { isAccepted } from "../../../core/check/accepted.ts";
import { hasPassed } from "../../../core/check/passed.ts";
import { readCriteria } from "../../../core/criterion.ts";
import type { CheckResult } from "../../../core/input.ts";
import type { RunState, Scope } from "../../../core/model.ts";
import type { StepContext } from "../../../format.ts";

/** The signal of a criterion that held after its task and no longer does. A workflow without a route for it treats it like a failed check. */
const LOST = "criterion_lost";

export async function deliveredCriteria(context: StepContext, ran: readonly CheckResult[]): Promise<readonly CheckResult[] | null> {
	const { state, signal, workspace, run } = context;
	if (state.input["task_doc"] === undefined) return null;
	const known = new Set(ran.map(({ command }) => command));
	const { tree } = await workspace.point();
	const results: CheckResult[] = [];
	for (const { name, command } of proven(state)) {
		if (signal.aborted) break;
		if (known.has(command)) continue;
		known.add(command);
		const check = { name, command, tree };
		if (hasPassed(state, check)) results.push({ ...check, exitCode: 0, output: "", reused: true });
		else results.push(lost({ ...(await run(command, { name })), ...check }));
	}
	return results;
}

const lost = (result: CheckResult): CheckResult => (result.exitCode === 0 ? result : { ...result, signal: LOST });

/** pawl saw it pass after its task; of a task that a state from elsewhere calls completed it saw nothing. */
const hasHeld = ({ checked = [] }: Scope, slug: string, command: string): boolean =>
	checked.some((one) => one.name === slug && one.command === command && one.exitCode === 0);

/** The commands of completed tasks, but not those that a person accepted as they are. */
const proven = ({ root, stories }: RunState): { readonly name: string; readonly command: string }[] =>
	stories
		.filter(({ status }) => status === "completed")
		.flatMap(({ id, criteria, scope }) =>
			readCriteria(criteria).flatMap(({ slug, commands }) =>
				commands
					.filter((command) => !isAccepted(scope, { name: slug, command }) && hasHeld(scope, slug, command))
					.map((command) => ({ name: `${id} ${slug}`, command }))
					.filter((check) => !isAccepted(root, check)),
			),
		);
