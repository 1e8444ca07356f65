// Steps that the engine does itself, without an agent: commands of the repository's configuration, and built-in actions.
import type { Outcome } from "../core/input.ts";
import type { RunState, Step } from "../core/model.ts";
import type { Workspace } from "../workspace.ts";
import { type AttemptContext, NOTHING } from "./agent-attempt.ts";
import { runCheck } from "./checks.ts";
import type { EngineParts } from "./parts.ts";

/** null: it was cancelled. */
export async function runCommandStep(c: AttemptContext): Promise<Outcome | null> {
	const name = c.type.command ?? "";
	const command = c.parts.checks[name];
	if (command === undefined) return { ...NOTHING, signal: "agent_error", error: `there is no command ${name} in pawl.yml` };
	const { env, isolate } = c.parts;
	const result = await runCheck(name, command, { cwd: c.workspace.path, env, mark: c.mark, isolate, signal: c.signal });
	if (c.signal.aborted) return null;
	return { ...NOTHING, signal: "done", notes: result.output.slice(-2000), checks: [result] };
}

export interface ActionAttempt {
	readonly parts: EngineParts;
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly workspace: Workspace;
	readonly mark: string;
	readonly signal: AbortSignal;
}

/** null: it was cancelled. */
export async function runAction(a: ActionAttempt): Promise<Outcome | null> {
	const name = a.state.definition.types[a.step.type]?.action ?? "";
	const action = Object.hasOwn(a.parts.actions, name) ? a.parts.actions[name] : undefined;
	if (!action) return { ...NOTHING, signal: "agent_error", error: `there is no action ${name}` };
	const { state, scope, step, workspace, parts, signal } = a;
	const outcome = await action({ state, scope, step, workspace, parts, signal, check: (names, cwd) => failures(a, names, cwd) });
	if (signal.aborted) return null;
	return { ...NOTHING, ...outcome };
}

async function failures(a: ActionAttempt, names: readonly string[], cwd: string): Promise<string[]> {
	const failed: string[] = [];
	const { env, isolate, checks } = a.parts;
	for (const name of names) {
		const command = checks[name];
		if (command === undefined) continue;
		const result = await runCheck(name, command, { cwd, env, mark: a.mark, isolate, signal: a.signal });
		const how = result.exitCode === null ? "did not end" : `exited ${result.exitCode}`;
		if (result.exitCode !== 0) failed.push(`${name}: \`${command}\` ${how}\n${result.output.slice(-2000)}`);
	}
	return failed;
}
