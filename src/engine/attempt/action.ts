// A step that is built-in code: a merge, a commit, a file of a format. Safe to repeat, so nothing is prepared for it.
import type { Outcome } from "../../core/input.ts";
import { own } from "../../core/query.ts";
import { NOTHING } from "./live-attempt.ts";
import { type ContextOf, stepContext } from "./step-context.ts";

/** null: it was cancelled. */
export async function runAction(a: Omit<ContextOf, "role" | "point">): Promise<Outcome | null> {
	const name = own(a.state.definition.types, a.step.type)?.action ?? "";
	const action = own(a.parts.actions, name);
	if (!action) return { ...NOTHING, signal: "agent_error", error: `there is no action ${name}` };
	const outcome = await action(stepContext({ ...a, role: name, point: null }));
	if (a.signal.aborted && !hasDelivered(outcome)) return null;
	return { ...NOTHING, ...outcome };
}

const DELIVERED: readonly string[] = ["merged", "committed"];

/** Base or a branch has it now, whoever ended the run meanwhile: then the journal has to say so too. */
const hasDelivered = ({ signal, pullRequest }: Partial<Outcome>): boolean =>
	pullRequest !== undefined || (signal !== undefined && DELIVERED.includes(signal));
