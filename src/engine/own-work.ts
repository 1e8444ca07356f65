// Steps that the engine does itself, without an agent: commands of the repository's configuration, and built-in actions.
import type { Outcome } from "../core/input.ts";
import { type AttemptContext, NOTHING } from "./agent-attempt.ts";
import { runCheck } from "./checks.ts";
import { type PlaceOf, placeOf } from "./place.ts";

/** null: it was cancelled. */
export async function runCommandStep(c: AttemptContext): Promise<Outcome | null> {
	const name = c.type.command ?? "";
	const command = c.parts.checks[name];
	if (command === undefined) return { ...NOTHING, signal: "agent_error", error: `there is no command ${name} in pawl.yml` };
	const { env, isolate, secrets } = c.parts;
	const result = await runCheck(name, command, { cwd: c.workspace.path, env, mark: c.mark, isolate, secrets, signal: c.signal });
	if (c.signal.aborted) return null;
	return { ...NOTHING, signal: "done", notes: result.output.slice(-2000), checks: [result] };
}

/** null: it was cancelled. */
export async function runAction(a: Omit<PlaceOf, "role" | "attempt" | "point">): Promise<Outcome | null> {
	const name = a.state.definition.types[a.step.type]?.action ?? "";
	const action = Object.hasOwn(a.parts.actions, name) ? a.parts.actions[name] : undefined;
	if (!action) return { ...NOTHING, signal: "agent_error", error: `there is no action ${name}` };
	const outcome = await action(placeOf({ ...a, role: name, attempt: a.step.attempt, point: null }));
	if (a.signal.aborted) return null;
	return { ...NOTHING, ...outcome };
}
